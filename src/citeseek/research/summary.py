"""The summary that a model writes: only what names its sources, each citation checked."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Container, Sequence

import msgspec

from citeseek.citations import CitationRegistry, Source, convert
from citeseek.citations.marks import MARK, items
from citeseek.errors import ModelFailed
from citeseek.i18n import Catalogue
from citeseek.research.findings import Findings
from citeseek.research.inquiry import Writer
from citeseek.research.pages import ReadPage
from citeseek.text import sentences
from citeseek.tools.runtime import Runtime
from citeseek.verification import CitationCheck, SourceText, check_answer, judge_unclear

# The longest range of numbers that is written out; a longer one is no citation.
MAX_RANGE = 20

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK = re.compile(
    r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s[^()]*)?\)|\[[^\[\]]*[^\d\[\]][^\[\]]*\])"
)
_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:.*$", re.MULTILINE)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]，。；：、）】]+", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}\s+")
_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NUMBERS = r"\d{1,3}(?:\s*[-–—~,，、;；]\s*\d{1,3})*"
_MARK = re.compile(
    rf"[\[【]\s*\^?\s*(?P<numbers>{_NUMBERS})\s*[\]】](?!\()|(?P<mark>{MARK.pattern})(?!\()",
    MARK.flags,
)
_RANGE = re.compile(r"(\d+)\s*[-–—~]\s*(\d+)|(\d+)")
# Marks behind the full stop belong to the sentence before it.
_LEADING_MARKS = re.compile(r"(?:\s*\[\d+\])+")
_SHOWN = {ord("<"): "&lt;", ord("`"): "\\`", ord("|"): "\\|", ord("$"): "\\$"}


class Synthesis(msgspec.Struct, frozen=True):
    """The kept text, and how many sentences were left out."""

    text: str
    uncited: int


def cited_part(summary: str, known: Container[int]) -> Synthesis:
    """Return the sentences of ``summary`` that cite a number of ``known``, in their paragraphs.

    Every mark becomes ``[n]``, one for each number; numbers that nobody knows are taken away.
    Headings stay where something follows them; a list stays a list.
    """
    lines: list[str] = []
    uncited = 0
    heading = ""
    for line in _harmless(summary, known).splitlines():
        if found := _HEADING.match(line):
            heading = f"### {line[found.end() :].strip()}"
            continue
        marker = found[0] if (found := _MARKER.match(line)) else ""
        said = _sentences(line[len(marker) :])
        kept = [sentence for sentence in said if re.search(r"\[\d+\]", sentence)]
        uncited += len(said) - len(kept)
        if kept:
            lines += [heading, ""] if heading else []
            heading = ""
            lines.append(marker + _join(kept))
        elif not line.strip() and lines and lines[-1]:
            lines.append("")
    return Synthesis("\n".join(lines).strip(), uncited)


def _harmless(summary: str, known: Container[int]) -> str:
    text = _COMMENT.sub("", _THOUGHT.sub("", summary))
    text = _DEFINITION.sub("", text)
    # A number with an address behind it leads elsewhere: it is no citation.
    text = _LINK.sub(lambda link: "" if MARK.fullmatch(f"[{link[1].strip()}]") else link[1], text)
    text = _ADDRESS.sub("", text)
    text = _MARK.sub(lambda mark: _write_marks(mark, known), text)
    kept = [line.translate(_SHOWN) for line in text.splitlines() if not _FENCE.match(line)]
    return "\n".join(kept)


def _write_marks(mark: re.Match[str], known: Container[int]) -> str:
    """Return a mark for each number of ``mark`` that is known, ranges included."""
    cited: list[int] = []
    for first, last, single in _RANGE.findall(mark["numbers"] or ""):
        if single:
            cited.append(int(single))
        elif 0 <= int(last) - int(first) <= MAX_RANGE:
            cited += range(int(first), int(last) + 1)
    cited += [number for item in items(mark["mark"] or "") for number in item.numbers]
    return "".join(f"[{number}]" for number in dict.fromkeys(cited) if number in known)


def _sentences(line: str) -> list[str]:
    found: list[str] = []
    for piece in sentences(line):
        marks = _LEADING_MARKS.match(piece)
        if marks and found:
            found[-1] += marks[0]
            piece = piece[marks.end() :].strip()  # noqa: PLW2901 - the rest of it
        if piece:
            found.append(piece)
    return found


def _join(kept: list[str]) -> str:
    text = kept[0]
    for sentence in kept[1:]:
        text += ("" if re.search("[。！？]|[\u4e00-\u9fff]", text[-6:]) else " ") + sentence
    return text


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Markdown whose numbers are links, the check of each, and what a reader should know of it."""

    text: str = ""
    checks: tuple[CitationCheck, ...] = ()
    notes: tuple[str, ...] = ()


async def summarize(
    writer: Writer,
    question: str,
    findings: Findings,
    pages: Sequence[ReadPage],
    *,
    runtime: Runtime,
    say: Catalogue,
) -> Summary:
    """Return what ``writer`` makes of ``findings``; without a text when it does not answer."""
    evidence = findings.evidence
    try:
        with runtime.step("summarize") as meta:
            answer = await writer.write(question, findings.sources, evidence)
            kept = cited_part(answer, {quote.source_index for quote in evidence})
            meta["uncited"] = kept.uncited
    except ModelFailed as error:
        reason, _ = say.explain(error)
        return Summary(notes=(say("research.no_summary", reason=reason),))
    with runtime.step("check_citations") as meta:
        texts = {
            number: SourceText(page.text, title=page.title, url=page.final_url, pages=page.pages)
            for number, page in enumerate(pages, start=1)
        }
        told_by_rules = await asyncio.to_thread(check_answer, kept.text, texts)
        found = await judge_unclear(kept.text, told_by_rules, texts, writer.judge)
        checks = found.checks
        verdicts = Counter(check.verdict for check in checks)
        meta |= {
            "citations": len(checks),
            "contradicted": verdicts["contradicted"],
            "absent": verdicts["absent"],
        }
    notes = [
        say(f"research.{check.verdict}", number=check.number, claim=check.claim)
        for check in checks
        if check.verdict in ("contradicted", "absent")
    ]
    if found.use and found.use.failure:
        notes.append(say("research.no_judge", name=found.use.name))
    if kept.uncited:
        notes.append(say("research.uncited", count=kept.uncited))
    registry = CitationRegistry.of(
        Source(source.number, source.title, source.url, source.domain)
        for source in findings.sources
    )
    return Summary(text=convert(kept.text, registry), checks=checks, notes=tuple(notes))
