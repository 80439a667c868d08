"""Where sources make the same statement in different versions, and which has more of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from citeseek.research.pages import ReadPage, is_question
from citeseek.research.versions import Statement, is_version, own_part
from citeseek.text import sentences


class Version(msgspec.Struct, frozen=True):
    """A sentence, and the places of the pages that have it."""

    text: str
    pages: tuple[int, ...]


def disagreements(pages: Sequence[ReadPage], told: Iterable[str]) -> list[tuple[Version, ...]]:
    """Return the statements in the texts ``told`` that pages make in different versions.

    Each is given once, with all its versions in the order of the pages.
    """
    of_pages = [_statements(page.text) for page in pages]
    found: list[tuple[Version, ...]] = []
    known: set[str] = set()
    for text in told:
        for said in _statements(text):
            if said.text in known:
                continue
            versions = _versions(said, of_pages)
            if len(versions) > 1:
                known.update(version.text for version in versions)
                found.append(versions)
    return sorted(found, key=lambda versions: versions[0].pages)


def _statements(text: str) -> list[Statement]:
    return [Statement.of(said) for said in sentences(text) if not is_question(said)]


def support(said: Statement, against: Statement, pages: Sequence[ReadPage]) -> int:
    """Return how many of ``pages`` have what ``said`` says and ``against`` says otherwise."""
    parts = own_part(said, against)
    return sum(all(part in page.text for part in parts) for page in pages) if parts else 0


def _versions(said: Statement, of_pages: Sequence[Sequence[Statement]]) -> tuple[Version, ...]:
    places: dict[str, list[int]] = {}
    for place, statements in enumerate(of_pages):
        for other in statements:
            if other.tokens == said.tokens or is_version(said, other):
                places.setdefault(other.text, []).append(place)
                break
    return tuple(Version(text, tuple(by)) for text, by in places.items())
