"""The citations of a text that a host sends: which pages it cites, and whether they say it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citeseek.assistant.checking import check_citations
from citeseek.assistant.citation_judge import check_judge, settings_judge
from citeseek.citations import Source, linked_numbers
from citeseek.client import Client
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.errors import InvalidInput, Timeout
from citeseek.fetching import FetchResponse
from citeseek.i18n import Catalogue
from citeseek.surfaces.mcp.offered import CitationVerdicts, ToolFailure, UnreadSource
from citeseek.surfaces.verdict_text import check_lines
from citeseek.text import plain_line
from citeseek.urls import domain
from citeseek.verification import claims

# Hosts give up after a minute, many of them.
SECONDS = 45.0
# A list of sources as people and models write it: ``[1]: address``, ``[1] Title. address``.
_LISTED = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\[(\d{1,9})\]:?[ \t][^\n]*?(https?://[^\s<>()]+)", re.MULTILINE
)


async def verify(client: Client, arguments: Mapping[str, Any]) -> CheckedCitations:
    """Read the pages that a text cites and compare what they say with what it says.

    No page is waited for after 45 s; it is unread then. Raise InvalidInput for a text that cites
    nothing, for one whose citations have no address, and for a judge that nobody knows.
    """
    text = str(arguments.get("text") or "")
    if not text.strip():
        raise InvalidInput("text is missing: the text with its citations.")
    cited = {number for claim in claims(text) for number in claim.numbers}
    if not cited:
        raise InvalidInput(
            "The text cites nothing.", hint="Put the number of a source behind each statement: [1]."
        )
    addresses = _addresses(text, arguments.get("sources") or ())
    if not cited & addresses.keys():
        raise InvalidInput(
            "No address is known of what the text cites.",
            hint="Give the addresses as sources, the one of [1] first.",
        )
    await check_judge(client.settings)
    sources = [Source(number, "", url, domain(url)) for number, url in sorted(addresses.items())]
    judge = settings_judge(client.settings)
    return await check_citations(text, sources, client, judge, pages=_TimelyPages(client))


def verdicts(checked: CheckedCitations, say: Catalogue) -> CitationVerdicts:
    """Return what a program is given of ``checked``."""
    return CitationVerdicts(
        checks=checked.checks,
        unread=tuple(
            UnreadSource(
                number=one.number, url=one.url, error=ToolFailure.of_failure(one.failure, say)
            )
            for one in checked.unread
        ),
        judge=checked.judge,
    )


def verdict_text(checked: CheckedCitations, say: Catalogue) -> str:
    """Return what a model reads: the verdict on each citation, and why a page was not read."""
    lines = [line for check in checked.checks for line in check_lines(check, say)]
    failed = [f"[{one.number}] {plain_line(say.explain(one.failure)[0])}" for one in checked.unread]
    return "\n".join([*lines, *failed])


def _addresses(text: str, given: Sequence[str]) -> dict[int, str]:
    """Return the addresses by their numbers: those that are given, else those in the text."""
    if given:
        return dict(enumerate(given, start=1))
    listed = {int(found[1]): found[2].rstrip(".,;") for found in _LISTED.finditer(text)}
    linked = {
        span.number: text[span.start : span.end - 1].rpartition("](")[2]
        for span in linked_numbers(text)
    }
    return listed | linked


class _TimelyPages:
    """Pages that are there before the host gives up; the others are a Timeout."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._until = asyncio.get_running_loop().time() + SECONDS

    async def fetch(self, url: str, /) -> FetchResponse:
        try:
            async with asyncio.timeout_at(self._until):
                return await self._client.fetch(url)
        except TimeoutError:
            raise Timeout(f"The pages were not there within {SECONDS:g} s.") from None
