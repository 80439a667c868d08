"""The words of questions and answers: properties, what a noun asks for, and the kinds of things."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from citeseek.verification import words

_FOLDER = Path(__file__).parent
# The kinds of answers beside the names of categories.
DATE, NUMBER, NAME, PLACE, ANY = "date", "number", "name", "place", "any"


class Category:
    """A kind of things that a question can ask for, such as sports: the names of each of them."""

    def __init__(self, name: str, values: str) -> None:
        self.name = name
        self._keys = {
            written: alike.split("=")[0]
            for alike in re.split(r"[;\n]+", values)
            for written in alike.split("=")
            if written
        }
        longest = sorted(self._keys, key=len, reverse=True)
        self._pattern = re.compile(
            "|".join(
                rf"(?<![\w-]){re.escape(one)}s?(?![\w-]|\s+(?:street|road|avenue)\b)"
                if one.isascii()
                else re.escape(one)
                for one in longest
            ),
            re.IGNORECASE,
        )

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Return where in ``text`` things of this kind are named, each with its key."""
        return [
            (found.start(), found.end(), self._key(found[0]))
            for found in self._pattern.finditer(text)
        ]

    def _key(self, written: str) -> str:
        plain = written.casefold()
        return self._keys.get(plain) or self._keys.get(plain.removesuffix("s")) or plain


@cache
def categories() -> dict[str, Category]:
    """Return the kinds of things by their names."""
    return {name: Category(name, told["values"]) for name, told in _read("categories").items()}


@cache
def category_of(noun: str) -> str:
    """Return the name of the kind of things that ``noun`` asks for, empty for none."""
    for name, told in _read("categories").items():
        if noun.casefold() in told["ask"].split():
            return str(name)
    return ""


@cache
def kinds() -> dict[str, str]:
    """Return what the nouns of questions ask for: date, number, name or place."""
    return {
        noun: kind for kind, nouns in _read("properties")["kind"].items() for noun in nouns.split()
    }


@cache
def properties() -> dict[str, frozenset[str]]:
    """Return the words of each property: English stems, words joined by a space, Chinese words."""
    return {
        name: frozenset(map(key, told.split()))
        for name, told in _read("properties")["property"].items()
    }


@cache
def units() -> dict[str, frozenset[str]]:
    """Return what a number measures that answers for a property, of those where that is known."""
    return {name: frozenset(told.split()) for name, told in _read("properties")["unit"].items()}


@cache
def degrees() -> dict[str, frozenset[str]]:
    """Return the words of the properties that "how long", 多长 ask for, by their adjectives."""
    return {
        adjective: frozenset().union(*(properties()[name] for name in told.split()))
        for adjective, told in _read("properties")["degree"].items()
    }


@cache
def empty() -> frozenset[str]:
    """Return the words of a question that say nothing of what it asks for."""
    told = _read("properties")["word"]
    return frozenset(map(key, (*told["empty"].split(), *told["han_empty"].split())))


@cache
def names(table: str) -> frozenset[str]:
    """Return a table of ``names.toml``: its words in small letters, of surnames each sign."""
    told = _read("names")[table]
    return frozenset("".join(told.split()) if table == "surnames" else told.casefold().split())


@cache
def key(word: str) -> str:
    """Return how ``word`` is compared: an English one by its stem."""
    if not word[0].isascii():
        return word
    return " ".join(words.stem(part) for part in word.replace("_", " ").split())


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def stands_in(word: str, told: frozenset[str]) -> bool:
    """Whether ``word`` is one of ``told``; a Chinese one may have one of them in it."""
    if word.isascii():
        return word in told
    return any(one in word for one in told if not one.isascii() and len(one) > 1)
