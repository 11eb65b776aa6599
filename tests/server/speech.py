"""Everything that is said to people, as ast finds it: the templates of said(), and errors whose detail is something else."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

from launch import ROOT
from server import errors

FORM_ERRORS = {"ValidationError"}  # marshmallow's
VALIDATORS = {"Length", "Range", "OneOf", "Regexp", "Whole", "ContainsOnly", "NoneOf", "Equal"}
DOMAIN_ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type)} - {"Problem", "Any"}
ENGINE_ERRORS = {"IllegalMove", "BadNotation", "BadOption"}
ENGLISH_ONLY = ("engine/positions", "engine/expectations.py")  # positions and scenarios are for the command line
SAYING = {"said", "joined"}


def sources() -> dict[str, ast.Module]:
    files = [file for room in ("engine", "server", "workers") for file in sorted((ROOT / room).rglob("*.py"))]
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text("utf-8")) for file in files}


SOURCES = sources()


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in names)


def templates() -> Iterator[tuple[str, str]]:
    """Where, and what: the literal of every said()."""
    for file, tree in SOURCES.items():
        for call in _calls(tree, {"said"}) if file != "engine/saying.py" else ():
            literal = call.args[0]
            assert isinstance(literal, ast.Constant), f"{file}:{call.lineno}: the template of said() is a literal"
            yield f"{file}:{call.lineno}", literal.value


def made_of(call: ast.Call, template: str) -> bool:
    """Whether the values that the call gives are the names in the template."""
    return names_in(template) == {keyword.arg for keyword in call.keywords}


def ill_fitting() -> Iterator[str]:
    for file, tree in SOURCES.items():
        for call in _calls(tree, {"said"}) if file != "engine/saying.py" else ():
            if not any(keyword.arg is None for keyword in call.keywords) and not made_of(call, call.args[0].value):
                yield f"{file}:{call.lineno}"


def unsaid() -> Iterator[str]:
    """Errors made with a detail that is not said()."""
    speakers = {name for tree in SOURCES.values() for name in _speakers(tree)} | SAYING
    for file, tree in SOURCES.items():
        errors_here = ENGINE_ERRORS if file.startswith("engine/") else DOMAIN_ERRORS | FORM_ERRORS
        if file.startswith(ENGLISH_ONLY):
            continue
        for call in _calls(tree, errors_here):
            given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "detail")]
            if file.startswith("server/errors.py") or not given:
                continue
            if not any(_is_said(part, tree, speakers) for part in given):
                yield f"{file}:{call.lineno}"
        yield from _tongue_tied(file, tree, speakers)


def _tongue_tied(file: str, tree: ast.Module, speakers: set[str]) -> Iterator[str]:
    """Validators of marshmallow that would speak for themselves."""
    for call in _calls(tree, VALIDATORS) if file.startswith("server/schemas/") else ():
        words = [keyword.value for keyword in call.keywords if keyword.arg == "error"]
        if not any(_is_said(word, tree, speakers) for word in words):
            yield f"{file}:{call.lineno}"


def _speakers(tree: ast.Module) -> Iterator[str]:
    """Functions that return what was said()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns is not None and "Said" in ast.unparse(node.returns):
            yield node.name


def _is_said(part: ast.expr, tree: ast.Module, speakers: set[str]) -> bool:
    """said() itself; a name that is given one; the detail of an error of the engine."""
    if isinstance(part, ast.Starred):
        return _is_said(part.value, tree, speakers)
    if isinstance(part, ast.Call):
        return _name(part) in speakers
    if isinstance(part, ast.Dict | ast.List):
        parts = part.values if isinstance(part, ast.Dict) else part.elts
        return all(_is_said(below, tree, speakers) for below in parts)
    if isinstance(part, ast.IfExp):
        return _is_said(part.body, tree, speakers) and _is_said(part.orelse, tree, speakers)
    if isinstance(part, ast.Attribute):
        return part.attr in ("detail", "said", "error")
    if isinstance(part, ast.Subscript):
        part = part.value
    return isinstance(part, ast.Name) and part.id in _given_what_was_said(tree, speakers)


def _given_what_was_said(tree: ast.Module, speakers: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_speech(node.value, speakers):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.arg) and node.annotation is not None and "Said" in ast.unparse(node.annotation):
            found.add(node.arg)
    return found


def _is_speech(value: ast.expr, speakers: set[str]) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_speech(value.body, speakers) and _is_speech(value.orelse, speakers)
    if isinstance(value, ast.Dict):
        return all(_is_speech(part, speakers) for part in value.values)
    return isinstance(value, ast.Call) and _name(value) in speakers


def names_in(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def has_words(template: str) -> bool:
    """ "{where}: {what}" needs no translation."""
    return any(
        letter.isalpha() for text, _, shape, _ in string.Formatter().parse(template) for letter in text + (shape or "")
    )


def catalogues() -> list[Path]:
    return sorted((ROOT / "server/translations").glob("*/LC_MESSAGES/*.po"))
