"""What a run did not get: a failure when that is everything, else notes."""

from __future__ import annotations

from collections.abc import Iterator

from citeseek.errors import Timeout
from citeseek.research.gathering import Gathering
from citeseek.research.outcome import RunError
from citeseek.research.wording import Words
from citeseek.text import how_many

_SEARCH, _FETCH = "tool.web.search", "tool.web.fetch"


def error_of(gathering: Gathering) -> RunError | None:
    """Return why there can be no report: no search worked, or no page could be read."""
    late = Timeout(
        "The time limit was reached before anything was read.", hint="Give the report more time."
    )
    if not any(search.ok for search in gathering.searches):
        # Without a failure it was cut off before the first answer.
        return RunError.of(next(iter(gathering.failures), late), _SEARCH)
    if not gathering.was_found or gathering.pages:
        return None
    failed = next((fetch for fetch in gathering.fetches if not fetch.ok), None)
    if failed is None:
        return RunError.of(late, _FETCH)
    return RunError(
        code=failed.error_code,
        message=f"None of {how_many(len(gathering.fetches), 'page')} could be read; the first: "
        f"{failed.url}: {failed.message}",
        retryable=failed.retryable,
        step=_FETCH,
        detail_code=failed.detail_code,
        hint=failed.hint,
    )


def missed(gathering: Gathering, words: Words) -> Iterator[str]:
    """Yield a note for each search and each page that failed, and each page that was cut."""
    for search in gathering.searches:
        if not search.ok:
            yield words.search_failed.format(query=search.query, reason=search.message)
    for fetch in gathering.fetches:
        if not fetch.ok:
            yield words.fetch_failed.format(url=fetch.url, reason=fetch.message)
        elif fetch.truncated:
            yield words.truncated.format(url=fetch.url)
