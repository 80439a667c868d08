"""Rules of style sheets that hide or show elements, and the screens that they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

# A string, or what ends a statement or opens or closes a block.
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|[{};]", re.DOTALL)
_SIMPLE_RULE = re.compile(r"([^{};\"'@]*)\{([^{}\"']*)\}")
_DECLARATION = re.compile(
    r"(?i)(?:^|;) ?(display|visibility) ?: ?([\w-]{1,40}(?: [\w-]{1,40}){0,3}) ?"
    r"(! ?important)? ?(?=;|$)"
)
_GROUPS = re.compile(r"(?i)@(?:layer|media|supports)\b")
_SPECIFIC = re.compile(r"#[\w-]|([.\[]|:(?!where|is|not|has))|((?:^|[\s>+~])[a-zA-Z])")
_CLASS_WEIGHT = 1_000
_PIXELS_OF_EM = 16


class Screen(NamedTuple):
    """What media queries are asked with, in pixels."""

    width: int
    height: int


SCREENS = (Screen(390, 844), Screen(1280, 800))
_LENGTH = re.compile(
    r"(?i)\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*"
    r"(\d{1,5}(?:\.\d{1,5})?|\.\d{1,5})\s*(px|r?em)?\s*\)"
)
_OTHER_FEATURES = re.compile(
    r"(?i)\(\s*(?:prefers-color-scheme\s*:\s*light|prefers-reduced-motion\s*:\s*no-preference"
    r"|color)\s*\)"
)

Property: TypeAlias = Literal["display", "visibility"]
# Whether it is important, how specific its selector is, and the number of its sheet and its own.
Weight: TypeAlias = tuple[bool, int, int, int]


class StyleRule(msgspec.Struct, frozen=True):
    """What one selector of a rule says of ``name`` on ``screens``.

    ``place`` is the number of its sheet and its own in that.
    """

    screens: frozenset[Screen]
    selector: str
    name: Property
    is_hiding: bool
    is_important: bool
    place: tuple[int, int]

    def weight(self) -> Weight:
        """Return what tells which of two rules has the last word."""
        return self.is_important, _specificity(self.selector), *self.place


def read_rules(sheets: list[tuple[str, frozenset[Screen]]]) -> Iterator[StyleRule]:
    """Yield what ``sheets``, each with the screens that it is for, say in their order.

    They are without comments. Rules that are nested in others are left out.
    """
    for number, (sheet, every) in enumerate(sheets):
        for order, (selectors, declarations, screens) in enumerate(_blocks(sheet, every)):
            for name, is_hiding, is_important in read_declarations(declarations):
                for selector in _parted(selectors):
                    place = (number, order)
                    yield StyleRule(screens, selector, name, is_hiding, is_important, place)


def _blocks(css: str, screens: frozenset[Screen]) -> Iterator[tuple[str, str, frozenset[Screen]]]:
    """Yield selectors and declarations of the rules in ``css``, and where they apply, in order."""
    at = 0
    # Of the groups that are open, on which screens each applies.
    groups = [screens]
    while True:
        if simple := _SIMPLE_RULE.match(css, at):
            if "display" in simple[2] or "visibility" in simple[2]:
                yield simple[1].strip(), simple[2], groups[-1]
            at = simple.end()
            continue
        sign = _next(css, "{;}", at)
        if sign is None:
            return
        head, at = css[at:sign].strip(), sign + 1
        if css[sign] == "}" and len(groups) > 1:
            groups.pop()
        if css[sign] != "{":
            continue
        if _GROUPS.match(head) and (left := groups[-1] & _group_screens(head)):
            groups.append(left)
            continue
        closing = _closing(css, at)
        if not head.startswith("@"):
            yield head, _declarations(css[at:closing]), groups[-1]
        at = closing + 1


def _next(css: str, signs: str, start: int) -> int | None:
    for token in _TOKEN.finditer(css, start):
        if token[0] in signs:
            return token.start()
    return None


def _closing(css: str, start: int) -> int:
    """Return where the block that began before ``start`` ends."""
    depth = 1
    for token in _TOKEN.finditer(css, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.start()
    return len(css)


def _declarations(block: str) -> str:
    """Return ``block`` without the rules that are nested in it."""
    if "{" not in block:
        return block
    kept, at = [], 0
    while (opening := _next(block, "{", at)) is not None:
        kept.append(block[at:opening].rpartition(";")[0])
        at = _closing(block, opening + 1) + 1
    return ";".join([*kept, block[at:]])


def _group_screens(head: str) -> frozenset[Screen]:
    """Return on which screens the rules of a group with ``head`` apply."""
    if head.lower().startswith("@media"):
        return screens_of(head[len("@media") :])
    is_negated = head.partition(" ")[2].lstrip().lower().startswith("not")
    return frozenset() if is_negated else frozenset(SCREENS)


def read_declarations(css: str) -> Iterator[tuple[Property, bool, bool]]:
    """Yield what declarations say of each property: whether it hides, and is important."""
    for name, value, important in _DECLARATION.findall(" ".join(css.split())):
        is_hiding = value.lower() in ("none", "hidden", "collapse")
        yield "display" if name.lower() == "display" else "visibility", is_hiding, bool(important)


@lru_cache(maxsize=256)
def screens_of(queries: str) -> frozenset[Screen]:
    """Return which screens are of ``queries``; one that is not understood matches none."""
    every = queries.lower().split(",") if queries.strip() else ["all"]
    return frozenset(
        screen for screen in SCREENS if any(_matches(query, screen) for query in every)
    )


def _matches(query: str, screen: Screen) -> bool:
    parts = [part.strip() for part in query.strip().removeprefix("only ").split(" and ")]
    is_negated = parts[0].startswith("not ")
    parts[0] = parts[0].removeprefix("not ").strip()
    if not all(part.isalpha() or part.startswith("(") for part in parts):
        return False
    return all(_is_true(part, screen) for part in parts) is not is_negated


def _is_true(part: str, screen: Screen) -> bool:
    if part.isalpha():
        return part in ("all", "screen")
    length = _LENGTH.fullmatch(part)
    if length is None:
        return _OTHER_FEATURES.fullmatch(part) is not None
    size = screen.width if length[2] == "width" else screen.height
    asked = float(length[3]) * (1 if length[4] in (None, "px") else _PIXELS_OF_EM)
    return size >= asked if length[1] == "min" else size <= asked


def _parted(selectors: str) -> list[str]:
    """Return the selectors of a list; commas within brackets part nothing."""
    if "(" not in selectors and "[" not in selectors:
        return [part for one in selectors.split(",") if (part := one.strip())]
    parts, depth, at = [], 0, 0
    for index, sign in enumerate(selectors):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append(selectors[at:index])
            at = index + 1
    return [part.strip() for part in [*parts, selectors[at:]] if part.strip()]


def _specificity(selector: str) -> int:
    """Return the ids, classes and elements of ``selector`` as one number, ids first."""
    asked = re.sub(r"\([^()]*\)", "", selector)
    return sum(
        _CLASS_WEIGHT if is_class else 1 if is_tag else _CLASS_WEIGHT**2
        for is_class, is_tag in _SPECIFIC.findall(asked)
    )
