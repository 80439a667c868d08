"""Engines are left alone when they ask for it: so many calls a minute, and cool-downs that grow."""

from __future__ import annotations

import math
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import hypothesis
import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from citeseek.concurrency.admission import SlidingWindow
from citeseek.errors import (
    AuthError,
    BadGateway,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.i18n import catalogue
from citeseek.models import Page
from citeseek.searching.breaker import Breaker
from citeseek.searching.engine_limits import MAX_UPSTREAMS, Limits, too_many

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
PROBE = 30.0


class Clock:
    """Seconds that pass when the test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


FAILURES = {
    "captcha": (WebBlocked, "captcha_required"),
    "403": (WebBlocked, "http_403"),
    "429": (WebBlocked, "http_429"),
    "timeout": (Timeout, ""),
    "network": (NetworkError, ""),
    "502": (BadGateway, "http_502"),
    "503": (BadGateway, "http_503"),
    "401": (AuthError, "http_401"),
    "drift": (WebParseError, "drift"),
    "surprise": (WebProviderError, ""),
    "ours": (WebBlocked, "rate_limited_here"),
}
REFUSALS = {"captcha": 300.0, "403": 300.0, "429": 60.0}
OUTAGES = {"timeout": 10.0, "network": 10.0, "502": 15.0, "503": 15.0}
HARMLESS = ("401", "drift", "surprise", "ours")


def failure(name: str, retry_after: float | None = None) -> SearchFailed:
    kind, detail_code = FAILURES[name]
    return kind(
        f"It failed ({name}).", hint="Do this.", detail_code=detail_code, retry_after=retry_after
    )


def after(sequence: str, clock: Clock) -> Breaker:
    """Return a breaker after ``sequence``.

    Its words are failures, ``403:90`` with Retry-After, ``ok``, ``probe`` and ``+seconds``.
    """
    breaker = Breaker(clock=clock)
    for word in sequence.split():
        name, _, retry_after = word.partition(":")
        if word.startswith("+"):
            clock.now += float(word)
        elif word == "ok":
            breaker.close()
        elif word == "probe":
            assert breaker.refusal("e") is None
            breaker.take()
        else:
            breaker.record_failure(failure(name, float(retry_after) if retry_after else None))
    return breaker


# The rate limit


@pytest.mark.requirement("S2-63")
def test_the_call_after_n_in_a_minute_waits() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    for _ in range(3):
        assert limits.admit("ddg", 3) == 0.0
        clock.now += 10
    assert limits.admit("ddg", 3) == 30.0
    clock.now += 29.5
    assert limits.admit("ddg", 3) == 0.5
    clock.now += 0.5
    assert limits.admit("ddg", 3) == 0.0
    assert limits.admit("ddg", 3) == 10.0


def test_a_call_that_waits_is_not_counted() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    assert [limits.admit("ddg", 1) for _ in range(3)] == [0.0, 60.0, 60.0]
    clock.now += MINUTE
    assert limits.admit("ddg", 1) == 0.0


def test_engines_do_not_share_a_limit_and_may_have_none() -> None:
    limits = Limits(clock=Clock())
    assert limits.admit("ddg", 1) == 0.0
    assert limits.admit("brave", 1) == 0.0
    assert [limits.admit("searxng", None) for _ in range(1000)] == [0.0] * 1000
    assert limits.admit("ddg", 1) == 60.0


def test_a_changed_limit_counts_afresh() -> None:
    limits = Limits(clock=Clock())
    assert [limits.admit("ddg", 1), limits.admit("ddg", 1)] == [0.0, 60.0]
    assert [limits.admit("ddg", 2) for _ in range(3)] == [0.0, 0.0, 60.0]


@hypothesis.given(st.integers(1, 6), st.lists(st.integers(0, 100), max_size=60))
@pytest.mark.requirement("S2-63")
def test_no_minute_holds_more_than_n_calls(per_minute: int, pauses: list[int]) -> None:
    clock = Clock()
    rate = SlidingWindow(per_minute, clock=clock)
    sent: list[float] = []
    for pause in pauses:
        clock.now += pause / 4
        recent = [moment for moment in sent if moment > clock.now - MINUTE]
        assert len(recent) <= per_minute
        free = len(recent) < per_minute
        assert rate.delay() == (0.0 if free else recent[0] + MINUTE - clock.now)
        if free:
            rate.take()
            sent.append(clock.now)


@hypothesis.given(
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 80), st.floats(0, 1)), max_size=40),
)
@pytest.mark.requirement("S2-63")
def test_no_minute_holds_more_than_n_calls_where_they_arrive(
    per_minute: int, calls: list[tuple[int, int, float]]
) -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    # When it ends, whether it ended well, and when it had begun.
    under_way: list[tuple[float, bool, float]] = []
    arrived: list[float] = []

    def end_until(now: float) -> None:
        for ends, is_well, began in sorted(under_way):
            if ends <= now:
                clock.now = ends
                if is_well:
                    limits.record("ddg", None, began=began)
                else:
                    limits.give_back("ddg", began=began)
                under_way.remove((ends, is_well, began))
        clock.now = now

    for pause, took, share in calls:
        end_until(clock.now + pause / 4)
        while wait := limits.admit("ddg", per_minute):
            end_until(clock.now + wait)
        arrived.append(clock.now + share * took / 4)
        under_way.append((clock.now + took / 4, share > 0.5, clock.now))

    arrived.sort()
    for first, last in zip(arrived, arrived[per_minute:], strict=False):
        assert last - first >= MINUTE or math.isclose(last - first, MINUTE)


@pytest.mark.parametrize("per_minute", [0, -1])
def test_a_limit_allows_something(per_minute: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        SlidingWindow(per_minute)


@pytest.mark.requirement("S2-63")
def test_the_error_names_the_limit_the_wait_and_the_setting() -> None:
    error = too_many("ddg", 20, 12.2)
    assert isinstance(error, WebBlocked)
    assert (error.engine, error.detail_code) == ("ddg", "rate_limited_here")
    assert error.retry_after == 13
    assert "20 searches per minute" in error.message
    assert "nothing was sent" in error.message
    assert "13 s" in error.message
    assert "engines.ddg.rate_per_minute" in error.hint


# The breaker: which failures open it, and for how long


@pytest.mark.parametrize(
    ("sequence", "seconds"),
    [
        *((name, seconds) for name, seconds in REFUSALS.items()),
        *((name, 0.0) for name in OUTAGES),
        *((f"{name} {name}", 0.0) for name in OUTAGES),
        *((f"{name} {name} {name}", seconds) for name, seconds in OUTAGES.items()),
        *((" ".join([name] * 20), 0.0) for name in HARMLESS),
        # A row of outages may be mixed, and ends with an answer.
        ("502 503 502", 15.0),
        ("502 network timeout", 10.0),
        ("timeout timeout ok timeout timeout", 0.0),
        ("timeout timeout drift timeout timeout", 0.0),
        ("timeout +3000 timeout +3000 timeout", 10.0),
        ("timeout timeout captcha", 300.0),
        # Retry-After, in place of the first cool-down, up to a day.
        ("429:7", 7.0),
        ("429:600", 600.0),
        ("429:7200", 7200.0),
        ("429:90000", DAY),
        ("429:inf", DAY),
        ("429:0", 60.0),
        ("429:-5", 60.0),
        ("429:nan", 60.0),
        ("403:20", 20.0),
        ("503:120", 120.0),
        ("401:120", 0.0),
        # Growth.
        ("429 +60 probe 429", 120.0),
        ("429 +60 probe 429 +120 probe 429", 240.0),
        ("captcha +300 probe captcha +600 probe captcha +1200 probe captcha", 2400.0),
        (
            "captcha +300 probe captcha +600 probe captcha +1200 probe captcha +2400 probe 403",
            300.0,
        ),
        (
            "captcha +300 probe captcha +600 probe captcha +1200 probe captcha +2400 probe captcha",
            HOUR,
        ),
        ("timeout timeout timeout +10 probe timeout", 20.0),
        ("timeout timeout timeout +10 probe ok timeout timeout", 0.0),
        ("429:5 +5 probe 429:5", 10.0),
        ("429:5 +5 probe 429", 60.0),
        ("429:7200 +7200 probe 429", HOUR),
        ("429 +60 probe 429:7200", 7200.0),
        ("429 +60 probe ok 429", 60.0),
        ("429 +60 probe captcha +300 probe 429", 120.0),
        # A probe that fails in any of these ways opens it at once.
        ("429 +60 probe timeout", 10.0),
        ("captcha +300 probe network +10 probe network", 20.0),
        # An answer that opens nothing ends the cool-down, not the growth.
        ("429 +60 probe drift", 0.0),
        ("429 +60 probe drift 429", 120.0),
        ("timeout timeout timeout +10 probe 401 timeout timeout", 0.0),
        # Calls that were under way when it opened.
        ("429 429 429", 60.0),
        ("429 +2 429", 60.0),
        ("429 429 +60 probe 429", 120.0),
        ("429 +5 drift", 55.0),
        ("429 +5 captcha", 300.0),
        ("captcha +5 429", 295.0),
        ("429 +5 429:90", 90.0),
        ("429:3 timeout", 3.0),
        ("timeout timeout timeout timeout timeout", 10.0),
        ("429 +5 ok", 0.0),
    ],
)
def test_how_long_an_engine_is_left_alone(sequence: str, seconds: float) -> None:
    clock = Clock()
    breaker = after(sequence, clock)
    assert breaker.seconds_left == seconds
    assert breaker.state == ("open" if seconds else "closed")
    assert (breaker.refusal("e") is None) is (seconds == 0)
    clock.now += seconds
    assert breaker.refusal("e") is None


def test_a_cool_down_does_not_grow_past_an_hour() -> None:
    clock = Clock()
    breaker = after("captcha", clock)
    for _ in range(2000):
        clock.now += breaker.seconds_left
        breaker.take()
        breaker.record_failure(failure("captcha"))
    assert breaker.seconds_left == HOUR


class LoginWall(WebBlocked):
    """A third party's own error."""

    def __init__(self) -> None:
        super().__init__("Please log in.", detail_code="http_403")


def test_an_error_of_a_third_party_counts_as_what_it_is() -> None:
    breaker = Breaker(clock=Clock())
    breaker.record_failure(LoginWall())
    refusal = breaker.refusal("theirs")
    assert type(refusal) is WebBlocked
    assert breaker.opened_by == "WebBlocked/http_403"


# The breaker: what the caller sees


@pytest.mark.parametrize("name", [*REFUSALS, *OUTAGES])
def test_a_refusal_is_the_failure_that_opened_it(name: str) -> None:
    clock = Clock()
    breaker = after(f"{name} {name} {name} +0.5", clock)
    kind, detail_code = FAILURES[name]
    left = {**REFUSALS, **OUTAGES}[name]
    refusal = breaker.refusal("ddg")
    assert type(refusal) is kind
    assert (refusal.engine, refusal.detail_code) == ("ddg", detail_code)
    assert (refusal.hint, refusal.page, refusal.retry_after) == ("Do this.", None, left)
    assert f"It failed ({name})." in refusal.message
    assert refusal.message.startswith("Cooling down: ")
    assert catalogue("zh").sentence(refusal).startswith("ddg: 冷却中")
    assert "nothing was sent" in refusal.message
    assert f" {left:g} s more" in refusal.message


def test_refusals_are_separate_errors() -> None:
    breaker = after("429", Clock())
    assert breaker.refusal("ddg") is not breaker.refusal("ddg")


def test_the_failure_itself_is_not_kept() -> None:
    breaker = Breaker(clock=Clock())
    error = WebBlocked("Refused.", detail_code="http_403", page=Page(url="https://e.example/"))
    gone = weakref.ref(error)
    breaker.record_failure(error)
    del error
    assert gone() is None
    assert breaker.state == "open"


# The breaker: half open


def test_after_the_cool_down_one_call_is_let_through() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    assert limits.admit("ddg", None) == 0.0
    limits.record("ddg", failure("429"))
    with pytest.raises(WebBlocked) as refused:
        limits.admit("ddg", None)
    assert refused.value.retry_after == 60
    clock.now += 60
    assert limits.state()["ddg"].state == "half_open"
    assert limits.admit("ddg", None) == 0.0
    with pytest.raises(WebBlocked):
        limits.admit("ddg", None)
    limits.record("ddg", None)
    assert [limits.admit("ddg", None) for _ in range(10)] == [0.0] * 10


def test_a_probe_that_never_reports_makes_room_for_another() -> None:
    clock = Clock()
    breaker = after("429 +60 probe", clock)
    assert (breaker.state, breaker.seconds_left) == ("half_open", PROBE)
    clock.now += PROBE - 0.25
    refusal = breaker.refusal("ddg")
    assert refusal is not None
    assert refusal.retry_after == 1
    clock.now += 0.25
    assert breaker.refusal("ddg") is None
    breaker.take()
    assert breaker.refusal("ddg") is not None
    breaker.record_failure(failure("429"))
    assert (breaker.state, breaker.seconds_left) == ("open", 120.0)


def test_a_call_that_waits_for_its_turn_is_no_probe() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    assert limits.admit("ddg", 1) == 0.0
    limits.record("ddg", failure("429", retry_after=5))
    with pytest.raises(WebBlocked):
        limits.admit("ddg", 1)
    clock.now += 5
    assert [limits.admit("ddg", 1), limits.admit("ddg", 1)] == [55.0, 55.0]
    clock.now += 55
    assert limits.admit("ddg", 1) == 0.0


def test_a_refused_call_takes_no_slot() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    limits.record("ddg", failure("429", retry_after=5))
    for _ in range(3):
        with pytest.raises(WebBlocked):
            limits.admit("ddg", 1)
    clock.now += 5
    assert limits.admit("ddg", 1) == 0.0


# What this means for an engine


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("captcha", [0, 300, 900, 2100]),
        ("403", [0, 300, 900, 2100]),
        ("429", [0, 60, 180, 420, 900, 1860]),
        ("timeout", [0, 1, 2, 12, 32, 72, 152, 312, 632, 1272, 2552]),
        ("503", [0, 1, 2, 17, 47, 107, 227, 467, 947, 1907]),
    ],
)
@pytest.mark.requirement("S4-26", "P31")
def test_an_impatient_caller_reaches_a_failing_engine_seldom(name: str, sent: list[int]) -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    reached = []
    for second in range(3600):
        try:
            limits.admit("ddg", None)
        except SearchFailed:
            pass
        else:
            reached.append(second)
            limits.record("ddg", failure(name))
        clock.now += 1
    assert reached == sent


@pytest.mark.parametrize("name", ["captcha", "403", "429"])
@pytest.mark.requirement("P31")
def test_nothing_is_sent_again_right_after_a_refusal(name: str) -> None:
    limits = Limits(clock=Clock())
    assert limits.admit("ddg", 20) == 0.0
    limits.record("ddg", failure(name))
    with pytest.raises(WebBlocked) as refused:
        limits.admit("ddg", 20)
    assert refused.value.detail_code == FAILURES[name][1]
    assert limits.admit("brave", 20) == 0.0


def test_the_state_tells_every_engine_that_was_asked() -> None:
    clock = Clock()
    limits = Limits(clock=clock)
    for name in ("ddg", "brave", "mojeek"):
        limits.admit(name, None)
    limits.record("ddg", failure("captcha"))
    for _ in range(3):
        limits.record("mojeek", failure("timeout"))
    clock.now += 10
    assert msgspec.to_builtins(limits.state()) == {
        "ddg": {"state": "open", "opened_by": "WebBlocked/captcha_required", "seconds_left": 290.0},
        "brave": {"state": "closed", "opened_by": "", "seconds_left": 0.0},
        "mojeek": {"state": "half_open", "opened_by": "Timeout", "seconds_left": 0.0},
    }


# Several threads


@pytest.fixture
def fast_switches() -> Iterator[None]:
    """Let threads take turns as often as possible, so that what can go wrong between them does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Yielding(Clock):
    """One that lets another thread go on each time it is asked, so that threads mix."""

    def __call__(self) -> float:
        time.sleep(0)
        return self.now


def at_once(work: Callable[[], object], threads: int = 3) -> None:
    """Run ``work`` in several threads that begin together."""
    begin = threading.Barrier(threads)

    def one() -> None:
        begin.wait()
        work()

    with ThreadPoolExecutor(threads) as pool:
        for running in [pool.submit(one) for _ in range(threads)]:
            running.result()


@pytest.mark.usefixtures("fast_switches")
def test_threads_do_not_share_a_slot() -> None:
    for _ in range(100):
        limits = Limits(clock=Yielding())
        admitted: list[float] = []
        at_once(lambda: admitted.extend(limits.admit("ddg", 10) for _ in range(10)))  # noqa: B023 - run within the turn
        assert admitted.count(0.0) == 10


@pytest.mark.usefixtures("fast_switches")
def test_threads_do_not_share_a_probe() -> None:
    for _ in range(100):
        clock = Yielding()
        limits = Limits(clock=clock)
        limits.record("ddg", failure("429"))
        clock.now += 60
        probes: list[float] = []

        def probe() -> None:
            with suppress(WebBlocked):
                probes.append(limits.admit("ddg", None))  # noqa: B023 - run within the turn

        at_once(probe)
        assert len(probes) == 1


@pytest.mark.usefixtures("fast_switches")
def test_the_state_is_told_while_another_thread_asks_new_engines() -> None:
    limits = Limits(clock=Clock())
    numbers = iter(range(MAX_UPSTREAMS))

    def ask() -> None:
        for number in numbers:
            limits.admit(f"e{number}", None)
            if number % 20 == 0:
                limits.state()

    at_once(ask)
    assert len(limits.state()) == MAX_UPSTREAMS


class BreakerInvariants(RuleBasedStateMachine):
    """Any history of calls, answers, failures and pauses."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breaker = Breaker(clock=self.clock)
        self.asked_until = -math.inf
        self.probed = -math.inf

    @rule(quarters=st.integers(1, 4 * 4000))
    def time_passes(self, quarters: int) -> None:
        self.clock.now += quarters / 4

    @rule()
    def the_cool_down_passes(self) -> None:
        self.clock.now += self.breaker.seconds_left

    @rule(name=st.sampled_from([*REFUSALS, *OUTAGES]))
    def it_fails(self, name: str) -> None:
        half_open = self.breaker.state == "half_open" and self.probed > -math.inf
        self.breaker.record_failure(failure(name))
        self.probed = -math.inf
        if name in REFUSALS or half_open:
            assert self.breaker.state == "open"

    @rule(name=st.sampled_from(sorted(REFUSALS)), retry_after=st.integers(1, 200_000))
    def it_fails_and_says_how_long(self, name: str, retry_after: int) -> None:
        self.breaker.record_failure(failure(name, retry_after))
        self.probed = -math.inf
        wait = min(float(retry_after), DAY)
        self.asked_until = max(self.asked_until, self.clock.now + wait)
        assert self.breaker.seconds_left >= wait

    @rule(name=st.sampled_from(HARMLESS))
    def it_answers_something_else(self, name: str) -> None:
        before = self.breaker.state
        self.breaker.record_failure(failure(name))
        assert self.breaker.state in (before, "closed")
        self.probed = -math.inf

    @rule()
    def it_succeeds(self) -> None:
        self.breaker.close()
        assert self.breaker.state == "closed"
        assert self.breaker.refusal("e") is None
        self.asked_until = self.probed = -math.inf

    @precondition(lambda self: self.breaker.refusal("e") is None)
    @rule()
    def a_call_goes(self) -> None:
        if self.breaker.state != "closed":
            assert self.clock.now >= self.probed + PROBE
            self.probed = self.clock.now
        self.breaker.take()

    @invariant()
    def it_refuses_exactly_while_time_is_left(self) -> None:
        refusal = self.breaker.refusal("e")
        left = self.breaker.seconds_left
        assert (refusal is None) is (left == 0)
        if self.breaker.state == "open":
            assert refusal is not None
        if refusal is not None:
            assert refusal.retry_after == math.ceil(left)
            assert refusal.message.count("Cooling down") == 1

    @invariant()
    def nobody_waits_longer_than_an_hour_or_than_the_site_asked(self) -> None:
        assert self.breaker.seconds_left <= max(HOUR, self.asked_until - self.clock.now)


TestBreakerInvariants = BreakerInvariants.TestCase
TestBreakerInvariants.settings = hypothesis.settings(max_examples=60, stateful_step_count=30)
