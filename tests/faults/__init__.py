"""Nothing lost, nothing invented: faults planted in real processes, and what arrived counted at the receiver.

`python -m tests.faults` (`make faults`) runs every case on both databases. A case is a function under `cases/`: it plays real
games on a stage (`stage.py`), lets something fail, and makes sure that it did. What is counted afterwards, and when a case is
red, stands in `counting.py`; what is planted in the workers in `inside.py`. `python -m tests.faults.sabotage` breaks a copy
of the server in known ways and demands that the cases notice."""
