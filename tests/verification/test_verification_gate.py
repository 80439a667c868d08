"""The check of citations over claims that are labelled by hand, with pinned floors.

The set is pinned as well: who changes it states its new hash and, with it, that the floors were
measured again.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from tests.verification.labelled import (
    FILE,
    NEWCOMER,
    PAGES,
    Confusion,
    Pair,
    by_overlap,
    checked,
    pairs,
    pairs_of_pages,
)

from citeseek.verification import SourceText, support

SHA256 = {
    FILE: "bdc95e2702d60cc5504ff2a5e62f557c951b7bbb6870b58f9c0ff47322e58c76",
    PAGES: "d1a1c293d799ce118d4842bc7c0d65c9cacbbc55c8b8d92b2e8c08d616863e9a",
    NEWCOMER: "430b6934c24fe8420e26a49d56ebd6557f348b67ef78e97b52166c8402b9f25a",
}
ALL = list(pairs())
OF_PAGES = list(pairs_of_pages(PAGES))
OF_NEWCOMER = list(pairs_of_pages(NEWCOMER))
EVERY = [*ALL, *OF_PAGES, *OF_NEWCOMER]
# What is measured, less a little: in all sets together, on pages, and on those of the newcomer.
PRECISION, ACCUSED, CONTRADICTION = 0.95, 0.02, 0.95
RECALL = {"every": 0.62, "pages": 0.8, "newcomer": 0.12}
PAGE_CHARS = 1_800
HELD_OUT = [pair for pair in ALL if pair.held_out]
# How much of what has one value changed is told to be contradicted.
CONTRADICTED = 0.6
# What turns a true claim into a false one.
FORGED = frozenset(
    "digit unit name wrong-thing swap negation date opposite stitched number wrong-source "
    "respectively one-of quantifier".split()
)


@pytest.mark.parametrize("path", SHA256, ids=lambda path: path.stem)
def test_the_set_is_the_one_that_was_measured(path: Path) -> None:
    assert hashlib.sha256(path.read_bytes()).hexdigest() == SHA256[path]


def test_the_sets_are_large_and_a_third_is_of_somebody_who_had_not_read_the_code() -> None:
    assert len({(pair.claim, pair.source.text) for pair in EVERY}) == len(EVERY) >= 800
    assert 3 * len(OF_NEWCOMER) >= len(EVERY)
    texts = {pair.source.text for pair in (*OF_PAGES, *OF_NEWCOMER)}
    # A Chinese character says as much as three letters.
    assert all(len(text) + 2 * sum(one >= "一" for one in text) >= PAGE_CHARS for text in texts)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "of"), [("every", EVERY), ("pages", OF_PAGES), ("newcomer", OF_NEWCOMER)]
)
def test_verdicts_on_pages_can_be_trusted(name: str, of: list[Pair]) -> None:
    found = Confusion(of, checked)
    assert found.precision("supported") >= PRECISION
    assert found.accused() <= ACCUSED
    assert found.contradicted() >= CONTRADICTION
    assert found.recall("supported") >= RECALL[name]


def test_the_set_is_large_and_of_both_languages() -> None:
    assert len(ALL) >= 150
    assert len(HELD_OUT) >= 50
    chinese = sum(any("\u4e00" <= one <= "\u9fff" for one in pair.claim) for pair in ALL)
    assert chinese >= len(ALL) / 3
    assert len(ALL) - chinese >= len(ALL) / 3
    assert {pair.kind for pair in ALL} >= FORGED


def test_every_claim_has_a_source_and_stands_once() -> None:
    labelled = json.loads(FILE.read_bytes())
    told = [(one["source"], one["claim"]) for one in labelled["claims"]]
    assert len(set(told)) == len(told)
    assert {source for source, _ in told} == set(labelled["sources"])


@pytest.mark.parametrize("of", [ALL, HELD_OUT], ids=["all", "held out"])
def test_supported_can_be_trusted(of: list[Pair]) -> None:
    found = Confusion(of, checked)
    assert found.precision("supported") >= 0.99
    assert found.recall("supported") >= 0.92


@pytest.mark.parametrize("of", [ALL, HELD_OUT], ids=["all", "held out"])
def test_contradicted_can_be_trusted(of: list[Pair]) -> None:
    told = Counter(pair.label for pair in of if checked(pair) == "contradicted")
    assert told["unsupported"] >= 0.98 * told.total() > 0


def test_another_value_is_told_as_a_contradiction() -> None:
    changed = [pair for pair in ALL if pair.kind in {"digit", "unit", "date", "opposite"}]
    told = [pair for pair in changed if checked(pair) == "contradicted"]
    assert len(told) >= CONTRADICTED * len(changed)


def test_true_claims_are_not_accused() -> None:
    true = [pair for pair in ALL if pair.label == "supported"]
    accused = [pair.claim for pair in true if checked(pair) in {"contradicted", "absent"}]
    assert accused == []


def test_nothing_forged_passes() -> None:
    passed = [
        pair.claim for pair in ALL if pair.label == "unsupported" and checked(pair) == "supported"
    ]
    assert passed == []


def test_the_score_tells_true_claims_from_others() -> None:
    scores = [(support(pair.claim, pair.source).score, pair.label) for pair in ALL]
    assert all(0 <= score <= 1 for score, _ in scores)
    true = [score for score, label in scores if label == "supported"]
    false = [score for score, label in scores if label == "unsupported"]
    above = sum(one > other for one in true for other in false)
    assert above >= 0.7 * len(true) * len(false)


def test_an_overlap_of_terms_is_far_worse() -> None:
    plain, ours = Confusion(ALL, by_overlap), Confusion(ALL, checked)
    assert plain.precision("supported") < 0.7 < ours.precision("supported")
    assert plain.recall("supported") < ours.recall("supported")


@pytest.mark.release
def test_other_texts_on_the_page_change_little() -> None:
    rest = "\n\n".join(dict.fromkeys(pair.source.text for pair in ALL))

    def among_all(pair: Pair) -> str:
        text = f"{pair.source.text}\n\n{rest}"
        return support(pair.claim, SourceText(text, title=pair.source.title)).verdict

    found = Confusion([pair for pair in ALL if pair.kind != "wrong-source"], among_all)
    assert found.precision("supported") >= 0.99
    assert found.recall("supported") >= 0.92


def test_evidence_stands_in_the_source_letter_by_letter() -> None:
    for pair in ALL:
        found = support(pair.claim, pair.source)
        assert pair.source.text[found.start :].startswith(found.evidence)
        assert found.evidence or found.verdict in {"absent", "unclear"}
