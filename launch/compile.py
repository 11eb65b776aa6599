"""The compiled engine: the same files through mypyc, in a folder of their own that `PYTHONPATH` chooses.

The rules are compiled; what reads and writes text stays as it is, beside them. The folder is a complete package `engine`, and
remembers the sources that it was made of: one that is older than they are refuses to be imported.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from launch import ROOT
from launch.trouble import Trouble

SOURCES = ROOT / "engine"
COMPILED = ROOT / "build" / "compiled"

# What a random game runs through. What looks at input of any type stays interpreted: a compiled function insists on its own.
RULES = (
    *("vocabulary", "cards", "state", "moves", "questions", "flow", "development", "feeding", "hunting", "sharing"),
    "lookahead",
    *("tokens", "table", "extinction", "scoring", "chance", "events", "codec"),
    *(f"traits/{path.stem}" for path in sorted((SOURCES / "traits").glob("*.py"))),
    "rulebooks/book",
)

BUILD = """
from mypyc.build import mypycify
from setuptools import setup

setup(name="engine", packages=[], ext_modules=mypycify({options!r}, opt_level="3"))
"""

# Stands at the head of the compiled package: nobody shall test or play rules that he has changed since.
GUARD = '''"""Compiled from the sources of these digests; see launch/compile.py."""

from hashlib import sha256
from pathlib import Path

SOURCES = Path({sources!r})
DIGESTS: dict[str, str] = {digests}


def refuse_when_outdated() -> None:
    if not SOURCES.exists():
        return  # moved to another machine: then there is nothing to be older than
    now = {{str(path.relative_to(SOURCES)): sha256(path.read_bytes()).hexdigest() for path in SOURCES.rglob("*.py")}}
    changed = sorted(name for name in now.keys() | DIGESTS.keys() if now.get(name) != DIGESTS.get(name))
    if changed:
        raise ImportError(f"the compiled engine is older than its source {{changed[0]}}: run `make compile` again")


refuse_when_outdated()
'''


def compile_engine(folder: Path = COMPILED, sources: Path = SOURCES, modules: Sequence[str] = RULES) -> Path:
    """Build the engine into `folder` (what was there before goes); returns it. Raises Trouble where it can't be built."""
    if not shutil.which("cc") and not shutil.which("gcc"):
        raise Trouble("no C compiler was found; the engine works without being compiled, only slower")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sources, folder / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.md"))
    _build(folder, modules)
    _guard(folder / "engine", sources)
    return folder


def digests(package: Path) -> dict[str, str]:
    paths = sorted(package.rglob("*.py"))
    return {str(path.relative_to(package)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _build(folder: Path, names: Sequence[str]) -> None:
    modules = [f"engine/{name}.py" for name in names]
    (folder / "setup.py").write_text(BUILD.format(options=["--strict", *modules]), encoding="utf-8")
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"the engine could not be compiled:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    shutil.rmtree(folder / "build", ignore_errors=True)
    (folder / "setup.py").unlink()


def _guard(package: Path, sources: Path) -> None:
    guard = GUARD.format(sources=str(sources), digests=json.dumps(digests(sources), indent=4))
    (package / "_guard.py").write_text(guard, encoding="utf-8")
    front = package / "__init__.py"
    front.write_text("import engine._guard  # noqa: F401\n" + front.read_text(encoding="utf-8"), encoding="utf-8")
