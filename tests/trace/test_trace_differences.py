"""What changed between two searches, and why: lost and new pages, votes, ties, mirrors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.conftest import settings
from tests.shelf import Shelf
from tests.trace.recorded import recorded

from citeseek.errors import WebBlocked
from citeseek.replay import differences
from citeseek.replay.differences import as_json
from citeseek.trace.trace_record import Part, Trace

LONG = (
    "Leaves are picked by hand, steamed or roasted within hours so that they keep their colour, "
    "then rolled and dried; farms on both sides of the river still do so every April."
)


def page(name: str, title: str = "", snippet: str = "") -> dict[str, str]:
    return {"url": f"https://{name}.example/", "title": title or name, "snippet": snippet}


async def search(
    one: Sequence[Any] | Exception, two: Sequence[Any] | Exception | None = None, **asked: Any
) -> Trace:
    """Return the trace of a search in which the engines ``one`` and ``two`` show so much."""
    outcomes = {"one": one, **({"two": two} if two is not None else {})}
    engines = tuple(
        Shelf(outcome if isinstance(outcome, Exception) else list(outcome), id=name)
        for name, outcome in outcomes.items()
    )
    return await recorded(
        settings(),
        lambda client: client.search("green tea", engines=list(outcomes), **asked),
        engines=engines,
    )


def told(before: Trace, after: Trace) -> str:
    return "\n".join(differences(before, after))


async def test_the_same_search_differs_in_nothing() -> None:
    before, after = [await search([page("a"), page("b")]) for _ in range(2)]
    assert differences(before, after) == []
    assert as_json(before, after)["same"]


async def test_new_and_lost_pages_and_those_that_moved() -> None:
    before = await search([page("a"), page("b"), page("c")])
    after = await search([page("b"), page("a"), page("d")])
    text = told(before, after)
    assert "2 → 1  https://b.example/\n    one showed it at 2, and now at 1" in text
    assert "– → 3  https://d.example/\n    one shows it at 3, and then did not show it" in text
    assert "3 → –  https://c.example/\n    one showed it at 3, and now does not show it" in text
    (found,) = as_json(before, after)["searches"]
    assert [(c["before"], c["after"]) for c in found["pages"]] == [
        (2, 1),
        (1, 2),
        (None, 3),
        (3, None),
    ]


async def test_an_engine_that_failed_is_the_reason() -> None:
    before = await search([page("a")], [page("b")])
    blocked = WebBlocked("Asked for a CAPTCHA.", detail_code="captcha_required")
    after = await search([page("a")], blocked)
    text = told(before, after)
    assert "two: answered → failed: captcha_required" in text
    assert "two showed it at 1, and now failed: captcha_required" in text
    assert "two shows it at 1, and then failed: captcha_required" in told(after, before)


async def test_a_second_vote_lifts_a_page() -> None:
    before = await search([page("a"), page("b")], [page("c")])
    after = await search([page("a"), page("b")], [page("b"), page("c")])
    text = told(before, after)
    assert "→ 1  https://b.example/\n    two shows it at 1, and then did not show it" in text
    assert "score 0.01613 → 0.03252" in text
    assert "above it now: https://b.example/" in text


async def test_a_tie_is_told_with_what_decided_it() -> None:
    before = await search([page("a")], [page("b")])
    after = await search([page("a")], [page("b", title="green tea")])
    assert "as good as https://a.example/, which is below it: 0 words of the query to 2" in told(
        before, after
    )


async def test_mirrors_are_told() -> None:
    title = "How green tea is made in spring"
    here, mirror = page("a", title, LONG), page("mirror", title, LONG)
    alone = await search([page("x"), here], [page("y")])
    together = await search([page("x"), here], [page("y"), mirror])
    assert "has the votes of its mirror https://mirror.example/ as well" in told(alone, together)
    only_mirror = await search([page("x")], [page("y"), mirror])
    both = await search([here, page("x")], [page("y"), mirror])
    text = told(only_mirror, both)
    assert "→ –  https://mirror.example/\n    shown under its mirror https://a.example/" in text
    back = told(both, only_mirror)
    assert "– → 3  https://mirror.example/\n    was shown under its mirror" in back


async def test_a_page_beyond_the_number_of_results_is_said_to_be_there() -> None:
    before = await search([page("a"), page("b")], count=2)
    after = await search([page("c"), page("a"), page("b")], count=2)
    assert "2 → –  https://b.example/" in told(before, after)
    assert "now at 3, beyond the 2 that are shown" in told(before, after)


async def test_results_that_are_left_out_are_counted() -> None:
    before = await search([page("a")])
    after = await search([page("a"), {"url": "ftp://x", "title": "x"}])
    assert "one: results left out: 0 → 1" in told(before, after)


async def test_another_question_is_said_first() -> None:
    before = await search([page("a")])
    after = await search([page("a")], count=3)
    assert told(before, after).startswith("asked: count: – → 3")


async def test_different_calls_are_not_compared() -> None:
    before = await search([page("a")])
    after = await search([page("b")])
    after.call.name = "black tea"
    assert differences(before, after) == ["asked: search 'green tea' → search 'black tea'"]
    after.call = Part(kind="report", name="green tea", result={"text": "x" * 9_000})
    assert differences(before, after) == ["asked: search 'green tea' → report 'green tea'"]
    assert as_json(before, after)["searches"] == []
    assert not as_json(before, after)["same"]


def report(depth: int, pages: int) -> Trace:
    parts = [Part(kind="fetch", name=f"https://{n}.example/") for n in range(pages)]
    asked = {"inquiry": {"question": "tea", "depth": depth}, "model": None}
    result = {"report": {"text": f"{depth} " * 9_000}, "pages": [{"text": "x"}] * pages}
    call = Part(kind="report", name="tea", asked=asked, parts=parts, result=result)
    return Trace(citeseek="0", trace_id="1", began_at="", settings={}, call=call)


def test_of_reports_of_different_depth_the_depth_and_the_pages_are_told() -> None:
    assert differences(report(1, 1), report(2, 3)) == [
        "asked: inquiry.depth: 1 → 2",
        "pages: 1 → 3",
        "    + https://1.example/",
        "    + https://2.example/",
    ]


def test_of_long_texts_the_place_where_they_differ_is_told() -> None:
    before, after = report(1, 1), report(1, 1)
    text = "Tea is a leaf. " * 1_000
    before.call.result = {"text": f"{text}It is green. {text}"}
    after.call.result = {"text": f"{text}It is black. {text}", "title": "Tea"}
    shown = told(before, after)
    assert "It is green" in shown
    assert "It is black" in shown
    assert len(shown) < 1_000


def test_what_was_set_otherwise_is_told_by_its_name() -> None:
    before, after = report(1, 1), report(1, 1)
    before.settings = {"config": {"web": {"fetch": {"robots": "on"}}}}
    after.settings = {"config": {"web": {"fetch": {"robots": "off"}, "proxy": "x" * 900}}}
    one, other = differences(before, after)
    assert one == 'settings: config.web.fetch.robots: "on" → "off"'
    assert other.startswith('settings: config.web.proxy: – → "xxx')
    assert len(other) < 200
    after.settings = {"env": {f"NAME_{n}": "1" for n in range(99)}}
    assert len(differences(before, after)) == 21
