"""The gate while streaming: 200 answers of our own, what it held, and how long sentences waited.

    python -m benchmarks.gate

The answers are made of the labelled pairs of tests/verification: each sentence cites the page that
its label is about, and the text arrives in small pieces. The model that is asked for repairs lies:
it gives the sentence back, or with other numbers. So whatever is put right here is a mistake.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks.report import GOAL_HEADER, Goal, table
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from tests.verification.labelled import NEWCOMER, PAGES, Pair, pairs, pairs_of_pages

from citeseek.assistant.answer_draft import Draft, Made
from citeseek.assistant.answer_gate import AnswerGate, GateBounds
from citeseek.assistant.events import SentenceJudged
from citeseek.citations import CitationRegistry
from citeseek.concurrency.clock import Clock
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.fetching import FetchResponse
from citeseek.language_model.model import Model
from citeseek.models import SearchItem
from citeseek.text import sentences
from citeseek.tools.web_fetch import FetchCall
from citeseek.urls import same_page_key
from citeseek.verification import AnswerSentence

ANSWERS = 200
SENTENCES = 4
LABELS = ("supported", "partial", "contradicted", "unsupported")
COLUMNS = ("supported", "contradicted", "absent", "unclear", "unjudged")
FORGED = ("contradicted", "unsupported")

GOALS = {
    "p50": Goal("added time of a sentence, p50, ms", "at most", 50),
    "p95": Goal("added time of a sentence, p95, ms", "at most", 300),
    "struck": Goal("true sentences struck, share", "at most", 0.02),
    "passed": Goal("forged sentences told supported, share", "at most", 0.02),
    "repaired": Goal("lies of a repairing model let through", "at most", 0),
}


class Liar(SimpleChatModel):
    """Says a sentence again, as it was or with other numbers."""

    @property
    def _llm_type(self) -> str:
        return "liar"

    def _call(self, messages: Any, *_: Any, **__: Any) -> str:
        said = str(messages[-1].content).partition("句子：")[2].strip().splitlines()[0]
        marks = r"(?<!\[)\d+(?![\d\]])"
        return said if len(said) % 2 else re.sub(marks, lambda one: str(int(one[0]) + 7), said)

    def _stream(self, messages: Any, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk(content=self._call(messages)))


class Told(NamedTuple):
    """A sentence, its label, and what the gate made of it; ``ms`` is how long that took."""

    pair: Pair
    judged: JudgedSentence
    ms: float

    @property
    def verdict(self) -> str:
        """What the page says to it."""
        return self.judged.checks[0].verdict if self.judged.checks else "unjudged"


def sentence_of(pair: Pair, number: int) -> str:
    """Return the claim with a mark before its full stop."""
    claim = " ".join(pair.claim.split())
    stop = claim[-1] if claim[-1] in ".。!！?？" else ""
    return f"{claim.removesuffix(stop)}[{number}]{stop or '.'} "


async def judge(of: Sequence[Pair], answer: int, rng: random.Random) -> list[Told]:
    """Return what the gate makes of an answer that says what ``of`` claim, each of its page."""
    registry = CitationRegistry(same_page_key=same_page_key)
    urls = [f"https://{answer}.example/{place}" for place in range(len(of))]
    registry.add(
        SearchItem(title=pair.source.title, url=url, provider="bench", rank=rank)
        for rank, (pair, url) in enumerate(zip(of, urls, strict=True), 1)
    )
    draft = Draft("?", "chat", registry, "liar", turn_id="1", clock=Clock(), gate="hold")
    text = "".join(sentence_of(pair, number) for number, pair in enumerate(of, 1))
    waited: list[float] = []

    def reads() -> Iterator[Made]:
        for call, (pair, url) in enumerate(zip(of, urls, strict=True), 1):
            # No page is known from another answer.
            page = FetchResponse(
                url=url,
                final_url=url,
                status_code=200,
                content_type="text/html",
                text=f"{pair.source.text}\n\n{answer}.",
                title=pair.source.title,
            )
            source = registry.mark_read(call)
            yield draft.end_read(
                FetchCall(number=call, url=url, text="", source=source, response=page)
            )

    def says() -> Iterator[Made]:
        at = 0
        while at < len(text):
            chars = rng.randint(2, 12)
            yield from draft.write(text[at : at + chars])
            at += chars
        yield from draft.finish()

    async def made() -> AsyncGenerator[Made]:
        for event in reads():
            yield event
        for event in says():
            began = time.perf_counter()
            yield event
            if isinstance(event, AnswerSentence):
                waited.append((time.perf_counter() - began) * 1000)

    liar = Model(chat=Liar(), name="liar", seconds=60)
    gate = AnswerGate(draft, liar, GateBounds(repairs=SENTENCES))
    judged = [
        event.sentence async for event in gate.events(made()) if isinstance(event, SentenceJudged)
    ]
    return [
        Told(of[sentence.numbers[0] - 1], sentence, ms)
        for sentence, ms in zip(judged, waited, strict=True)
    ]


async def judge_all() -> list[Told]:
    """Return what becomes of every sentence of all answers."""
    rng = random.Random(11)  # noqa: S311 - chance that comes again
    every = [*pairs(), *pairs_of_pages(PAGES), *pairs_of_pages(NEWCOMER)]
    # What is told in two sentences is no sentence.
    every = [pair for pair in every if len(sentences(pair.claim)) == 1]
    rng.shuffle(every)
    told: list[Told] = []
    for answer in range(ANSWERS):
        of = [every[(answer * SENTENCES + at) % len(every)] for at in range(SENTENCES)]
        told += await judge(of, answer, rng)
    return told


def main() -> None:
    """Measure and print."""
    told = asyncio.run(judge_all())
    counts = Counter((one.pair.label, one.verdict) for one in told)
    fates = Counter((one.pair.label, one.judged.fate) for one in told)
    totals = Counter(one.pair.label for one in told)
    print(f"{ANSWERS} answers, {len(told)} sentences that cite\n")
    rows = [
        (
            label,
            str(totals[label]),
            *(str(counts[label, verdict]) for verdict in COLUMNS),
            str(fates[label, "struck"]),
        )
        for label in LABELS
    ]
    print(table(("label", "sentences", *(f"told {one}" for one in COLUMNS), "struck"), rows))
    waits = sorted(one.ms for one in told)
    forged = sum(totals[label] for label in FORGED)
    passed = sum(counts[label, "supported"] for label in FORGED)
    measured = {
        "p50": median(waits),
        "p95": quantiles(waits, n=20)[-1],
        "struck": fates["supported", "struck"] / totals["supported"],
        "passed": passed / forged,
        "repaired": sum(fates[label, "repaired"] for label in FORGED),
    }
    print()
    print(table(GOAL_HEADER, [goal.row(measured[name]) for name, goal in GOALS.items()]))
    held = fates["contradicted", "struck"]
    print(
        f"\nadded p50 {measured['p50']:.1f} ms, p95 {measured['p95']:.1f} ms, "
        f"longest {waits[-1]:.0f} ms; contradicted held {held} of {totals['contradicted']}; "
        f"forged let through {passed} of {forged}; "
        f"true struck {fates['supported', 'struck']} of {totals['supported']}"
    )


if __name__ == "__main__":
    main()
