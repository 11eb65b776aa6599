"""The new text of a mail in HTML: what the client quotes is left out, what the writer wrote stays."""

from __future__ import annotations

from html.parser import HTMLParser

from server.services.inbound.text import LONGEST_TEXT

BREAKS = frozenset(("br", "div", "p", "li", "tr", "h1", "h2", "h3", "h4", "hr", "table", "ul", "ol", "blockquote"))
SILENT = frozenset(("script", "style", "head", "title", "template"))
VOID = frozenset(
    ("br", "hr", "img", "meta", "link", "input", "base", "col", "area", "wbr", "source", "embed", "param", "track")
)
QUOTING = (  # parts of the classes and ids by which clients mark what they quote
    *("gmail_quote", "gmail_attr", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "zmail_extra"),
    *("divrplyfwdmsg", "appendonsend", "outlookmessageheader", "cite", "mailruexpand", "yahooquoted"),
)
DEEPEST = 500


class Writer(HTMLParser):
    """Text outside of quotations; `quoted` tells that there was text within."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.told: list[str] = []
        self.quoted = False
        self._open: list[tuple[str, bool, bool]] = []  # tag, quotes, silences
        self._quoting = self._silent = self._pages = self._length = 0
        self._ended = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)
        if _begins_the_rest(tag, attrs):
            self._ended = True
        if tag in VOID or len(self._open) >= DEEPEST:
            return
        quotes, silences = self._quotes(tag, attrs), tag in SILENT
        self._open.append((tag, quotes, silences))
        self._quoting += quotes
        self._silent += silences
        self._pages += tag == "html"

    def _quotes(self, tag: str, attrs: list[tuple[str, str | None]]) -> bool:
        """A page within a page, or after text that stands in none, is what was answered (Yahoo on iOS)."""
        if tag == "html":
            return self._pages > 0 or bool("".join(self.told).strip())
        return _is_marked(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag != "br":
            self._break(tag)
        if not any(name == tag for name, _, _ in self._open):
            return
        while True:
            name, quotes, silences = self._open.pop()
            self._quoting -= quotes
            self._silent -= silences
            self._pages -= name == "html"
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._quoting or self._ended:
            self.quoted |= bool(data.strip())
        else:
            self._say(" ".join(data.split("\n")))

    def _break(self, tag: str) -> None:
        """A block begins a line of its own, and makes no blank one between two."""
        if tag == "br" or (tag in BREAKS and self.told and self.told[-1] != "\n"):
            self._say("\n")

    def _say(self, text: str) -> None:
        if self._length < LONGEST_TEXT and not (self._silent or self._quoting or self._ended):
            self.told.append(text)
            self._length += len(text)


def _is_marked(tag: str, attrs: list[tuple[str, str | None]]) -> bool:
    told = {name: (value or "").lower() for name, value in attrs}
    if tag == "blockquote" and told.get("type") == "cite":
        return True
    names = f"{told.get('class', '')} {told.get('id', '')}".split()
    return any(mark in name for name in names for mark in QUOTING)


def _begins_the_rest(tag: str, attrs: list[tuple[str, str | None]]) -> bool:
    """Outlook puts its header block into a div with a line above it, and the quotation beside that, in nothing."""
    told = {name: (value or "").lower() for name, value in attrs}
    if told.get("id", "") in ("divrplyfwdmsg", "appendonsend", "reply-intro"):
        return True
    return tag == "div" and "border-top:solid" in told.get("style", "").replace(" ", "")


def written(html: str) -> tuple[str, bool]:
    """The new text, and whether there was a quotation."""
    writer = Writer()
    writer.feed(html[: 4 * LONGEST_TEXT])
    writer.close()
    return "".join(writer.told), writer.quoted
