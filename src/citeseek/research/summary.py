"""The summary that a model writes: only what names its sources, each citation checked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from citeseek.citations import CitationRegistry, Source, convert
from citeseek.errors import ModelFailed
from citeseek.research.findings import Findings
from citeseek.research.pages import ReadPage
from citeseek.research.synthesis import cited_part
from citeseek.research.wording import Words
from citeseek.research.writer import Writer
from citeseek.tools.runtime import Runtime
from citeseek.verification import CitationCheck, SourceText, check_answer


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Markdown whose numbers are links, the check of each, and what a reader should know of it."""

    text: str = ""
    checks: tuple[CitationCheck, ...] = ()
    notes: tuple[str, ...] = ()


async def summarized(
    writer: Writer,
    question: str,
    findings: Findings,
    pages: Sequence[ReadPage],
    *,
    runtime: Runtime,
    words: Words,
) -> Summary:
    """Return what ``writer`` makes of ``findings``; without a text when it does not answer."""
    evidence = findings.evidence
    try:
        with runtime.step("summarize") as meta:
            answer = await writer.write(question, findings.sources, evidence)
            kept = cited_part(answer, {quote.source_index for quote in evidence})
            meta["uncited"] = kept.uncited
    except ModelFailed as error:
        return Summary(notes=(words.no_summary.format(reason=error.message),))
    with runtime.step("check_citations") as meta:
        texts = {
            number: SourceText(page.text, title=page.title, url=page.final_url)
            for number, page in enumerate(pages, start=1)
        }
        checks = await asyncio.to_thread(check_answer, kept.text, texts)
        unsupported = [check for check in checks if check.verdict == "unsupported"]
        meta |= {"citations": len(checks), "unsupported": len(unsupported)}
    notes = [
        words.unsupported.format(number=check.number, claim=check.claim) for check in unsupported
    ]
    if kept.uncited:
        notes.append(words.uncited.format(count=kept.uncited))
    registry = CitationRegistry.of(
        Source(source.number, source.title, source.url, source.domain)
        for source in findings.sources
    )
    return Summary(text=convert(kept.text, registry), checks=tuple(checks), notes=tuple(notes))
