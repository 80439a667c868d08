"""The name that was meant by one that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

# The line of a repair that says what was meant.
NAME_MEANT = ("# ${name_meant}",)
# How alike two names are, from 0 to 1, of which one may have been meant.
ALIKE = 0.6
# Across sections only what is nearly the same: there a likeness is soon an accident.
NEARLY_SAME = 0.8

# What the faces, and other programs, call the same thing.
_SAME = tuple(
    frozenset(names.split())
    for names in (
        "results count maxresults numresults resultcount limit num topk topkdefault",
        "engine provider backend defaultprovider defaultengine searchengine",
        "timeout timeoutseconds timeoutms timeoutsec seconds deadline",
        "cachettlminutes cachettl ttl ttlminutes cacheminutes",
        "apikey key token secret accesskey",
        "baseurl url address endpoint host server",
        "dir folder directory path",
        "language lang locale",
        "proxy httpproxy proxyurl",
        "executable chrome chromepath binary executablepath",
        "summarychars summarylength maxsummarylength snippetlength",
        "name modelname model",
        "rateperminute ratelimit rpm",
        "useragent ua",
    )
)


def nearest(name: str, known: Sequence[str], separator: str = ".") -> str | None:
    """Return which of ``known`` was meant by ``name``, if any comes near; sections by separator.

    First comes what the same section calls the same thing, then what is written alike there, then
    what is nearly the same as a whole.
    """
    parts = name.split(separator)
    for cut in range(len(parts) - 1, 0, -1):
        siblings = _within(separator.join(parts[:cut]) + separator, known)
        rest = fold_name("".join(parts[cut:]))
        for tail, sibling in siblings.items():
            if tail == rest or any({tail, rest} <= names for names in _SAME):
                return sibling
    section = name[: len(name) - len(parts[-1])]
    siblings = _within(section, known) if section else {}
    if found := most_alike(fold_name(parts[-1]), tuple(siblings)):
        return siblings[found]
    names = {fold_name(one): one for one in known}
    if found := most_alike(fold_name(name), tuple(names), least=NEARLY_SAME):
        return names[found]
    return None


def most_alike(word: str, words: Sequence[str], *, least: float = ALIKE) -> str | None:
    """Return the one of ``words`` that is written most like ``word``, the first of several."""
    likeness = {one: SequenceMatcher(None, one, word, autojunk=False).ratio() for one in words}
    best = max(likeness, key=lambda one: likeness[one], default=None)
    return best if best is not None and likeness[best] >= least else None


def same_thing(name: str, known: Sequence[str]) -> str | None:
    """Return the first of the dotted ``known`` whose last part is, or means, ``name``."""
    word = fold_name(name)
    last = {one: fold_name(one.rpartition(".")[2]) for one in known}
    for one, tail in last.items():
        if tail == word:
            return one
    return next(
        (one for one, tail in last.items() if any({tail, word} <= names for names in _SAME)), None
    )


def fold_name(name: str) -> str:
    """Return ``name`` without case, and without what stands between its words."""
    return re.sub(r"[\W_]", "", name).casefold()


def _within(section: str, known: Sequence[str]) -> dict[str, str]:
    """Return the names that begin with ``section``, by what follows it, folded."""
    return {fold_name(one.removeprefix(section)): one for one in known if one.startswith(section)}
