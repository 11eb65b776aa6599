"""The new text of a mail in HTML: what the client quotes is left out, what the writer wrote stays."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from server.services.inbound.text import CUT, LONGEST_TEXT, clean

Attributes = list[tuple[str, str | None]]

BREAKS = frozenset((  # elements that stand on lines of their own, and parts of tables: what they hold is not glued together
    *("br", "hr", "html", "body", "div", "p", "pre", "listing", "xmp", "plaintext", "center", "address", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "ul", "ol", "li", "dir", "menu", "dl", "dt", "dd"),
    *("table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"),
    *("section", "article", "aside", "header", "footer", "main", "nav", "search", "figure", "figcaption", "details"),
    *("summary", "dialog", "form", "fieldset", "legend", "button", "select", "optgroup", "option", "textarea", "marquee"),
))  # fmt: skip
PREFORMATTED = frozenset(("pre", "listing", "xmp", "plaintext", "textarea"))
NO_TEXT = frozenset(("script", "style", "title", "template", "iframe", "noframes"))  # what is in there nobody wrote
IN_HEAD = frozenset(("script", "style", "title", "template", "meta", "link", "base", "noscript"))
VOID = frozenset(
    ("br", "hr", "img", "meta", "link", "input", "base", "col", "area", "wbr", "source", "embed", "param", "track")
)
MARKS = {"sup": "^", "sub": "_", "s": "~", "strike": "~", "del": "~"}  # what begins so is no number, and no command
QUOTATION = "\n>\n"  # stands for a whole one: as in plain text it ends the run of commands
QUOTING = (  # parts of the classes and ids by which clients mark what they quote
    *("gmail_quote", "gmail_attr", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "zmail_extra"),
    *("divrplyfwdmsg", "appendonsend", "outlookmessageheader", "cite", "mailruexpand", "yahooquoted"),
)
HIDING = re.compile(  # in a style without spaces
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|mso-hide:all"
    r"|(?:font-size|opacity|max-height):(?:0{1,9}(?:\.0{0,9})?|\.0{1,9})(?:[a-z]{2,4}|%)?)(?:!important)?(?:;|$)"
)
SPACES = str.maketrans("\r\n\f", "   ")
DEEPEST = 500
LONGEST_PAGE = 4 * LONGEST_TEXT


class Writer(HTMLParser):
    """Text outside of quotations; `unread` tells that there was text within, or text that is not shown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.told: list[str] = []
        self.unread = False
        self._names: list[str] = []  # of the open elements
        self._traits: list[tuple[bool, bool, bool]] = []  # of each: quotes, silences, keeps its line ends
        self._walls: list[int] = []  # which of them quote or silence
        self._quoting = self._silent = self._kept = self._length = 0
        self._spoke = self._ended = False

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """The slash of `<div/>` means nothing in HTML. Where there is no text it is believed, or all that follows were none."""
        self.handle_starttag(tag, attrs)
        if tag in NO_TEXT:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._ended:
            return
        if self._names[-1:] == ["head"] and tag not in IN_HEAD:
            self._close()
        self._break(tag)
        self._say(_mark(tag, attrs))
        if _begins_the_rest(tag, attrs) or len(self._names) >= DEEPEST:
            self._say(QUOTATION)
            self._ended = True
        elif tag not in VOID:
            self._open(tag, attrs)

    def _open(self, tag: str, attrs: Attributes) -> None:
        quotes, silences, keeps = self._quotes(tag, attrs), _silences(tag, attrs), _keeps_lines(tag, attrs)
        if quotes:
            self._say(QUOTATION)
        if quotes or silences:
            self._walls.append(len(self._names))
        self._names.append(tag)
        self._traits.append((quotes, silences, keeps))
        self._quoting += quotes
        self._silent += silences
        self._kept += keeps

    def _close(self) -> None:
        self._names.pop()
        quotes, silences, keeps = self._traits.pop()
        if quotes or silences:
            self._walls.pop()
        self._quoting -= quotes
        self._silent -= silences
        self._kept -= keeps

    def _quotes(self, tag: str, attrs: Attributes) -> bool:
        """A page within a page, or after text that stands in none, is what was answered (Yahoo on iOS)."""
        if tag == "html":
            return "html" in self._names or self._spoke
        return _is_marked(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """One that began before the innermost quotation, or before what is hidden, can't end it."""
        if tag != "br":
            self._break(tag)
        within = self._walls[-1] if self._walls else 0
        if self._ended or tag not in self._names[within:]:
            return
        while self._names[-1] != tag:
            self._close()
        self._close()

    def handle_data(self, data: str) -> None:
        if self._silent or self._quoting or self._ended:
            self.unread |= (self._ended or self._names[-1] not in NO_TEXT) and bool(data.strip())
            return
        self._spoke = self._spoke or bool(data.strip())
        self._say(data if self._kept else data.translate(SPACES))

    def _break(self, tag: str) -> None:
        """A block begins a line of its own, and makes no blank one between two."""
        if tag == "br" or (tag in BREAKS and self.told and not self.told[-1].endswith("\n")):
            self._say("\n")

    def _say(self, text: str) -> None:
        if text and self._length < LONGEST_TEXT and not (self._silent or self._quoting or self._ended):
            self.told.append(text)
            self._length += len(text)


def _told(attrs: Attributes) -> dict[str, str]:
    return {name: (value or "").lower() for name, value in attrs}


def _style(attrs: Attributes) -> str:
    return "".join(_told(attrs).get("style", "").split())


def _is_marked(tag: str, attrs: Attributes) -> bool:
    told = _told(attrs)
    if tag == "blockquote" and told.get("type") == "cite":
        return True
    names = f"{told.get('class', '')} {told.get('id', '')}".split()
    return any(mark in name for name in names for mark in QUOTING)


def _silences(tag: str, attrs: Attributes) -> bool:
    return tag in NO_TEXT or tag == "head" or "hidden" in _told(attrs) or bool(HIDING.search(_style(attrs)))


def _mark(tag: str, attrs: Attributes) -> str:
    return "~" if "line-through" in _style(attrs) else MARKS.get(tag, "")


def _keeps_lines(tag: str, attrs: Attributes) -> bool:
    return tag in PREFORMATTED or "white-space:pre" in _style(attrs)


def _begins_the_rest(tag: str, attrs: Attributes) -> bool:
    """Outlook puts its header block into a div with a line above it, and the quotation beside that, in nothing."""
    if _told(attrs).get("id", "") in ("divrplyfwdmsg", "appendonsend", "reply-intro"):
        return True
    return tag == "div" and "border-top:solid" in _style(attrs)


def written(html: str) -> tuple[str, bool]:
    """The new text, with a line that stands for each quotation; and whether there was text that is not in it."""
    writer = Writer()
    writer.feed(html if len(html) <= LONGEST_PAGE else html[:LONGEST_PAGE] + CUT)
    writer.close()
    said = clean("".join(writer.told))
    return (said if said.strip(" \n>") else ""), writer.unread
