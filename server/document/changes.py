"""What breaks a client of an earlier document: openapi/README.md, in code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from server.document.narrowing import Comparison, followed

VERBS = ("get", "post", "put", "patch", "delete")

Document = dict[str, Any]


def breaking(old: Document, new: Document) -> list[str]:
    """A sentence for each change that may break a client; none for what only grows."""
    comparison = Comparison(old, new)
    broken = [
        *_paths(comparison, old["paths"], new["paths"]),
        *_webhooks(comparison, old.get("webhooks", {}), new.get("webhooks", {})),
        *_named(old, new, "schemas", "schema"),  # a class in generated clients
        *_named(old, new, "securitySchemes", "security scheme"),
        *_named(old, new, "examples", "problem code"),  # the closed list
    ]
    return list(dict.fromkeys(broken))


def _named(old: Document, new: Document, section: str, called: str) -> Iterator[str]:
    gone = old.get("components", {}).get(section, {}).keys() - new.get("components", {}).get(section, {}).keys()
    yield from (f"{called} {name} is gone" for name in sorted(gone))


def _paths(comparison: Comparison, old: Document, new: Document) -> Iterator[str]:
    for path, was in old.items():
        for verb in (verb for verb in VERBS if verb in was):
            where, now = f"{verb.upper()} {path}", new.get(path, {})
            if verb in now:
                yield from _operation(comparison, was, now, verb, where)
            else:
                yield f"{where} is gone"


def _operation(comparison: Comparison, old_path: Document, new_path: Document, verb: str, where: str) -> Iterator[str]:
    old, new = old_path[verb], new_path[verb]
    if old["operationId"] != new["operationId"]:
        yield f"{where}: operationId was {old['operationId']}, is {new['operationId']}"
    yield from _parameters(comparison, _parameters_of(comparison.old, old_path, old), _parameters_of(comparison.new, new_path, new), where)  # fmt: skip
    yield from _body(comparison, old.get("requestBody"), new.get("requestBody"), where)
    yield from _responses(comparison, old["responses"], new["responses"], where)
    yield from _security(old.get("security", []), new.get("security", []), where)


# What is asked


def _parameters_of(document: Document, path: Document, operation: Document) -> dict[str, Document]:
    """By place and name; names of headers have no case."""
    every = [followed(document, one) for one in (*path.get("parameters", []), *operation.get("parameters", []))]
    return {f"{one['in']} {one['name'].lower() if one['in'] == 'header' else one['name']}": one for one in every}


def _parameters(comparison: Comparison, old: Document, new: Document, where: str) -> Iterator[str]:
    for name, was in old.items():
        if name not in new:
            yield f"{where}: parameter {name} is gone"
            continue
        if new[name].get("required") and not was.get("required"):
            yield f"{where}: parameter {name} is required now"
        for form in ("style", "explode"):
            if was.get(form) != new[name].get(form):
                yield f"{where}: parameter {name}: {form} was {was.get(form)}, is {new[name].get(form)}"
        yield from comparison.requests(was.get("schema", {}), new[name].get("schema", {}), f"{where}: parameter {name}")
    for name in new.keys() - old.keys():
        if new[name].get("required"):
            yield f"{where}: parameter {name} is new and required"


def _body(comparison: Comparison, old: Document | None, new: Document | None, where: str) -> Iterator[str]:
    if new is None:
        if old is not None:
            yield f"{where}: the body is gone"
        return
    if new.get("required") and not (old or {}).get("required"):
        yield f"{where}: the body is required now"
    for media_type, was in (old or {}).get("content", {}).items():
        if media_type in new["content"]:
            now = new["content"][media_type]
            yield from comparison.requests(was.get("schema", {}), now.get("schema", {}), f"{where}: body")
        else:
            yield f"{where}: the body is not taken as {media_type} any more"


def _security(old: list[Document], new: list[Document], where: str) -> Iterator[str]:
    """Each way in must still be one. An empty list asks for nothing, as an empty requirement does."""
    for way in old or [{}]:
        if not any(_opens(way, requirement) for requirement in new or [{}]):
            yield f"{where}: {_shown(way)} is not enough any more"


def _opens(way: Document, requirement: Document) -> bool:
    return all(scheme in way and set(scopes) <= set(way[scheme]) for scheme, scopes in requirement.items())


def _shown(way: Document) -> str:
    return " and ".join(f"{scheme} ({', '.join(scopes)})" for scheme, scopes in way.items()) or "no token"


# What is answered


def _responses(comparison: Comparison, old: Document, new: Document, where: str) -> Iterator[str]:
    for status, response in old.items():
        if status not in new:
            yield f"{where}: status {status} is gone"
            continue
        was, now = followed(comparison.old, response), followed(comparison.new, new[status])
        yield from _lost(was.get("headers", {}), now.get("headers", {}), f"{where}: {status}: header")
        yield from _lost(was.get("content", {}), now.get("content", {}), f"{where}: {status}: media type")
        for media_type in was.get("content", {}).keys() & now.get("content", {}).keys():
            one, other = (content["content"][media_type].get("schema", {}) for content in (was, now))
            yield from comparison.answers(one, other, f"{where}: {status}")


def _lost(old: Iterable[str], new: Iterable[str], what: str) -> Iterator[str]:
    yield from (f"{what} {name} is gone" for name in old if name not in new)


def _webhooks(comparison: Comparison, old: Document, new: Document) -> Iterator[str]:
    """The other way round: what we send is what a receiver reads, what he answers is what we accept."""
    for kind, was in old.items():
        if kind not in new:
            yield f"webhook {kind} is gone"
            continue
        ours, now, where = was["post"], new[kind]["post"], f"webhook {kind}"
        headers = (_parameters_of(comparison.old, was, ours), _parameters_of(comparison.new, new[kind], now))
        yield from _lost(*headers, f"{where}:")
        yield from _lost(ours["responses"], now["responses"], f"{where}: answer")
        was_sent, is_sent = (one["requestBody"]["content"]["application/json"]["schema"] for one in (ours, now))
        yield from comparison.answers(was_sent, is_sent, f"{where}: body")
        for status in ours["responses"].keys() & now["responses"].keys():
            was_read, is_read = (_content(one["responses"][status]) for one in (ours, now))
            if was_read:
                yield from comparison.requests(was_read, is_read, f"{where}: answer {status}")


def _content(response: Document) -> Document:
    schema: Document = response.get("content", {}).get("application/json", {}).get("schema", {})
    return schema
