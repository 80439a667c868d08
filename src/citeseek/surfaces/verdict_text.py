"""What the check of citations found, in lines of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from msgspec import structs

from citeseek.citations import escape_line
from citeseek.conversations.checked_citations import CheckedCitations, KeptCheck
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.i18n import Catalogue
from citeseek.locators import mark
from citeseek.text import plain_line, shorten
from citeseek.verification import CitationCheck, JudgeUse

_CLAIM_CHARS = 80
_QUOTE_CHARS = 160
_INDENT = "    "


def check_lines(check: CitationCheck, say: Catalogue) -> Iterator[str]:
    """Yield the verdict on one citation, and the sentence of the page that it rests on."""
    verdict, why = say(f"js.verdict_{check.verdict}"), reason_of(check, say)
    claim = plain_line(shorten(check.claim, _CLAIM_CHARS))
    number = mark(check.number, (check.page,) if check.page else (), say)
    yield f"{number} {verdict} ({why}) {claim}"
    if check.evidence:
        yield f"{_INDENT}“{plain_line(shorten(check.evidence, _QUOTE_CHARS))}”"
    if check.elsewhere:
        yield f"{_INDENT}{say('cli.see', number=check.elsewhere)}"


def reason_of(check: CitationCheck, say: Catalogue) -> str:
    """Return why a citation has its verdict, in one line."""
    told = [
        say(f"check.reason_{check.reason}", numbers=", ".join(f"[{n}]" for n in check.together))
    ]
    if check.missing:
        told.append(plain_line(say("check.missing", words=say("js.joint").join(check.missing))))
    if check.by == "judge":
        told.append(say("js.byJudge"))
    return "; ".join(told)


def judge_lines(use: JudgeUse, say: Catalogue) -> Iterator[str]:
    """Yield who was asked beside the rules, and what went wrong with it."""
    yield say("check.judge_use", name=plain_line(use.name), asked=use.asked, lifted=use.lifted)
    if use.failure:
        yield say("check.judge_failed", reason=plain_line(say.explain(use.failure)[0]))


def found_lines(found: CheckedCitations, say: Catalogue) -> Iterator[str]:
    """Yield a check: the verdict on each citation, the pages that were not read, the judge."""
    for check in found.checks:
        yield from check_lines(check, say)
    for page in found.unread:
        yield f"[{page.number}] {plain_line(say.explain(page.failure)[0])}"
    if found.judge:
        yield from judge_lines(found.judge, say)


def judged_lines(sentence: JudgedSentence, say: Catalogue) -> Iterator[str]:
    """Yield what became of a sentence at the gate, and the verdicts on its citations."""
    if sentence.fate != "kept":
        yield say(f"gate.{sentence.fate}", text=_quote(sentence.text))
    if sentence.before:
        yield f"{_INDENT}{say('gate.before', text=_quote(sentence.before))}"
    for check in sentence.contradictions if sentence.before else sentence.checks:
        yield from check_lines(check, say)


def judged_markdown(judged: Iterable[JudgedSentence], say: Catalogue) -> str:
    """Return a section that lists what became of each sentence, empty when there is none."""
    rows = [_row(judged_lines(sentence, say)) for sentence in judged]
    return _section(say("gate.heading"), rows) if rows else ""


def checked_markdown(found: KeptCheck, say: Catalogue) -> str:
    """Return a section that lists what a check found, and when."""
    rows = [_row(check_lines(check, say)) for check in found.checks]
    rest = structs.replace(found, checks=())
    rows += [_row([line]) for line in found_lines(rest, say)]
    heading = f"{say('check.heading')} ({moment(found.at)})"
    return _section(heading, rows or [say("check.nothing")])


def moment(at: float) -> str:
    """Return a time in seconds since 1970, as it was at Greenwich."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def _row(lines: Iterable[str]) -> str:
    first, *more = map(escape_line, lines)
    return "\n".join([f"- {first}", *(f"  {line}" for line in more)])


def _section(heading: str, rows: Iterable[str]) -> str:
    return "\n".join([f"## {heading}", "", *rows])


def _quote(text: str) -> str:
    return plain_line(shorten(text, _QUOTE_CHARS))
