"""Pages that nearly say a claim, by what is different; and pages that do say it, beside each."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeseek.verification import SourceText, support

HERE = Path(__file__).parent


def read(name: str) -> dict[str, list[tuple[str, str]]]:
    """Return the claims and pages of the file ``name`` by their kind."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in (HERE / name).read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, claim, page = line.split(" | ")
            found.setdefault(kind, []).append((claim, page))
    return found


MISSES, HITS = read("near_misses.txt"), read("near_hits.txt")


@pytest.mark.parametrize("kind", MISSES)
def test_what_a_page_nearly_says_is_not_supported(kind: str) -> None:
    passed = [
        (claim, page)
        for claim, page in MISSES[kind]
        if support(claim, SourceText(page)).verdict == "supported"
    ]
    assert not passed


@pytest.mark.parametrize("kind", HITS)
def test_what_it_does_say_is_supported(kind: str) -> None:
    others = [
        (claim, page)
        for claim, page in HITS[kind]
        if support(claim, SourceText(page)).verdict != "supported"
    ]
    assert not others


@pytest.mark.parametrize(
    "behind",
    [
        "It sounds sure, but this is total nonsense.",
        "That is not at all true.",
        "这一说法不实。",
    ],
)
def test_what_the_next_sentence_takes_back_is_not_supported(behind: str) -> None:
    told = "The weaver Aldo Brink had four looms in total."
    assert support(told, SourceText(told)).verdict == "supported"
    assert support(told, SourceText(f"{told} {behind}")).verdict == "unclear"
    assert support(told, SourceText(f"{behind}\n\nA dyer says: {told}")).verdict == "supported"


def test_a_page_that_says_both_is_unclear() -> None:
    page = (
        "Oak is denser than pine. Exercise 3: is oak denser than pine? 4: Pine is denser than oak."
    )
    found = support("Oak is denser than pine.", SourceText(page))
    assert (found.verdict, "Pine is denser than oak" in found.evidence) == ("unclear", True)
