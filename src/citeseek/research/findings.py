"""What the pages that were read come to: numbered sources, quotes, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from citeseek.research.disagreements import Version, disagreements
from citeseek.research.duplicates import Distinct
from citeseek.research.evidence import Quote, best_quotes
from citeseek.research.pages import PagePassage
from citeseek.research.result import Evidence, ReportSource, SaidBy


class Findings(msgspec.Struct, frozen=True):
    """The sources by number, the quotes from them, and the statements that they do not share.

    Each of ``disagreements`` is one statement in the versions of different sources.
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
    return Findings(
        sources=tuple(_sources(distinct)),
        quotes=tuple(quotes),
        disagreements=tuple(tuple(map(_name_sources, versions)) for versions in differ),
    )


def _name_sources(version: Version) -> SaidBy:
    return SaidBy(version.text, tuple(place + 1 for place in version.pages))


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
