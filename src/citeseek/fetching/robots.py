"""robots.txt as RFC 9309 reads it: the group of our name, the longest rule, ``*`` and ``$``."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import msgspec

TOKEN = "citeseek"  # noqa: S105 - the name of the program, as the standard calls it
MAX_BYTES = 512_000
_MAX_RULES = 2_000


class Robots(msgspec.Struct, frozen=True):
    """The rules for this program: patterns of paths, each allowed or not."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allow(self, url: str) -> bool:
        """Whether the page at ``url`` may be read; of two rules of one length the kinder counts."""
        parts = urlsplit(url)
        path = _one_spelling(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        found = [(len(rule), kind) for rule, kind in self.rules if _matches(rule, path)]
        return max(found, default=(0, True))[1]


EVERYTHING = Robots()
NOTHING = Robots((("/", False),))


def parse(body: bytes) -> Robots:
    """Return the rules in ``body`` for this program, else those for all; junk is no rule."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    named: list[str] = []
    is_naming = False
    count = 0
    if len(body) >= MAX_BYTES:
        # A rule without its end would close more than was meant.
        body = body[:MAX_BYTES].rpartition(b"\n")[0]
    for line in body.decode("utf-8-sig", "replace").splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        name, value = field.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if not is_naming:
                named = []
            is_naming = True
            # A file may name any number of others, and each rule is for all that are named.
            if (one := value.lower()) in (TOKEN, "*") and one not in named:
                named.append(one)
                groups.setdefault(one, [])
        elif name in ("allow", "disallow"):
            is_naming = False
            count += 1
            if value and count <= _MAX_RULES:
                for one in named:
                    groups[one].append((_one_spelling(value), name == "allow"))
    return Robots(tuple(groups.get(TOKEN, groups.get("*", []))))


def _matches(rule: str, path: str) -> bool:
    """Whether ``rule`` fits ``path``; each piece is looked for once, so in linear time."""
    is_whole = rule.endswith("$")
    first, *pieces = rule.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not pieces:
        return not is_whole or at == len(path)
    *between, last = pieces
    for piece in between:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    if is_whole:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


def _one_spelling(path: str) -> str:
    return quote(unquote(path), safe="/*$?&=+,;:@!~'()%")
