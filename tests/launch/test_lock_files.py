"""The lock files: what a fresh machine installs is complete, pinned, and bound to no host."""

import re
import tomllib
from importlib.metadata import version

import pytest
from packaging.requirements import Requirement

from launch import ROOT

PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUNTIME = PROJECT["project"]["dependencies"]
TEST = PROJECT["dependency-groups"]["test"]
BENCH = PROJECT["dependency-groups"]["bench"]
FILES = ["requirements.lock", "requirements-dev.lock", "requirements-bench.lock"]


def pins(file: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / file).read_text()))


@pytest.mark.parametrize(
    ("file", "wanted"), list(zip(FILES, [RUNTIME, RUNTIME + TEST, RUNTIME + TEST + BENCH], strict=True))
)
def test_a_lock_file_pins_what_the_project_asks_for(file: str, wanted: list[str]) -> None:
    """Red when a dependency was added or raised and `make lock` was forgotten."""
    pinned = pins(file)
    missing = [ask for ask in map(Requirement, wanted) if not ask.specifier.contains(pinned.get(ask.name.lower(), "0"))]
    assert not missing


def test_all_files_pin_the_same_versions() -> None:
    runtime, test, bench = (pins(file).items() for file in FILES)
    assert runtime <= test <= bench


@pytest.mark.parametrize("file", FILES)
def test_every_package_has_a_hash_and_none_names_where_it_came_from(file: str) -> None:
    text = (ROOT / file).read_text()
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if PIN.match(entry)]
    assert entries and all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links|@", text)


def test_the_tests_run_on_what_is_pinned() -> None:
    assert {name: version(name) for name in ("flask", "celery", "sqlalchemy", "pytest")}.items() <= pins(
        "requirements-dev.lock"
    ).items()
