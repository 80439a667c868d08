"""What the check of citations found, in lines of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citeseek.citations import escape_line
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.i18n import Catalogue
from citeseek.locators import mark
from citeseek.text import plain_line, shorten
from citeseek.verification import CitationCheck

_CLAIM_CHARS = 80
_QUOTE_CHARS = 160
_INDENT = "    "


def check_lines(check: CitationCheck, say: Catalogue) -> Iterator[str]:
    """Yield the verdict on one citation, and the sentence of the page that it rests on."""
    why = say(f"js.reason_{check.reason}", numbers=", ".join(f"[{n}]" for n in check.together))
    verdict = say(f"js.verdict_{check.verdict}")
    lost = say("js.missing", words=say("js.joint").join(check.missing)) if check.missing else ""
    missing = f"; {plain_line(lost)}" if lost else ""
    by = f"; {say('js.byJudge')}" if check.by == "judge" else ""
    claim = plain_line(shorten(check.claim, _CLAIM_CHARS))
    number = mark(check.number, (check.page,) if check.page else (), say)
    yield f"{number} {verdict} ({why}{missing}{by}) {claim}"
    if check.evidence:
        yield f"{_INDENT}“{plain_line(shorten(check.evidence, _QUOTE_CHARS))}”"
    if check.elsewhere:
        yield f"{_INDENT}{say('cli.see', number=check.elsewhere)}"


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
    rows = []
    for sentence in judged:
        first, *more = judged_lines(sentence, say)
        rows.append("\n".join([f"- {escape_line(first)}", *(f"  {escape_line(m)}" for m in more)]))
    return "\n".join([f"## {say('gate.heading')}", "", *rows]) if rows else ""


def _quote(text: str) -> str:
    return plain_line(shorten(text, _QUOTE_CHARS))
