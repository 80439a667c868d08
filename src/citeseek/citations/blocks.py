"""The block structure of Markdown, read line by line as CommonMark reads it.

A line's meaning follows from its beginning and from what stands open before it, so a line can be
placed as soon as enough of its beginning is there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from citeseek.citations.code_spans import Fence, fence
from citeseek.citations.lines import (
    Container,
    Context,
    Leaf,
    Line,
    ListItem,
    Mode,
    OpenQuote,
    RawHtml,
    Text,
    line_bounds,
)
from citeseek.citations.link_syntax import TAG

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|"
    "hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|"
    "search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)


def _ignoring_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# How an HTML block begins, and what the line that ends it holds; None is a blank line.
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        _ignoring_case(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)"),
        _ignoring_case(r"</(?:script|pre|style|textarea)>"),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (_ignoring_case(r"<![A-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (_ignoring_case(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z)"), None),
)


def html_block(rest: str, *, may_be_any_tag: bool) -> RawHtml | None:
    """Return the HTML block that a line begins whose content is ``rest``, None when there is none.

    ``may_be_any_tag`` says that a line with one whole tag of any name begins one too.
    """
    for start, end in _HTML:
        if start.match(rest):
            return RawHtml(end)
    tag = TAG.match(rest)
    whole = tag and (tag["open"] or tag["close"]) and not rest[tag.end() :].strip()
    return RawHtml(None) if whole and may_be_any_tag else None


_SPACES = re.compile(r"[ \t]*")
_TAB_STOP = 4
_CODE_INDENT = 4
# No answer nests deeper; without an end, every line of a hostile one would cost its whole depth.
_MAX_DEPTH = 50

_UNCERTAIN = re.compile(
    r"""(?: `{1,2} | `{3,}[^`]* | ~{1,2} | ~{3}.* | <(?:[A-Z/!?].*)? | \#{1,6}
      | [-_*=+|:][-_*=+|:\ \t]* | \d{1,9}(?:[.)][ \t]*)? | \\\[? [ \t]* | \$\$?[ \t]* )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_RULE = re.compile(r"([-_*])(?:[ \t]*\1){2,}[ \t]*\Z")
_MARKER = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
_DELIMITER_ROW = re.compile(r"(?=.*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_MATH = {"$$": "$$", "\\[": "\\]"}


def place(context: Context, text: str, start: int, *, final: bool) -> Line | None:
    """Return the line that begins at ``start``, None while its beginning is not clear."""
    return _Placing(context, text, start, final=final).place()


class _Placing:
    """One line being placed, with a cursor behind what has been read of its beginning."""

    def __init__(self, context: Context, text: str, start: int, *, final: bool) -> None:
        self._context = context
        self._text = text
        self._stop, following = line_bounds(text, start, final=final)
        self._complete = following is not None
        self._containers: list[Container] = []
        # The next character that is not a space, its column, and the column up to which
        # indentation has been used up by containers.
        self._at, self._column, self._used = start, 0, 0
        self._indent(start, 0)

    def place(self) -> Line | None:
        matched = self._match_containers()
        if self._blank:
            return self._blank_line() if self._complete else None
        leaf = self._context.leaf if matched else None
        if isinstance(leaf, Fence):
            return self._in_fence(leaf)
        if isinstance(leaf, RawHtml):
            return self._in_html(leaf)
        if leaf is Text.PARAGRAPH and self._context.math:
            return self._in_math()
        return self._start_blocks(leaf)

    @property
    def _blank(self) -> bool:
        return self._at == self._stop

    @property
    def _indentation(self) -> int:
        return self._column - self._used

    @property
    def _rest(self) -> str:
        return self._text[self._at : self._stop]

    def _indent(self, at: int, column: int) -> None:
        """Move the cursor past the spaces at ``at``, which stands in ``column``."""
        spaces = _SPACES.match(self._text, at, self._stop)
        for character in spaces[0] if spaces else "":
            column += 1 if character == " " else _TAB_STOP - column % _TAB_STOP
            at += 1
        self._at, self._column = at, column

    def _match_containers(self) -> bool:
        """Use up the prefixes of the open containers; whether all of them go on."""
        for container in self._context.containers:
            if isinstance(container, OpenQuote):
                if self._indentation >= _CODE_INDENT or not self._text.startswith(">", self._at):
                    return False
                self._open_quote()
            elif self._blank and not container.empty:
                self._containers.append(container)
            elif not self._blank and self._indentation >= container.width:
                self._containers.append(ListItem(container.width, empty=False))
                self._used += container.width
            else:
                return False
        return True

    def _open_quote(self) -> None:
        self._containers.append(OpenQuote())
        self._used = self._column + 1
        self._indent(self._at + 1, self._used)
        if self._column > self._used:
            self._used += 1

    def _line(self, mode: Mode, leaf: Leaf = None, *, content: int | None = None) -> Line:
        after = Context(tuple(self._containers), leaf)
        return Line(mode, self._at if content is None else content, after)

    def _blank_line(self) -> Line:
        leaf = self._context.leaf
        all_open = len(self._containers) == len(self._context.containers)
        stays = isinstance(leaf, Fence) or (isinstance(leaf, RawHtml) and leaf.end is not None)
        return self._line(Mode.VERBATIM, leaf if stays and all_open else None)

    def _in_fence(self, opened: Fence) -> Line | None:
        if self._indentation < _CODE_INDENT:
            if not self._complete and opened.may_be_closed_by(self._rest):
                return None
            if self._complete and opened.is_closed_by(self._rest):
                return self._line(Mode.VERBATIM)
        return self._line(Mode.VERBATIM, opened)

    def _in_html(self, html: RawHtml) -> Line | None:
        if html.end is None:
            return self._line(Mode.VERBATIM, html)
        return self._html_line(html) if self._complete else None

    def _html_line(self, html: RawHtml) -> Line:
        ended = html.end is not None and html.end.search(self._text, self._at, self._stop)
        return self._line(Mode.VERBATIM, None if ended else html)

    def _in_math(self) -> Line | None:
        rest = self._rest.rstrip()
        if not self._complete and self._context.math.startswith(rest):
            return None
        return self._continuation("" if rest == self._context.math else self._context.math)

    def _continuation(self, math: str = "") -> Line:
        unchanged = math == self._context.math
        after = self._context if unchanged else replace(self._context, math=math)
        return Line(Mode.CONTINUATION, self._at, after)

    def _start_blocks(self, leaf: Leaf) -> Line | None:
        """Open what begins in this line; ``leaf`` is what goes on if nothing does."""
        lazy = self._context.leaf is Text.PARAGRAPH
        while not self._blank:
            if self._indentation >= _CODE_INDENT:
                return self._continuation() if lazy else self._line(Mode.VERBATIM)
            if not self._complete and _UNCERTAIN.match(self._text, self._at, self._stop):
                return None
            if line := self._leaf_block(leaf, lazy=lazy):
                return line
            if len(self._containers) == _MAX_DEPTH:
                return self._text_line(leaf, lazy=lazy)
            if self._text[self._at] == ">":
                self._open_quote()
            elif not self._open_item(interrupts=leaf is Text.PARAGRAPH):
                return self._text_line(leaf, lazy=lazy)
            leaf, lazy = None, False
        return self._line(Mode.VERBATIM) if self._complete else None

    def _leaf_block(self, leaf: Leaf, *, lazy: bool) -> Line | None:
        rest, in_paragraph = self._rest, leaf is Text.PARAGRAPH
        if heading := _HEADING.match(rest):
            return self._line(Mode.HEADING, content=self._at + heading.end())
        if opened := fence(rest):
            return self._line(Mode.VERBATIM, opened)
        if rest[0] == "<":
            html = html_block(rest, may_be_any_tag=not lazy)
            return self._html_line(html) if html else None
        if in_paragraph and _UNDERLINE.match(rest):
            return self._line(Mode.VERBATIM)
        if _RULE.match(rest):
            return self._line(Mode.VERBATIM)
        return None

    def _open_item(self, *, interrupts: bool) -> bool:
        marker = _MARKER.match(self._text, self._at, self._stop)
        if not marker:
            return False
        width = len(marker[0])
        empty = not self._text[marker.end() : self._stop].strip(" \t")
        if interrupts and (empty or int(marker[1] or 1) != 1):
            return False
        start, column = self._used, self._column + width
        self._indent(marker.end(), column)
        padding = self._column - column
        self._used = column + (1 if empty or padding > _CODE_INDENT else padding)
        self._containers.append(ListItem(self._used - start, empty=empty))
        return True

    def _text_line(self, leaf: Leaf, *, lazy: bool) -> Line:
        if leaf is Text.TABLE:
            return self._line(Mode.ROW, leaf)
        rest = self._rest.rstrip()
        math = _MATH.get(rest, "") if self._complete else ""
        if not lazy:
            line = self._line(Mode.PARAGRAPH, Text.PARAGRAPH)
            return replace(line, after=replace(line.after, math=math))
        if leaf is Text.PARAGRAPH and _DELIMITER_ROW.match(rest):
            return self._line(Mode.VERBATIM, Text.TABLE)
        return self._continuation(math)
