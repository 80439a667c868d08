"""What the pages that were read come to: numbered sources, quotes, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from citeseek.answering import PageText, assess, origins
from citeseek.research.disagreements import Version, disagreements
from citeseek.research.duplicates import Distinct
from citeseek.research.evidence import Quote, best_quotes
from citeseek.research.pages import PagePassage
from citeseek.research.result import Evidence, ReportSource, SaidBy


class Findings(msgspec.Struct, frozen=True):
    """The sources by number, the quotes from them, and the statements that they do not share.

    Each of ``disagreements`` is one statement in the versions of different sources, or the values
    that they give for the first of the questions.
    """

    sources: tuple[ReportSource, ...]
    quotes: tuple[Quote, ...]
    disagreements: tuple[tuple[SaidBy, ...], ...]

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The quotes with the sources that they are from."""
        return tuple(
            Evidence(
                quote=quote.text,
                source_url=self.sources[quote.page].url,
                source_index=quote.page + 1,
                start=quote.start,
                score=quote.score,
                page=quote.locator,
            )
            for quote in self.quotes
        )


def find_answers(
    questions: Sequence[str], distinct: Sequence[Distinct], passages: Sequence[PagePassage]
) -> Findings:
    """Return what ``passages``, which are those of the ``distinct`` pages, say to ``questions``."""
    pages = [one.page for one in distinct]
    quotes = best_quotes(questions, pages, passages)
    differ = disagreements(pages, [quote.text for quote in quotes])
    told = [tuple(_describe(version, distinct) for version in versions) for versions in differ]
    if values := _values(questions[0], distinct):
        texts = {said.text for said in values}
        told = [values, *(one for one in told if not texts.issuperset(said.text for said in one))]
    return Findings(
        sources=tuple(_sources(distinct)), quotes=tuple(quotes), disagreements=tuple(told)
    )


def _describe(version: Version, distinct: Sequence[Distinct]) -> SaidBy:
    texts = [distinct[place].page.text for place in version.pages]
    return SaidBy(
        version.text,
        tuple(place + 1 for place in version.pages),
        pages=_count(distinct, version.pages),
        origins=origins(texts),
    )


def _values(question: str, distinct: Sequence[Distinct]) -> tuple[SaidBy, ...]:
    """Return the values that the pages give for ``question``, nothing where they agree."""
    assessed = assess(question, [PageText(one.page.title, one.page.text) for one in distinct])
    if not assessed.differs:
        return ()
    return tuple(
        SaidBy(
            voice.text,
            tuple(place + 1 for place in voice.pages),
            voice.value,
            _count(distinct, voice.pages),
            voice.origins,
            voice.about if assessed.are_apart else "",
        )
        for voice in assessed.voices
    )


def _count(distinct: Sequence[Distinct], places: Sequence[int]) -> int:
    return sum(1 + len(distinct[place].copies) for place in places)


def _sources(pages: Sequence[Distinct]) -> Iterator[ReportSource]:
    for number, distinct in enumerate(pages, start=1):
        page = distinct.page
        yield ReportSource(
            number=number,
            title=page.title,
            url=page.final_url,
            found_as=page.url,
            domain=page.domain,
            snippet=page.snippet,
            provider=page.provider,
            site_name=page.site_name,
            published_at=page.published_at,
            copies=tuple(dict.fromkeys(url for url in distinct.copies if url != page.final_url)),
        )
