"""Input that nobody thought of, made by the thousand: some of it in the suite, more of it by `make fuzz`."""
