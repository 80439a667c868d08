"""What the check of citations says, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citeseek.text import plain_line, shorten

if TYPE_CHECKING:
    from citeseek.assistant.checking import CheckedCitations
    from citeseek.catalogue import Catalogue
    from citeseek.verification import CitationCheck

_CLAIM_CHARS = 80
_QUOTE_CHARS = 160


def lines(found: CheckedCitations, say: Catalogue) -> list[str]:
    """Return the check as lines: one for each citation, one for each page that was not read."""
    told = [line for check in found.checks for line in _lines(check, say)]
    failed = [f"[{page.number}] {plain_line(page.failure.message)}" for page in found.unread]
    return [*(told or [say("cli.nothing_cited")]), *failed]


def as_json(found: CheckedCitations) -> dict[str, Any]:
    """Return the check as it stands under ``check`` of an answer."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    return dict(to_builtins(found))


def _lines(check: CitationCheck, say: Catalogue) -> list[str]:
    why = say(f"js.reason_{check.reason}", numbers=", ".join(f"[{n}]" for n in check.together))
    verdict = say(f"js.verdict_{check.verdict}")
    missing = f": {'、'.join(check.missing)}" if check.missing else ""
    claim = plain_line(shorten(check.claim, _CLAIM_CHARS))
    told = [f"[{check.number}] {verdict} ({why}{plain_line(missing)}) {claim}"]
    if check.evidence:
        told.append(f"    “{plain_line(shorten(check.evidence, _QUOTE_CHARS))}”")
    if check.elsewhere:
        told.append(f"    {say('cli.see', number=check.elsewhere)}")
    return told
