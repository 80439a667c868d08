"""A whole answer as HTML."""

from __future__ import annotations

from collections.abc import Iterable

from citeseek.citations import Source
from citeseek.surfaces.page.markdown.definitions import Definitions
from citeseek.surfaces.page.markdown.links import Links
from citeseek.surfaces.page.markdown.reader import Manner, plain_lines, read


def render(markdown: str, sources: Iterable[Source], *, table_label: str = "Table") -> str:
    """Return ``markdown`` as HTML in which citations of ``sources`` are superscript links.

    Every other link shows the host that it leads to. ``table_label`` names a table to those who
    cannot see it. Never raises.
    """
    manner = Manner(Links(sources), table_label)
    return "\n".join(read(plain_lines(markdown), manner, Definitions()))


def blocks_of(markdown: str, sources: Iterable[Source], *, table_label: str = "Table") -> list[str]:
    """Return what :func:`render` gives as elements, one for each top-level block."""
    manner = Manner(Links(sources), table_label)
    return [block(html) for html in read(plain_lines(markdown), manner, Definitions())]


def block(html: str) -> str:
    """Return the element of the page around the HTML of one top-level block."""
    return f'<div class="block">{html}</div>'
