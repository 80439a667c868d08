"""What the check of citations says, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citeseek.text import plain_line, shorten

if TYPE_CHECKING:
    from citeseek.assistant.checking import CheckedCitations
    from citeseek.verification import CitationCheck

HEADING = "引用核对 Citation check"
_CLAIM_CHARS = 80
_QUOTE_CHARS = 160
_VERDICTS = {
    "supported": "支持 supported",
    "contradicted": "与网页不符 contradicted",
    "absent": "网页未提及 absent",
    "unclear": "不能判断 unclear",
    "unfetched": "未读到 unfetched",
}
REASONS = {
    "verbatim": "word for word",
    "same_words": "in other order or form",
    "together": "only together with {numbers}",
    "number": "another number",
    "date": "another date",
    "name": "another name",
    "word": "another word",
    "opposite": "the opposite",
    "negation": "one of the two denies it",
    "subject": "said of something else",
    "order": "the other way round",
    "stitched": "put together from several places",
    "words": "a part of it is not there",
    "hedge": "the source is less certain",
    "rounded": "rounded",
    "not_found": "nothing like it on the page",
    "other_language": "the page is in another language; numbers and names were compared",
    "not_read": "the page was not read, its summary does not say it",
    "no_source": "there is no such source",
    "no_claim": "nothing is claimed",
    "too_long": "too long for one statement",
}


def lines(found: CheckedCitations) -> list[str]:
    """Return the check as lines: one for each citation, one for each page that was not read."""
    told = [line for check in found.checks for line in _lines(check)]
    failed = [f"[{page.number}] {plain_line(page.failure.message)}" for page in found.unread]
    return [*(told or ["没有引用 nothing is cited"]), *failed]


def as_json(found: CheckedCitations) -> dict[str, Any]:
    """Return the check as it stands under ``check`` of an answer."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    return dict(to_builtins(found))


def _lines(check: CitationCheck) -> list[str]:
    why = REASONS[check.reason].format(numbers=", ".join(f"[{n}]" for n in check.together))
    missing = f": {'、'.join(check.missing)}" if check.missing else ""
    claim = plain_line(shorten(check.claim, _CLAIM_CHARS))
    told = [f"[{check.number}] {_VERDICTS[check.verdict]} ({why}{plain_line(missing)}) {claim}"]
    if check.evidence:
        told.append(f"    “{plain_line(shorten(check.evidence, _QUOTE_CHARS))}”")
    if check.elsewhere:
        told.append(f"    见 see [{check.elsewhere}]")
    return told
