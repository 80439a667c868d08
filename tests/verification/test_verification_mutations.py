"""Every sentence of the labelled sources, as it is and with one thing changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from tests.verification.labelled import FILE

from citeseek.text import sentences
from citeseek.verification import SourceText, support

SOURCES = json.loads(FILE.read_bytes())["sources"]
SENTENCES = [
    (name, sentence) for name, one in SOURCES.items() for sentence in sentences(one["text"])
]


# The others are values that stand elsewhere in the text too, or parts of names.
DIGITS = 0.6


def with_another_digit(sentence: str) -> Iterator[str]:
    for match in re.finditer(r"\d", sentence):
        other = str((int(match[0]) + 3) % 10)
        yield sentence[: match.start()] + other + sentence[match.end() :]


def verdict(name: str, claim: str) -> str:
    source = SOURCES[name]
    return support(claim, SourceText(source["text"], title=source["title"])).verdict


@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_a_sentence_of_the_source_is_supported(name: str, sentence: str) -> None:
    assert verdict(name, sentence) == "supported"


@pytest.mark.sample(40)
@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_no_digit_of_it_can_be_changed(name: str, sentence: str) -> None:
    for changed in with_another_digit(sentence):
        if changed not in SOURCES[name]["text"]:
            assert verdict(name, changed) in {"contradicted", "unclear"}, changed


@pytest.mark.release
def test_most_changed_digits_are_told_as_contradictions() -> None:
    told = [
        verdict(name, changed)
        for name, sentence in SENTENCES
        for changed in with_another_digit(sentence)
        if changed not in SOURCES[name]["text"]
    ]
    assert told.count("contradicted") >= DIGITS * len(told)


@pytest.mark.sample(40)
@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_it_cannot_be_denied(name: str, sentence: str) -> None:
    assert verdict(name, f"It is not true that {sentence}") != "supported"
    assert verdict(name, f"{sentence.rstrip('。.')}的说法并不属实。") != "supported"
