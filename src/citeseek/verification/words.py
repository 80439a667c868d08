"""The words of ``words.toml``: what class each belongs to."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("words.toml")
_ENDINGS = (
    ("iest", "i"), ("ies", "i"), ("ied", "i"), ("sses", "ss"), ("ing", ""), ("ed", ""),
    ("ly", ""), ("es", ""), ("s", ""), ("e", ""), ("y", "i"),
)  # fmt: skip
# Shorter words keep their ending: "use", "add".
_SHORT = 3
# Without its ending it would be another word.
_WHOLE = frozenset({"one"})
_TABLES = ("negators", "harmless", "hedges", "refuters", "pronouns", "reporting", "empty")


def stem(word: str) -> str:
    """Return what the forms of an English word have in common."""
    word = word.casefold().removesuffix("'s").removesuffix("’s").replace("’", "'")
    word = _irregular().get(word, word)
    if word in _WHOLE:
        return word
    for ending, instead in _ENDINGS:
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= _SHORT and not (ending == "s" and kept[-1] in "su"):
            word = kept + instead
            break
    word = word.removesuffix("e")
    if len(word) > 2 * _SHORT - 1:
        # Colour and color, organise and organize, analyse and analyze.
        word = re.sub("our$", "or", re.sub("(?<=[iy])s$", "z", word))
    is_double = len(word) > _SHORT and word[-1] == word[-2] and word[-1] not in "sl"
    return word[:-1] if is_double else word


def is_past(word: str) -> bool:
    """Whether an English word is written like a verb in the past: opened, built."""
    plain = word.casefold()
    # Need, feed and exceed are no past.
    is_regular = plain.endswith("ed") and (not plain.endswith("eed") or plain.endswith("greed"))
    return is_regular or plain in _irregular()


@cache
def classes() -> dict[str, str]:
    """Return the class of each word that has synonyms or opposites, English ones by their stem."""
    found: dict[str, str] = {}

    def put(words: str, name: str) -> None:
        for word in words.split():
            found.setdefault(_key(word), name)

    for at, line in enumerate(_read()["opposite"].strip().splitlines()):
        for side, words in zip("+-", line.split("|"), strict=True):
            put(words, f"{side}{at}")
    for at, line in enumerate(_read()["one_of"].strip().splitlines()):
        for place, words in enumerate(line.split("/")):
            put(words, f"1of{at}.{place}")
    for word in _read()["places"].split():
        put(word, f"place {word}")
    for at, line in enumerate(_read()["same"].strip().splitlines()):
        put(line, f"={at}")
    return found


def class_of(word: str) -> str:
    """Return the class of ``word``, one of those that have one."""
    return classes()[_key(word)]


def opposite(name: str) -> str:
    """Return the class that turns the class ``name`` round, empty when there is none."""
    return {"+": "-", "-": "+"}[name[0]] + name[1:] if name[:1] in {"+", "-"} else ""


@cache
def phrases() -> tuple[str, ...]:
    """Return the Chinese words of all tables, the longest first."""
    own = {word for word in classes() if not word[0].isascii()}
    tables = [_read()[name] for name in _TABLES]
    for kind in (narrowing, rebuttal, shares, comparison):
        tables += kind().values()
    for written in tables:
        own.update(word for word in written.split() if not word[0].isascii())
    return tuple(sorted((word for word in own if len(word) > 1), key=len, reverse=True))


@cache
def table(name: str) -> frozenset[str]:
    """Return the keys of a table: hedges, pronouns, references, several, empty, reporting."""
    return frozenset(map(_key, _read()[name].split()))


@cache
def weakening() -> frozenset[str]:
    """Return the keys of what weakens a statement, or says that it is not so."""
    return table("hedges") | table("refuters")


@cache
def negators() -> frozenset[str]:
    """Return the negators as they are written: the stem of "note" is "not"."""
    return frozenset(_read()["negators"].split())


@cache
def bounds() -> dict[str, tuple[str, ...]]:
    """Return what makes a number a bound: the words for over, under, about and so on."""
    return {name: tuple(words.strip().splitlines()) for name, words in _read()["bounds"].items()}


def narrowing() -> dict[str, str]:
    """Return the words that say something of less, by what they say."""
    return _read()["narrowing"]  # type: ignore[no-any-return]


def shares() -> dict[str, str]:
    """Return the words that join a part and its whole."""
    return _read()["shares"]  # type: ignore[no-any-return]


def comparison() -> dict[str, str]:
    """Return the words that make a number a difference."""
    return _read()["comparison"]  # type: ignore[no-any-return]


def rebuttal() -> dict[str, str]:
    """Return the words that take a statement back, by what they say."""
    return _read()["rebuttal"]  # type: ignore[no-any-return]


@cache
def _irregular() -> dict[str, str]:
    return dict(pair.split(":") for pair in _read()["irregular"].split())


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def _key(word: str) -> str:
    return stem(word) if word[0].isascii() else word
