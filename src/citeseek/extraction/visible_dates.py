"""The dates that a reader sees on a page, and what they are told to be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.date_labels import (
    Meaning,
    is_told,
    leads_to_date,
    meaning_of,
    without_labels,
)
from citeseek.extraction.dateline import Dateline
from citeseek.extraction.markup import UNSHOWN, block_of
from citeseek.extraction.stated_dates import Kind, iso
from citeseek.extraction.surroundings import Surroundings
from citeseek.parsing.iso_dates import fold, parse_date
from citeseek.text import plain_line

_NOT = re.compile(r"(?i)©|\(c\)|copyright|all rights|版权|版權|著作権|저작권|حقوق")
_NAMED = re.compile(
    r"(?i)date(?!picker)|(?<![a-z])time(?!line)|publi|posted|-meta|meta-|(?<![a-z])meta(?![a-z])"
    r"|byline|(?<![a-z])info|source|datum|fecha|data-|author|submitted|stamp|pubtime|when|details"
)
# What a line in the footer is of that says when "this page was last edited".
_OF_PAGE = re.compile(
    r"(?i)\bthis (?:page|article|document)|diese seite|dieser artikel|cette page|cet article"
    r"|(?:esta|questa) p[áa]gina|deze pagina|эт(?:а|у) страниц|tę stronę|ta strona|bu sayfa"
    r"|denna sida|trang này|本页|本頁|此页|此頁|このページ|この記事|이 문서|이 페이지"
    r"|هذه الصفحة|این صفحه|דף זה"
)
# What may hold a year, or an age.
_YEAR = re.compile(
    r"(?<!\d)(?:\d{4}|(?:19|20)\d{6})(?!\d)|\d\d\.\d\d\.\d\d|[〇零]|令和|平成|民[國国]|ago\b|前"
)
_DIGIT = re.compile(r"\d")
_LONGEST = 300
_LABEL = 40
# Prose goes on after its date.
_REST = 90
# So many letters before and after its title the lines of a page tell of the page.
_BEFORE = 400
_AFTER = 800
_UP = 3
_MOST = 400
# The year is looked for first: few texts hold one, and most hold numbers.
_SLASHED_YEAR = re.compile(r"[/-](?:19|20)\d\d(?!\d)")
_SLASHED = re.compile(r"(?<![\d/-])(\d{1,2})[/-](\d{1,2})\Z")
_SLASHED_LENGTH = 5
_MONTHS = 12
_MONTH_FIRST = frozenset("en-us en-ph fil".split())
_DAY_FIRST = frozenset("uk au nz ie in za sg my hk ng ke".split())
_AMERICAN = frozenset("us gov mil edu".split())


class SeenDate(msgspec.Struct, frozen=True):
    """A ``day`` on a page and what it is of.

    ``rank`` tells how sure it is that it is the page's, 0 is best; ``is_told`` that words or names
    beside it say its kind; ``is_markup`` that it was read from an attribute.
    """

    day: str
    kind: Kind
    rank: int
    is_told: bool
    is_markup: bool = False


def order_of_days(document: LexborHTMLParser, url: str) -> bool | None:
    """Return whether 3/4/2026 is in April on this page, None where nothing tells.

    The language and the country tell, or another date on the page.
    """
    root = document.css_first("html")
    tag = (root.attributes.get("lang") or "" if root is not None else "").lower().replace("_", "-")
    ending = (urlsplit(url).hostname or "").rpartition(".")[2]
    if tag in _MONTH_FIRST or (tag == "en" and ending in _AMERICAN):
        return False
    if ending in _DAY_FIRST or (tag and tag != "en"):
        return True
    text = document.body.text(separator=" ") if document.body is not None else ""
    for year in _SLASHED_YEAR.finditer(text):
        if found := _SLASHED.search(text, max(0, year.start() - _SLASHED_LENGTH), year.start()):
            first, second = map(int, found.groups())
            if (first > _MONTHS) != (second > _MONTHS):
                return first > _MONTHS
    return None


def visible_dates(
    document: LexborHTMLParser,
    heading: LexborNode | None,
    around: Surroundings,
    *,
    now: datetime | None,
    day_first: bool | None,
) -> list[SeenDate]:
    """Return the dates on a page that may be its own, in their order.

    ``heading`` is the element of its title, ``now`` the time that ages are counted from.
    """
    seen: list[SeenDate] = []
    for node, distance in _places(document, heading):
        is_near = distance is not None and -_BEFORE <= distance <= _AFTER
        names = _names(node)
        if (
            is_near
            or _NAMED.search(names)
            or node.tag == "time"
            or is_told((_line(node) + _headed(node)).casefold())
        ):
            found = _dates_at(node, names, is_near=is_near, now=now, day_first=day_first)
            seen.extend(
                one
                for one in found
                if not around.is_of_others(node)
                or (one.kind == "updated" and one.is_told and _OF_PAGE.search(_line(node)))
            )
    return seen


def _places(
    document: LexborHTMLParser, heading: LexborNode | None
) -> Iterator[tuple[LexborNode, int | None]]:
    """Yield where dates may stand, and how many letters after the title that is."""
    found: list[tuple[LexborNode, int]] = []
    said, title = 0, None
    at = heading.mem_id if heading is not None else None
    body = document.body
    for node in body.traverse(include_text=True) if body is not None else ():
        if node.is_text_node:
            text = (node.text_content or "").strip()
            if not text or node.parent is None or node.parent.tag in UNSHOWN:
                continue
            if _may_hold_date(text):
                found.append((node, said))
            said += len(text)
        else:
            if title is None and node.mem_id == at:
                title = said
            if node.tag == "time" and node.attributes.get("datetime"):
                found.append((node, said))
        if len(found) > _MOST:
            break
    yield from ((node, None if title is None else at - title) for node, at in found)


def _may_hold_date(text: str) -> bool:
    is_likely = not text.isascii() or "ago" in text or _DIGIT.search(text) is not None
    return is_likely and _YEAR.search(text) is not None


def _dates_at(
    node: LexborNode, names: str, *, is_near: bool, now: datetime | None, day_first: bool | None
) -> Iterator[SeenDate]:
    line = _line(node)
    if _NOT.search(line):
        return
    whole = Dateline(line, day_first=day_first)
    head = f"{heading}: " if (heading := _headed(node)) else ""
    if not node.is_text_node:
        if day := iso(node.attributes.get("datetime") or "", day_first=day_first):
            own = fold(node.text(separator=" "))
            start = max(whole.text.find(own), 0) if own else len(whole.text)
            told = _meaning(whole, start, start + len(own), head, names)
            if told != "other":
                rank = 1 + (not is_near)
                yield SeenDate(day, told or "published", rank, bool(told), is_markup=True)
        return
    is_named = bool(_NAMED.search(names))
    part = Dateline(node.text_content or "", day_first=day_first)
    days = list(_in_text(part, whole, head, names, is_named=is_named))
    if not days and now and is_near and (age := parse_date(without_labels(part.text), now)):
        days = [(age, meaning_of(head + part.text, "", names))]
    for day, told in days:
        if told == "other" or (head and not told):
            continue
        rank = (0 if told else 2 if is_named else 3) if is_near else (4 if told else 5)
        if is_near or told or is_named:
            yield SeenDate(day, told or "published", rank, bool(told))


def _in_text(
    part: Dateline, whole: Dateline, head: str, names: str, *, is_named: bool
) -> Iterator[tuple[str, Meaning | None]]:
    """Yield the days in ``part`` of the line ``whole``, else those of the line itself."""
    stated, offset = _statements(part, is_named=is_named), whole.text.find(part.text)
    if not stated and len(whole.text) <= _LONGEST:
        # Its parts may be elements of their own.
        stated, offset = _statements(whole, is_named=is_named), 0
    elif offset < 0:
        whole, offset = part, 0
    for day, start, end in stated:
        told = _meaning(whole, offset + start, offset + end, head, names)
        if told or not whole.text[offset + start : offset + end].isdigit():
            yield day, told


def _meaning(line: Dateline, start: int, end: int, head: str, names: str) -> Meaning | None:
    """Return what the words of ``line`` say of the date from ``start`` to ``end``."""
    if line.is_of_range(start, end):
        return "other"
    before, behind = line.beside(start, end)
    return meaning_of(head + before, behind, names)


def _statements(line: Dateline, *, is_named: bool) -> list[tuple[str, int, int]]:
    """Return the days in ``line`` that are statements of their own, and where they stand."""
    return [
        (one.day, *span)
        for one, span in zip(line.dates, line.spans, strict=True)
        if len(one.after) <= _REST and leads_to_date(one.before, is_named=is_named)
    ]


def _line(node: LexborNode) -> str:
    """Return the line that ``node`` is part of."""
    own = node if not node.is_text_node else node.parent
    block = block_of(node)
    text = plain_line(block.text(separator=" ")) if block is not None else ""
    if len(text) > _LONGEST and own is not None:
        text = plain_line((own if own is not block else node).text(separator=" "))
    return text[:_LONGEST]


def _headed(node: LexborNode) -> str:
    """Return what heads the block that ``node`` is in: a cell, a term, a line with a colon."""
    block = block_of(node)
    before = block.prev if block is not None else None
    while before is not None and before.is_text_node:
        before = before.prev
    if block is None or before is None:
        return ""
    head = plain_line(before.text(separator=" "))[:_LONGEST].casefold()
    is_head = block.tag in ("dd", "td") or (len(head) <= _LABEL and head.endswith((":", "：")))
    return head if is_head else ""


def _names(node: LexborNode) -> str:
    names = []
    one = node if not node.is_text_node else node.parent
    for _ in range(_UP):
        if one is None or one.tag in ("body", "html"):
            break
        names += [one.attributes.get("class") or "", one.attributes.get("id") or ""]
        one = one.parent
    return " ".join(names)
