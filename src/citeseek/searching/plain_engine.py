"""An engine of a third party in the plain form: asked, its results read, its faults told."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from datetime import date
from inspect import isawaitable
from itertools import islice

from citeseek.engine import SearchEngine
from citeseek.errors import SearchFailed, WebProviderError
from citeseek.models import MAX_HITS, Hit
from citeseek.query import Query
from citeseek.text import plain_line, shorten

# Of an exception's own text: what is looked at, and what is said.
TOLD_CHARS, SAID_CHARS = 2_000, 160
# No word of a language is so long and holds digits.
KEY_CHARS = 16
AFTER_HOST = re.compile(r"(?<=://)([^/?#\s]+)\S*")
NAMES_OF_SECRETS = re.compile(r"(?:key|token|secret|passw\w*|bearer|cookie)[:=]?$", re.IGNORECASE)
FIELDS = ("title", "url", "snippet", "published_at")

log = logging.getLogger(__name__)


async def ask(engine: SearchEngine, query: Query, *, name: str, key: str | None) -> list[Hit]:
    """Return the results of ``engine``, which is asked as ``name``, that can be read.

    Raise TimeoutError or SearchFailed as it does, WebProviderError for all else; ``key`` is not
    told.
    """
    try:
        return await _ask(engine, query)
    except (SearchFailed, TimeoutError):
        raise
    except Exception as error:
        raise fault_error(error, name, key) from error


async def _ask(engine: SearchEngine, query: Query) -> list[Hit]:
    searching = engine.search(query.text_with_site, query.count)
    if not isawaitable(searching):
        raise WebProviderError(
            "The engine's search is not asynchronous.",
            hint="Write it as `async def search`; give what blocks to `asyncio.to_thread`.",
            values={"case": "engine_not_async"},
        )
    found = await searching
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise WebProviderError(
            f"The engine returned {type(found).__name__}, not a list of results.",
            values={"case": "engine_gave", "type": type(found).__name__},
        )
    return [hit for result in islice(found, MAX_HITS) if (hit := _hit(result)) is not None]


def fault_error(error: BaseException, name: str, key: str | None) -> WebProviderError:
    """Return the error for a fault in the code of the engine ``name``; ``key`` is not told."""
    said = _describe(error, key)
    return WebProviderError(
        f"The engine failed unexpectedly ({type(error).__name__}{said and ': '}{said}).",
        hint="This is a fault of the engine's code.",
        engine=name,
        values={
            "case": "engine_broke",
            "said": f"{type(error).__name__}{said and ': '}{said}",
        },
    )


def _hit(found: object) -> Hit | None:
    """Read a plain engine's result, a mapping or an object; None when it cannot be read."""
    try:
        if isinstance(found, Mapping):
            values = [found.get(name) for name in FIELDS]
        else:
            values = [getattr(found, name, None) for name in FIELDS]
        title, url, snippet = (str(value or "") for value in values[:3])
        published_at = _day(values[3])
    except Exception as error:  # noqa: BLE001 - other people's objects
        log.warning("a result could not be read: %s", type(error).__name__)
        return None
    return Hit(title=title, url=url, snippet=snippet, published_at=published_at)


def _day(published: object) -> str | None:
    """Return a date of any kind as ISO 8601."""
    return published.isoformat() if isinstance(published, date) else str(published or "") or None


def _describe(error: BaseException, key: str | None) -> str:
    """Return what an exception says, on one short line, with stars for what may be a secret."""
    from citeseek.trace.redaction import STARS, Redactor  # noqa: PLC0415 - only a fault needs it

    try:
        text = Redactor(filter(None, (key,))).text(plain_line(str(error)[:TOLD_CHARS]))
    except Exception:  # noqa: BLE001 - other people's exceptions
        return ""
    words = AFTER_HOST.sub(r"\1", text).split(" ")
    masked = [
        STARS if _is_like_a_key(word) or NAMES_OF_SECRETS.search(before) else word
        for before, word in zip(["", *words], words, strict=False)
    ]
    return shorten(" ".join(masked), SAID_CHARS)


def _is_like_a_key(word: str) -> bool:
    return (
        len(word) >= KEY_CHARS
        and "://" not in word
        and any(map(str.isdigit, word))
        and any(map(str.isalpha, word))
    )
