"""The faces as values, and what each makes of the number of results that a caller wants."""

from __future__ import annotations

import logging

import pytest

from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, FACES, OPEN, Face


@pytest.mark.parametrize(
    ("face", "engine", "count", "cache", "ttl_minutes"),
    [
        pytest.param(CHAT, "searxng", 5, "session", 0, id="chat"),
        pytest.param(AGENT, "duck-duck-scrape", 5, "process", 5, id="agent"),
        pytest.param(CONTRACT, "stub", 5, "none", 0, id="contract"),
        pytest.param(BROWSER, "google", 10, "none", 0, id="browser"),
        pytest.param(OPEN, "auto", 10, "process", 5, id="open"),
    ],
)
@pytest.mark.requirement("P2", "P3", "P6")
def test_each_face_has_its_own_defaults(
    face: Face, engine: str, count: int, cache: str, ttl_minutes: float
) -> None:
    assert (face.engine, face.count) == (engine, count)
    assert (face.cache, face.ttl_minutes) == (cache, ttl_minutes)


@pytest.mark.requirement("P4")
def test_the_deadline_comes_from_the_face() -> None:
    assert [face.seconds for face in (CHAT, BROWSER, AGENT)] == [5, 5, 15]


def test_the_ids_of_the_faces_differ() -> None:
    assert [face.id for face in FACES] == ["chat", "agent", "contract", "browser", "open"]


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.id)
def test_no_wish_is_the_number_of_the_settings(face: Face) -> None:
    assert face.counts.apply(None, 4) == 4


@pytest.mark.parametrize(
    ("wanted", "used"),
    [(3, 3), (4, 4), (5, 5), (2, 5), (6, 5), (0, 5), (-1, 5), (50, 5), ("4", 5), (True, 5)],
)
@pytest.mark.requirement("P3")
def test_chat_takes_3_to_5_or_its_default(wanted: object, used: int) -> None:
    assert CHAT.counts.apply(wanted, CHAT.count) == used


@pytest.mark.parametrize(
    ("wanted", "used"),
    [(1, 1), (10, 10), (0, 1), (-7, 1), (11, 10), (999, 10), ("x", 5), (True, 5)],
)
@pytest.mark.requirement("P3", "S2-46")
def test_the_agent_takes_the_nearest_of_1_to_10(wanted: object, used: int) -> None:
    assert AGENT.counts.apply(wanted, AGENT.count) == used


@pytest.mark.parametrize("wanted", [1, 10])
@pytest.mark.requirement("S3-11")
def test_the_contract_takes_1_to_10(wanted: int) -> None:
    assert CONTRACT.counts.apply(wanted, CONTRACT.count) == wanted


@pytest.mark.parametrize("wanted", [0, 11, -1, 2.5, "x", "5", True])
@pytest.mark.requirement("S3-11", "S3-36")
def test_the_contract_refuses_every_other_number(wanted: object) -> None:
    with pytest.raises(InvalidInput, match="from 1 to 10"):
        CONTRACT.counts.apply(wanted, CONTRACT.count)


@pytest.mark.parametrize("wanted", [0, 51, "x"])
def test_the_open_face_refuses_what_is_not_from_1_to_50(wanted: object) -> None:
    assert OPEN.counts.apply(50, OPEN.count) == 50
    with pytest.raises(InvalidInput, match="from 1 to 50"):
        OPEN.counts.apply(wanted, OPEN.count)


@pytest.mark.parametrize("wanted", [None, 1, 10, 50, "3"])
@pytest.mark.requirement("S4-18", "S4-19")
def test_browser_search_gives_10_whatever_is_wanted(wanted: object) -> None:
    assert BROWSER.counts.apply(wanted, BROWSER.count) == 10


@pytest.mark.parametrize(
    ("face", "wanted", "used"), [(CHAT, 9, 5), (AGENT, 99, 10), (AGENT, "x", 5)]
)
def test_a_number_that_is_not_used_is_logged(
    face: Face, wanted: object, used: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    face.counts.apply(wanted, face.count)
    (line,) = caplog.messages
    assert repr(wanted) in line
    assert f"{used} is used" in line
