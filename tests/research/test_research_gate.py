"""How good reports are, over every question of the site: floors that a change may not fall below.

``python -m tests.research.test_research_gate`` prints the figures and the questions that fail.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.loopback import LoopbackServer
from tests.research.reading import client_over, squeezed
from tests.research.site import Question, ResearchSite
from tests.searxng.instance import GOOD, Searxng, SearxngInstance

from citeseek.research import Inquiry, Report, research

pytestmark = pytest.mark.searxng

QUESTIONS = 78
# Reports that quote the right answer; whose first quote is right; that tell of another number.
QUOTED, FIRST, TOLD = 77, 72, 0.95


def figures(site: ResearchSite, searxng: Searxng) -> tuple[Counter[str], list[str]]:
    """Return what became of every question, and the questions that were not answered."""

    async def reports() -> list[tuple[Question, Report]]:
        async with client_over(site, searxng.base_url, timeout_ms=10_000) as client:
            made = []
            for question in site.truth.questions:
                inquiry = Inquiry.of(question.text, max_sources=10)
                result = await research(inquiry, client, engines=["searxng"])
                assert result.report is not None
                made.append((question, result.report))
            return made

    count: Counter[str] = Counter()
    silent: list[str] = []
    for question, report in asyncio.run(reports()):
        for figure, holds in judged(site, question, report):
            count[figure] += holds
            if figure == "quoted" and not holds:
                silent.append(question.text)
    return count, silent


def judged(site: ResearchSite, question: Question, report: Report) -> Iterator[tuple[str, bool]]:
    """Yield the figures to which a report adds."""
    fact = question.fact
    quotes = [squeezed(quote.quote) for quote in report.evidence]
    right = squeezed(fact.value)
    yield "reports", True
    yield "quoted", any(right in quote for quote in quotes)
    yield "first", bool(quotes) and right in quotes[0]
    for quote in report.evidence:
        yield "foreign", squeezed(quote.quote) not in squeezed(site.at(quote.source_url).text)
    groups = [site.truth.copies_of(site.at(source.url).path) for source in report.sources]
    yield "copies", len(set(groups)) < len(groups)
    for source, group in zip(report.sources, groups, strict=True):
        yield "wrongly collapsed", any(site.at(url).path not in group for url in source.copies)
    if re.search(r"\d", fact.value):
        told = [[squeezed(said.text) for said in versions] for versions in report.disagreements]
        wrong = squeezed(fact.wrong)
        yield "with a number", True
        yield (
            "told",
            any(
                any(right in text for text in texts) and any(wrong in text for text in texts)
                for texts in told
            ),
        )


def test_reports_are_as_good_as_they_were(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    count, silent = figures(research_site, searxng_over_site)
    assert count["reports"] == QUESTIONS
    assert count["foreign"] == count["copies"] == count["wrongly collapsed"] == 0
    assert count["quoted"] >= QUOTED, silent
    assert count["first"] >= FIRST
    assert count["told"] >= TOLD * count["with a number"]


if __name__ == "__main__":
    with LoopbackServer() as server, SearxngInstance(engines={"site": GOOD}) as instance:
        site = ResearchSite(server)
        instance.index.on(GOOD, site.search)
        print(*figures(site, instance))
