"""Runs a command that ends when its parent ends, however that ends: `python leash.py PARENT_PID COMMAND …`.

A script in front of the command, since code between fork and exec (`preexec_fn`) is unsafe in a process with threads.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def end_with_parent(parent: int) -> None:
    """Asks the kernel for SIGTERM when the parent dies. Only Linux can: elsewhere a killed launcher leaves orphans."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it died before we asked
            sys.exit(f"leash: the parent {parent} is gone")


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    keep: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Starts a command on the leash, in a session of its own: a Ctrl-C in the terminal reaches only the launcher.

    To be called in the main thread: the kernel takes the thread that forked for the parent.
    """
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=tuple(keep),
    )


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
