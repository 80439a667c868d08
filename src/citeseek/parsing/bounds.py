"""What a page may not be, since a parser would need minutes or gigabytes for it.

The rules of HTML make some short texts large trees: marks that are never closed are opened again
in every paragraph, elements are looked up among all open ones, an attribute is compared with all
before it. The tags are counted first, in one pass over the bytes.
"""

from __future__ import annotations

import re
from collections import Counter

from citeseek.errors import WebParseError

MAX_DEPTH = 256
MAX_ATTRIBUTES = 1_000
MAX_TAGS = 1_500_000
# Tags times what is open while they are read.
MAX_WORK = 40_000_000
CROSSING = 500

_ATTRIBUTES = rb"(?:[^>\"'=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?+|[\"'])*+"
# Patterns are compiled where they are used: few pages are looked at.
# Every alternative takes what it has seen, so that no byte is read twice. What a script and its
# like hold belongs to their tag.
_TAG = (
    rb"<!--(?:[^-]++|-(?!->))*+(?:-->)?"
    rb"|<(?i:(script|style|textarea|title|xmp|iframe|noembed))(?![^\s/>])(" + _ATTRIBUTES + rb")>?"
    rb"(?i:[^<]++|<(?!/\1))*+"
    rb"|<(/?)([a-zA-Z][^\s/>]*+)(" + _ATTRIBUTES + rb")>?"
)
_ATTRIBUTE = rb"[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?+"
# Closed by what follows them, or never open.
_FLAT = frozenset(
    b"p li dd dt option optgroup tr td th tbody thead tfoot colgroup rp rt html head body"
    b" area base br col embed hr img input link meta param source track wbr".split()
)
_LONG = 2_000


def check(body: bytes, *, max_work: int = MAX_WORK) -> None:  # noqa: C901 - one pass, one loop
    """Raise WebParseError (``too_deep``, ``too_complex``) for UTF-8 that is not to be parsed."""
    open_tags: list[bytes] = []
    names: Counter[bytes] = Counter()
    tags = options = work = 0
    for found in re.finditer(_TAG, body):
        raw, raw_attributes, closing, name, attributes = found.groups(b"")
        if not name and not raw:
            continue
        tags += 1
        work += len(open_tags) + options + 1
        if tags > MAX_TAGS or work > max_work:
            raise _bound_error("too_complex")
        listed = attributes or raw_attributes
        if len(listed) > _LONG and len(re.findall(_ATTRIBUTE, listed)) > MAX_ATTRIBUTES:
            raise _bound_error("too_complex")
        name = name.lower()
        if closing:
            while names[name]:
                closed = open_tags.pop()
                names[closed] -= 1
                if closed == name:
                    break
                # What crosses another element is opened again, by some parsers in each paragraph.
                work += CROSSING
        elif name in _FLAT:
            # Parsers walk through the options of a list at each new one.
            options += name == b"option"
        elif name:
            open_tags.append(name)
            names[name] += 1
            if len(open_tags) > MAX_DEPTH:
                raise _bound_error("too_deep")


def _bound_error(detail_code: str) -> WebParseError:
    shape = "too deeply nested" if detail_code == "too_deep" else "too complex"
    return WebParseError(
        f"The page is {shape} to be read.", detail_code=detail_code, values={"case": "shape"}
    )
