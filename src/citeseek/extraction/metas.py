"""The ``meta`` elements of a page, read once for all that look for one of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.text import plain_line

_NAMING = ("property", "name", "itemprop", "http-equiv")
_LONGEST = 500
_MOST = 2_000


class Meta(msgspec.Struct, frozen=True):
    """A ``meta`` element with a ``content``; ``names`` are its names by the attribute they are in.

    They are in small letters.
    """

    node: LexborNode
    names: dict[str, str]
    content: str


class Metas:
    """The ``meta`` elements of ``document``, in its order, the first 2,000."""

    def __init__(self, document: LexborHTMLParser) -> None:
        self._all = [_meta(node) for node in document.css("meta[content]")[:_MOST]]
        self._lines: dict[tuple[str, str], list[str]] = {}
        for one in self._all:
            for naming, name in one.names.items():
                # One element may state several properties.
                for key in name.split() if naming == "property" else [name]:
                    if line := plain_line(one.content):
                        self._lines.setdefault((naming, key), []).append(line)

    def __iter__(self) -> Iterator[Meta]:
        return iter(self._all)

    def line(self, *keys: str) -> str | None:
        """Return what the first of ``keys`` that the page has says, None without any.

        A key is an attribute and a name: ``name=author``. Longer than 500 characters it is cut.
        """
        for key in keys:
            if found := self.lines(key):
                return found[0]
        return None

    def lines(self, key: str) -> list[str]:
        """Return what all elements of ``key`` say, in their order, each as :meth:`line` has it."""
        naming, _, name = key.partition("=")
        return [line[:_LONGEST] for line in self._lines.get((naming, name), ())]


def _meta(node: LexborNode) -> Meta:
    attributes = node.attributes
    names = {
        naming: value.strip().lower() for naming in _NAMING if (value := attributes.get(naming))
    }
    return Meta(node, names, attributes.get("content") or "")
