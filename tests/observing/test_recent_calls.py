"""The last hour of engines and models, counted by minutes."""

from __future__ import annotations

import asyncio

import pytest

from citeseek import observing
from citeseek.errors import SearchFailed, Timeout, WebBlocked
from citeseek.observing.recent_calls import MAX_NAMES, CallsOfHour, RecentCalls


class Watch:
    """Calls at times that a test sets."""

    def __init__(self) -> None:
        self.at = 1_000_000.0
        self.recent = RecentCalls(lambda: self.at)

    def call(self, name: str, error: BaseException | None = None, kind: str = "engine") -> None:
        def ask() -> None:
            with observing.operation(kind, name):  # type: ignore[arg-type]
                if error:
                    raise error

        with observing.watching(self.recent):
            if error is None:
                ask()
            else:
                with pytest.raises(type(error)):
                    ask()


@pytest.fixture
def watch() -> Watch:
    return Watch()


def blocked(*, is_cooling: bool = False) -> SearchFailed:
    error = WebBlocked("no", detail_code="http_429", engine="mojeek")
    error.is_cooling = is_cooling
    return error


def test_calls_and_failures_are_those_of_an_hour(watch: Watch) -> None:
    began = watch.at
    watch.call("mojeek")
    watch.at += 1_800
    watch.call("mojeek", blocked())
    assert watch.recent.of("engine") == {
        "mojeek": CallsOfHour(
            calls=2,
            failures=1,
            succeeded_at=began,
            failed_at=watch.at,
            failure="WebBlocked/http_429",
        )
    }
    watch.at = began + 3_660
    assert watch.recent.of("engine")["mojeek"].calls == 1
    watch.at = began + 10_000
    later = watch.recent.of("engine")["mojeek"]
    assert (later.calls, later.failures) == (0, 0)
    # How it went last is known all the same.
    assert (later.succeeded_at, later.failure) == (began, "WebBlocked/http_429")


def test_what_was_not_sent_or_was_given_up_is_no_call(watch: Watch) -> None:
    watch.call("mojeek", blocked(is_cooling=True))
    watch.call("mojeek", asyncio.CancelledError())
    assert watch.recent.of("engine") == {}


def test_engines_and_models_are_counted_and_nothing_else(watch: Watch) -> None:
    watch.call("one", kind="model")
    watch.call("one", Timeout("late"), kind="engine")
    watch.call("example.com", kind="fetch")
    assert [*watch.recent.of("model")] == ["one"]
    assert watch.recent.of("model")["one"].failures == 0
    assert watch.recent.of("engine")["one"].failures == 1
    assert watch.recent.of("fetch") == {}


def test_there_is_an_end_of_names(watch: Watch) -> None:
    for number in range(MAX_NAMES + 5):
        watch.call(f"m{number}", kind="model")
    kept = [*watch.recent.of("model")]
    assert len(kept) == MAX_NAMES
    assert kept[0] == "m5"
