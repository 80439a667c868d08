"""The claims of an answer: what stands before each mark, and whom it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from citeseek.citations.code_spans import Fence, fence_after
from citeseek.citations.marks import Link, LinkDefinition, items
from citeseek.citations.scanner import Scanner
from citeseek.locators import Locator
from citeseek.text import sentences
from citeseek.verification.tokens import is_bare_name, tokens, weight

MARK_SIGN = "\ue000"
"""Stands for a mark while Markdown is taken off."""

_GROUP = re.compile(rf"{MARK_SIGN}(?:[\s,，、;；]*{MARK_SIGN})*")
LATE = re.compile(
    rf"((?<![。！？.!?…])[。！？.!?…]+[”’」』）)\"']*)(\s*{MARK_SIGN}(?:\s*{MARK_SIGN})*)"
)
"""A full stop and the marks behind it, which belong to the sentence before it."""

_ASKS = re.compile(rf"[?？][{MARK_SIGN}\s*_]*\Z")
_MARKS = rf"(?P<{{name}}>{MARK_SIGN}(?:[\s,，、;；]*{MARK_SIGN})*)"
WRAPPED = re.compile(
    r"[(（]\s*+(?:(?:see|cf\.?|sources?:?|from|via|参?见|来源[:：]?)\s*+)?"
    rf"{_MARKS.format(name='round')}\s*[)）]|\^{_MARKS.format(name='raised')}\^",
    re.IGNORECASE,
)
"""Marks in brackets, ``([1])``, ``(see [1])``, or raised: ``^[1]^``."""

_BLOCK = re.compile(r"\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\|)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_RULE = re.compile(r"[\s:|-]*")
_MARKER = re.compile(r"\s*(?:>\s?)*\s*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+(?:\[[ xX]\]\s)?)?")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^)\s]{0,2000}(?:\s{1,9}\"[^\"]{0,500}\")?\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w))")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_JOINS = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef\ue000]")
_PUNCTUATED = re.compile(r" (?=[，。；：！？,.;:!?])")
_EDGES = " ,，;；、:：|-—"
_OWN_WEIGHT = 4
_SENTENCE_CHARS = 1_000


class Claim(msgspec.Struct, frozen=True):
    """A statement and the ``numbers`` that stand behind it.

    ``text`` is without Markdown and marks. ``sentence`` is all that its sentence says up to there
    (its last 1,000 characters), the same when it has one mark. ``places`` are the places of the
    numbers among all numbers that the answer cites, from 0. ``parts`` are those of documents that
    are named behind the numbers, by place. What only asks ``is_question`` and states nothing.
    """

    text: str
    numbers: tuple[int, ...]
    places: tuple[int, ...]
    sentence: str
    parts: Mapping[int, tuple[Locator, ...]] = {}
    is_question: bool = False


def claims(markdown: str) -> Iterator[Claim]:
    """Yield the claims of an answer, as the model wrote it or with its marks as links."""
    marked, marks = _mark(markdown)
    marked = WRAPPED.sub(_unwrap, marked)
    mark = place = 0
    lead = ""
    for block, is_item in _blocks(marked):
        if not is_item:
            lead = _lead(block)
        for sentence in sentences(LATE.sub(r"\2\1", _plain(block))):
            for text, until, count in _segments(sentence):
                own = [cited for group in marks[mark : mark + count] for cited in group]
                mark += count
                places = range(place, place + len(own))
                place += len(own)
                parts = {at: one.parts for at, one in zip(places, own, strict=True) if one.parts}
                if lead and is_item and _needs_lead(text):
                    text = until = f"{lead} {text}"  # noqa: PLW2901 - it says nothing alone
                if own:
                    numbers = tuple(cited.number for cited in own)
                    is_question = _ASKS.search(sentence) is not None
                    yield Claim(text, numbers, tuple(places), until, parts, is_question)


def _unwrap(wrapped: re.Match[str]) -> str:
    """Return the marks without the brackets or carets around them."""
    return wrapped["round"] or wrapped["raised"]


def _lead(block: str) -> str:
    """Return the sentence that a list below ``block`` goes on with, empty when there is none."""
    told = sentences(_bare(_plain(block)))
    is_lead = told and _plain(_GROUP.sub("", block)).rstrip().endswith((":", "："))
    return told[-1] if is_lead else ""


def _needs_lead(item: str) -> bool:
    read = tokens(item)
    return is_bare_name(read) or weight(read) < 2 * _OWN_WEIGHT


class CitedNumber(msgspec.Struct, frozen=True):
    """A number in a mark, and the parts of a document that are named behind it."""

    number: int
    parts: tuple[Locator, ...] = ()


class FoundMark(msgspec.Struct, frozen=True):
    """A mark from ``start`` to ``end``, also one that is a link already, and what it cites."""

    start: int
    end: int
    cited: tuple[CitedNumber, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that it names."""
        return tuple(one.number for one in self.cited)


def find_marks(markdown: str) -> Iterator[FoundMark]:
    """Yield the marks of ``markdown`` that name a number."""
    for event in Scanner().scan(markdown, final=True).events:
        if isinstance(event, LinkDefinition):
            continue
        text = event.text.lstrip("!")
        own = tuple(
            CitedNumber(number, item.locators) for item in items(text) for number in item.numbers
        )
        if own and not (isinstance(event, Link) and not event.target):
            yield FoundMark(event.start, event.end, own)


def _mark(markdown: str) -> tuple[str, list[tuple[CitedNumber, ...]]]:
    """Return ``markdown`` with one character for each mark, and what each cites."""
    markdown = markdown.replace(MARK_SIGN, "")
    pieces: list[str] = []
    cited: list[tuple[CitedNumber, ...]] = []
    at = 0
    for mark in find_marks(markdown):
        pieces += [markdown[at : mark.start], MARK_SIGN]
        cited.append(mark.cited)
        at = mark.end
    return "".join([*pieces, markdown[at:]]), cited


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what belongs together, and whether it is a list item: else a paragraph or the like."""
    block: list[str] = []
    fence: Fence | None = None
    for line in (*text.splitlines(), ""):
        before, fence = fence, fence_after(line, fence)
        if before != fence:
            line = ""  # noqa: PLW2901 - it ends what stood before
        starts_block = bool(_BLOCK.match(line.lstrip("> ")))
        if block and (fence or starts_block or not line.strip("> \t")):
            yield _join(block), _is_item(block)
            block = []
        if fence or not line.strip("> \t") or _is_rule(line):
            continue
        block.append(line)
    if block:
        yield _join(block), _is_item(block)


def _is_item(block: list[str]) -> bool:
    return _ITEM.match(block[0].lstrip("> ")) is not None


def _is_rule(line: str) -> bool:
    return "--" in line and _RULE.fullmatch(line) is not None


def _join(lines: list[str]) -> str:
    if lines[0].lstrip("> ").startswith("|"):
        return "，".join(_cells(lines[0]))
    text = _MARKER.sub("", lines[0], count=1)
    for line in lines[1:]:
        rest = line.lstrip("> \t")
        is_han = _JOINS.match(text[-1:]) or _JOINS.match(rest[:1])
        text = text.rstrip() + ("" if is_han else " ") + rest
    return text


def _cells(row: str) -> list[str]:
    """Return what the cells of ``row`` say, without a label in front that another one repeats."""
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("> \t|")) if cell.strip()]
    label, *rest = cells or [""]
    keys = _content(label)
    is_repeated = keys and any(keys < _content(cell) for cell in rest)
    return rest if is_repeated and MARK_SIGN not in label else cells


def _content(text: str) -> set[str]:
    return {token.key for token in tokens(text) if token.weight}


def _plain(block: str) -> str:
    text = _TAG.sub("", _LINK.sub(r"\1", block))
    return _ESCAPE.sub(r"\1", _EMPHASIS.sub("", text)).strip()


def _segments(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield for each group of marks its claim, the sentence up to there, and how many marks."""
    groups = list(_GROUP.finditer(sentence))
    said = _list_clauses(_GROUP.split(sentence))
    begin = 0
    for at, group in enumerate(groups):
        end, until = group.start(), said[at]
        text = _bare(sentence[begin:end])
        if weight(tokens(text)) < _OWN_WEIGHT or (len(groups) == 1 and not _says_much(text)):
            # "As [1] says, …" speaks of what follows.
            end = groups[at + 1].start() if at + 1 < len(groups) else len(sentence)
            until = said[at + 1]
            text = _bare(sentence[begin:end])
        begin = group.end()
        yield text, until, group[0].count(MARK_SIGN)


def _list_clauses(parts: Iterable[str]) -> list[str]:
    """Return what a sentence says up to the end of each of its ``parts``.

    With a mark behind each word all of a long sentence would be told each time: it is its end.
    """
    found: list[str] = []
    text = ""
    for part in parts:
        piece = _PUNCTUATED.sub("", " ".join(["", *part.split()]))
        text = (text + piece)[-_SENTENCE_CHARS:]
        found.append(text.strip(_EDGES))
    return found


def _says_much(text: str) -> bool:
    return weight(tokens(text)) >= 2 * _OWN_WEIGHT or any(token.is_value for token in tokens(text))


def _bare(text: str) -> str:
    without = " ".join(_GROUP.sub(" ", text).split())
    return _PUNCTUATED.sub("", without).strip(_EDGES)
