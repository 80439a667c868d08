"""Where sources make the same statement in different versions, and which has more of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

import msgspec

from citeseek.research.pages import ReadPage, is_question
from citeseek.research.variants import MIN_SHARED, Statement, is_version, own_part
from citeseek.text import sentences

# Statements that are compared with one; more that begin or end alike are a list or a table.
MAX_ALIKE = 200


class Version(msgspec.Struct, frozen=True):
    """A sentence, and the places of the pages that have it."""

    text: str
    pages: tuple[int, ...]


def disagreements(pages: Sequence[ReadPage], told: Iterable[str]) -> list[tuple[Version, ...]]:
    """Return the statements in the texts ``told`` that pages make in different versions.

    Each is given once, with all its versions in the order of the pages.
    """
    index = _Index(pages)
    found: list[tuple[Version, ...]] = []
    known: set[str] = set()
    for text in told:
        for said in _statements(text):
            if said.text in known:
                continue
            versions = index.versions(said)
            if len(versions) > 1:
                known.update(version.text for version in versions)
                found.append(versions)
    return sorted(found, key=lambda versions: versions[0].pages)


def support(said: Statement, against: Statement, texts: Sequence[str]) -> int:
    """Return how many pages have what ``said`` says and ``against`` says otherwise.

    ``texts`` are theirs, with :func:`plain numbers <citeseek.research.variants.plain_numbers>`.
    """
    parts = own_part(said, against)
    return sum(all(part in text for part in parts) for text in texts) if parts else 0


class _Index:
    """The statements of all pages, by what they have in common with their versions.

    Versions with other numbers have one form; with another name they begin or end alike.
    """

    def __init__(self, pages: Sequence[ReadPage]) -> None:
        self._alike: defaultdict[Hashable, list[tuple[int, Statement]]] = defaultdict(list)
        for place, page in enumerate(pages):
            for said in _statements(page.text):
                for key in _keys(said):
                    if len(self._alike[key]) < MAX_ALIKE:
                        self._alike[key].append((place, said))

    def versions(self, said: Statement) -> tuple[Version, ...]:
        """Return the versions of ``said``, one for each page that has any."""
        of_page: defaultdict[int, dict[tuple[str, ...], str]] = defaultdict(dict)
        for key in _keys(said):
            for place, other in self._alike[key]:
                if other.tokens == said.tokens or is_version(said, other):
                    of_page[place].setdefault(other.tokens, other.text)
        texts: dict[tuple[str, ...], str] = {}
        places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, found in sorted(of_page.items()):
            # A page that says it several times over is a list of different things.
            if len(found) == 1:
                ((tokens, text),) = found.items()
                texts.setdefault(tokens, text)
                places[tokens].append(place)
        return tuple(Version(text, tuple(places[tokens])) for tokens, text in texts.items())


def _keys(said: Statement) -> tuple[Hashable, ...]:
    # A name parts at least eight tokens, of which four stand before it or behind it.
    half = MIN_SHARED // 2
    return said.form, ("begins", said.tokens[:half]), ("ends", said.tokens[-half:])


def _statements(text: str) -> list[Statement]:
    return [Statement.of(said) for said in sentences(text) if not is_question(said)]
