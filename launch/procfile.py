"""Reads the Procfile: a name and a command of the shell on each line."""

from pathlib import Path


def read(path: Path) -> dict[str, list[str]]:
    """The processes by name, in the order of the file."""
    entries = (
        line.partition(":") for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")
    )
    return {name.strip(): ["/bin/sh", "-c", f"exec {command.strip()}"] for name, _, command in entries}
