"""Facts of the research site, which were written for something else: right, and as rumours."""

from __future__ import annotations

import pytest
from tests.research.site.topics import Fact, Topic, topics

from citeseek.verification import SourceText, support

FACTS = [(topic, fact) for topic in topics() for fact in topic.facts]
NAMES = [f"{topic.slug}-{topic.facts.index(fact)}" for topic, fact in FACTS]


def verdict(claim: str, topic: Topic) -> str:
    return support(claim, SourceText("\n\n".join(topic.article), title=topic.title)).verdict


@pytest.mark.parametrize(("topic", "fact"), FACTS, ids=NAMES)
def test_a_fact_is_supported(topic: Topic, fact: Fact) -> None:
    assert verdict(fact.sentence, topic) == "supported"


@pytest.mark.parametrize(("topic", "fact"), FACTS, ids=NAMES)
def test_a_rumour_is_not_supported(topic: Topic, fact: Fact) -> None:
    assert verdict(fact.rumour, topic) != "supported"


@pytest.mark.parametrize(("topic", "fact"), FACTS, ids=NAMES)
def test_a_rumour_in_other_words_is_not_supported(topic: Topic, fact: Fact) -> None:
    forged = fact.restated.replace(fact.value, fact.wrong)
    if forged != fact.restated:
        assert verdict(forged, topic) != "supported"


def test_another_version_is_not_supported() -> None:
    source = SourceText("Python 3.1 added ordered dictionaries to its library.")
    claim = "Python {} added ordered dictionaries to its library."
    assert support(claim.format("3.1"), source).verdict == "supported"
    assert support(claim.format("3.10"), source).verdict != "supported"
