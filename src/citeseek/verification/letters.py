"""Letters that look alike, or are written in two ways, as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from unicodedata import category, combining, normalize

_FULL_WIDTH = {0xFF00 + at: 0x20 + at for at in range(1, 0x5F)} | {0x3000: 0x20, 0x00D7: 0x78}
for _kept in "，；：！？（）":
    del _FULL_WIDTH[ord(_kept)]
_SIMPLIFIED = Path(__file__).with_name("simplified.txt")
_LIGATURES = {"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae"}
_HYPHENS = "\u2010\u2011"
# What is not seen inside a word, and what belongs to the letter before it.
_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_CONTINUING = re.compile("[\u1160-\u11ff\uff9e\uff9f]")
_FOLDING = re.compile(
    "[\u00adœŒæÆ\u0300-\u036f\u1100-\u11ff\u200b-\u200d\u2010\u2011\u2060\u3099\u309a"
    "\uf900-\ufaff\ufb00-\ufb06\ufeff\uff66-\uff9f]"
)


def fold_letters(text: str) -> tuple[str, Sequence[int] | None]:
    """Return ``text`` with letters that look alike as one, and the place of each in ``text``.

    The places are None when they are the same.
    """
    if text.isascii():
        return text, None
    plain = text.translate(_alike())
    if not _FOLDING.search(plain):
        return plain, None
    folded: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(plain):
        end = at + 1
        while end < len(plain) and (combining(plain[end]) or _CONTINUING.match(plain[end])):
            end += 1
        letter = _fold(plain[at:end])
        folded.append(letter)
        places += [at] * len(letter)
        at = end
    return "".join(folded), [*places, len(plain)]


@cache
def _alike() -> dict[int, int | str]:
    """Return what is written for full-width signs, and for traditional characters."""
    lines = _SIMPLIFIED.read_text(encoding="utf-8").splitlines()
    pairs = [pair for line in lines if not line.startswith("#") for pair in line.split()]
    return {**_FULL_WIDTH, **{ord(pair[0]): pair[1] for pair in pairs}}


def _fold(letter: str) -> str:
    if letter in _UNSEEN:
        return ""
    if letter in _HYPHENS:
        return "-"
    if letter in _LIGATURES:
        return _LIGATURES[letter]
    # Signs stay as they are: m² is a unit, … no three full stops.
    return normalize("NFKC", letter) if category(letter[0]).startswith("L") else letter
