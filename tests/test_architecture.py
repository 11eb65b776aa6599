"""Who may import whom, as ast sees it. A line that is in the wrong room turns this red."""

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launch import ROOT

ONLY = {  # these rooms import from themselves, the standard library, and what stands here
    "engine": set[str](),
    "server.models": {"sqlalchemy"},
    "server.schemas": {"marshmallow", "flask_smorest", "engine", "server.kinds", "server.said"},
    "workers.transports": {"urllib3", "server.config", "server.refusals"},
}
NEVER = {
    "server": {"workers", "launch"},
    "server.services": {"flask", "flask_smorest", "celery", "marshmallow", "server.api", "server.schemas"},
    "server.api": {"sqlalchemy", "server.database", "server.models", "engine.apply"},
    "server.schemas": {"flask"},
    "server.database": {"flask"},
    "workers": {"flask", "server.api", "server.schemas", "launch"},
}
PHASES = [f"engine.{phase}" for phase in ("development", "feeding", "hunting", "extinction", "scoring", "flow")]
# These meet a person, a file or a clock:
AT_THE_EDGE = {f"engine.{module}" for module in ("__main__", "terminal", "scenarios", "bench")}
OUTSIDE = {"workers.transports", "launch"}  # their time is that of the world, not of a game
CLOCKS_AND_DICE = {"time", "datetime", "random", "secrets"}
IMPURE = CLOCKS_AND_DICE | {"logging", "os", "io", "pathlib", "socket", "threading", "asyncio", "subprocess"}
CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"}
LEFT_BEHIND = CACHES | {".git", ".venv", "var", "build"}


def modules() -> dict[str, ast.Module]:
    files = [file for room in ("engine", "server", "workers", "launch") for file in sorted((ROOT / room).rglob("*.py"))]
    return {_name(file): ast.parse(file.read_text(), str(file)) for file in files if "versions" not in file.parts}


def _name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(name: str, tree: ast.Module) -> Iterator[str]:
    """Everything imported, each name in full: `from engine import apply` is engine.apply."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively; write the name in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, *rooms: str) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


MODULES = modules()


def room(name: str) -> dict[str, ast.Module]:
    """The modules of a room; one that holds nothing would pass every test."""
    found = {module: tree for module, tree in MODULES.items() if within(module, name)}
    assert found, f"there is no {name}"
    return found


def imported(room: dict[str, ast.Module]) -> set[tuple[str, str]]:
    return {(name, what) for name, tree in room.items() for what in imports(name, tree)}


@pytest.mark.parametrize("name", ONLY)
def test_a_closed_room_imports_only_what_its_list_allows(name: str) -> None:
    assert not {one for one in imported(room(name)) if not within(one[1], name, *ONLY[name], *sys.stdlib_module_names)}


@pytest.mark.parametrize("name", NEVER)
def test_a_room_does_not_import_what_lies_behind_it(name: str) -> None:
    assert not {one for one in imported(room(name)) if within(one[1], *NEVER[name])}


def test_a_trait_never_knows_another_trait() -> None:
    cards = room("engine.traits").keys() - {"engine.traits", "engine.traits.base"}
    assert len(cards) > 1
    assert not {one for one in imported(room("engine.traits")) if one[0] in cards and within(one[1], *cards - {one[0]})}


def test_a_phase_never_names_a_trait() -> None:
    """Not its file, and not its constant in the vocabulary either: phases go through the rulebook and the hooks."""
    traits = {name.rpartition(".")[2].upper() for name in room("engine.traits")} - {"TRAITS", "BASE"}
    assert not {(phase, word) for phase in PHASES for word in _words(MODULES[phase]) if word in traits}


def _words(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.upper()


def test_the_engine_has_no_clock_no_files_no_dice_of_its_own() -> None:
    pure = {name: tree for name, tree in room("engine").items() if name not in AT_THE_EDGE}
    assert not {one for one in imported(pure) if within(one[1], *IMPURE)}
    assert not {
        (name, call) for name, tree in pure.items() for call in _calls(tree) if call in {"open", "print", "input"}
    }


def test_the_time_is_asked_in_services_only() -> None:
    asks = re.compile(r"(^|\.)(clock\.now|datetime\.now|datetime\.utcnow|time\.time)$")
    askers = {name for name, tree in MODULES.items() if any(map(asks.search, _calls(tree)))}
    assert not {name for name in askers if not within(name, "server.services", "server.clock", *OUTSIDE, *AT_THE_EDGE)}


def _calls(tree: ast.Module) -> Iterator[str]:
    return (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_no_file_names_the_machine_it_was_written_on() -> None:
    here = [re.escape(f"{path}/") for path in (ROOT, Path.home()) if len(path.parts) > 1]
    paths = re.compile("|".join([*here, r"(?<![\w.])/(?:root|Users|home)/\w"]))
    texts = {file: (ROOT / file).read_text(errors="replace") for file in _files()}
    assert Path("Makefile") in texts
    assert not {f"{file}: {found[0]}" for file, text in texts.items() if (found := paths.search(text))}


def _files() -> Iterator[Path]:
    """The files of the project, without what tools leave in it."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in LEFT_BEHIND]
        yield from (Path(folder, name).relative_to(ROOT) for name in files)
