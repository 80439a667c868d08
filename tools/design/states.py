"""The turns of a conversation in every state that they can have, as views."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from citeseek.assistant import notices
from citeseek.citations import CitationRegistry, CitationStream, Round, Source
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.conversations.notice import Said
from citeseek.errors import NetworkError
from citeseek.language_model.model_failures import failure
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt, HostTraffic
from citeseek.surfaces.page.views import Outcome, ReadView, SearchView, TurnView
from citeseek.verification import CitationCheck, Verdict

QUESTION = "How does the making of green and black tea differ, and how long do they keep?"
SOURCES = tuple(
    Source(
        number,
        title,
        f"https://{host}/{path}",
        host,
        snippet=snippet,
        published_at=day,
        was_read=number in (1, 2),
    )
    for number, (title, host, path, day, snippet) in enumerate(
        (
            (
                "The making of green tea: heat first",
                "tea.example.org",
                "green",
                "2026-06-25",
                (
                    "It is plucked with care. In the making of green tea the fresh leaf is heated "
                    "within hours, in a pan or with steam, so that its enzymes stop and it stays "
                    "green. Then it is rolled and dried."
                ),
            ),
            (
                "Black tea in four steps: withering, rolling, oxidation, drying",
                "blackleaf.example",
                "steps",
                "2026-05-03",
                (
                    "Black tea is withered, rolled and left to oxidise for three to five hours "
                    "before it is dried. It keeps around two years at room temperature."
                ),
            ),
            (
                "Tea",
                "en.encyclopedia.example",
                "wiki/Tea",
                "",
                "Tea is a drink made of the leaves of the tea plant.",
            ),
            (
                "How long does tea keep?",
                "food.example.com",
                "tea-keeps",
                "2024-02-11",
                "Caffeine stays nearly the same for a year, but the taste fades.",
            ),
            ("Tea rooms of the north", "rooms.example", "north", "2023-09-01", "Where to sit."),
            ("The plant itself", "botany.example.edu", "camellia", "", "One plant, many teas."),
            ("Prices of tea", "market.example", "tea", "2026-01-02", "They rose again."),
        ),
        1,
    )
)
WRITTEN = (
    "Both come from the same plant; what differs is oxidation. Green tea is heated within hours of "
    "plucking, so its enzymes stop and the leaf stays green [1][3]. Black tea is withered, rolled "
    "and left to oxidise for three to five hours before it is dried [2].\n\n"
    "Green tea keeps about a year if it is cold and dark; black tea keeps around two years [2] [4]."
)
STRUCK = " ~~It loses all its caffeine after six months [4].~~"
RICH = """\
## What to use

1. A **pan** or a steamer
2. Leaves, *plucked this morning* [1]

> The fresh leaf is heated within hours.

```python
def litres(diameter_cm: float, days: int = 1) -> float:
    return round(3.14159 * (diameter_cm / 200) ** 2 * 17 * days, 2)
```

| tea | oxidised | keeps |
|---|---|--:|
| green | no | 1 year [4] |
| black | yes | 2 years [2] |

The area is $A = \\pi r^2$, and `pi` is no tea.
"""
LONG = " ".join([QUESTION] * 4)
RECEIPT = EgressReceipt(
    hosts=(HostTraffic(host="search.example:8080", requests=1, received_bytes=5_200),),
    requests=1,
    received_bytes=5_200,
)


def states() -> Iterator[tuple[str, TurnView]]:
    """Yield each state under its name."""
    running = TurnView(id="thinking", mode="chat", question=QUESTION)
    yield "thinking", running
    search = SearchView(call=1, query=QUESTION)
    yield "searching", replace(running, id="searching", searches=(search,))
    done = _done(search, SOURCES)
    found = replace(running, searches=(done,), sources=SOURCES)
    read = ReadView(call=1, url=SOURCES[0].url, state="done", source=SOURCES[0])
    reading = (read, ReadView(call=2, url=SOURCES[1].url))
    yield "reading", replace(found, id="reading", reads=reading)
    yield "answering", _said(replace(found, id="answering"), WRITTEN[:150])
    yield "thoughts", replace(found, id="thoughts", thinking="It asks for two things.")
    answered = _said(replace(found, reads=(read,)), WRITTEN, outcome="answered")
    answered = replace(answered, model="a-small-model", egress=RECEIPT)
    yield "answered", replace(answered, id="answered")
    yield "checked", _judged(replace(answered, id="checked"))
    yield "uncited", _said(replace(answered, id="uncited"), "Nobody knows.", outcome="answered")
    yield "unsearched", _said(replace(running, id="unsearched"), "A plant.", outcome="answered")
    yield "rounds", _rounds(replace(answered, id="rounds"))
    yield (
        "rich",
        replace(_said(answered, RICH, outcome="answered"), id="rich", question="What do I need?"),
    )
    yield "long", replace(answered, id="long", question=LONG)
    yield from _troubles(running, done)


def _troubles(running: TurnView, done: SearchView) -> Iterator[tuple[str, TurnView]]:
    broken = Failure(type="NetworkError", message="", retryable=True, engine="searxng")
    lost = SearchView(call=1, query=QUESTION, state="failed", failure=broken)
    told = notices.search_failed(NetworkError("", engine="searxng"), seconds=5).kept
    memory = replace(running, id="no-search", searches=(lost,), notices=(told,))
    yield "no-search", _said(memory, "From memory: it is the heat.", outcome="answered")
    said = notices.model_failed(failure("unreachable"), has_sources=True).kept
    view = replace(running, id="no-model", searches=(done,), sources=SOURCES, notices=(said,))
    yield "no-model", replace(view, outcome="failed")
    yield "stopped", _said(replace(running, id="stopped"), "It is the", outcome="stopped")
    cut = replace(running, id="cut", notices=(Said(code="cut_length"),))
    yield "cut", _said(cut, WRITTEN[:160], outcome="answered")


def _done(search: SearchView, sources: tuple[Source, ...]) -> SearchView:
    return replace(search, state="done", provider="searxng", took_ms=1_900, sources=sources)


def _said(view: TurnView, written: str, *, outcome: Outcome = "running") -> TurnView:
    """Return ``view`` with an answer whose marks are citations of its sources."""
    stream = CitationStream(CitationRegistry.of(view.sources))
    answer = stream.feed(written) + stream.finish()
    spans = tuple(stream.spans)
    cited = tuple(sorted({span.number for span in spans}))
    return replace(view, answer=answer, spans=spans, cited=cited, outcome=outcome)


def _judged(view: TurnView) -> TurnView:
    """Return an answer that the gate compared: each verdict, and a sentence that is struck."""
    view = _said(view, WRITTEN + STRUCK, outcome="answered")
    verdicts: tuple[tuple[int, Verdict, str, str], ...] = (
        (1, "supported", "the leaf stays green", "its enzymes stop and it stays green"),
        (3, "unclear", "the leaf stays green", ""),
        (2, "supported", "three to five hours", "left to oxidise for three to five hours"),
        (2, "supported", "around two years", "It keeps around two years at room temperature."),
        (4, "absent", "around two years", ""),
    )
    sentences = [
        JudgedSentence(
            text=f"{claim} [{number}].", fate="kept", checks=(_check(number, verdict, claim, says),)
        )
        for number, verdict, claim, says in verdicts
    ]
    claim = "It loses all its caffeine after six months"
    check = _check(4, "contradicted", claim, "Caffeine stays nearly the same for a year")
    struck = JudgedSentence(text=f"{claim} [4].", fate="struck", checks=(check,))
    return replace(view, judged=(*sentences, struck))


def _check(number: int, verdict: Verdict, claim: str, evidence: str) -> CitationCheck:
    return CitationCheck(
        number=number,
        claim=claim,
        verdict=verdict,
        verdict_v1="",
        reason="verbatim",
        evidence=evidence,
    )


def _rounds(view: TurnView) -> TurnView:
    """Return an answer of Agent mode over two searches."""
    queries = ("making of green tea", "shelf life of tea")
    parts = (SOURCES[:3], SOURCES[3:])
    searches = tuple(
        _done(SearchView(call=place, query=query, round=place), sources)
        for place, (query, sources) in enumerate(zip(queries, parts, strict=True), 1)
    )
    rounds = tuple(
        Round(search.query, tuple(source.number for source in search.sources), search.round)
        for search in searches
    )
    return replace(view, mode="agent", searches=searches, rounds=rounds)
