"""What strangers cause is told, and does not fill the log."""

from __future__ import annotations

import logging

import pytest

from citeseek.surfaces.server.log_limit import OnceAMinute


def test_a_warning_is_told_once_a_minute_and_an_error_always(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    log = logging.getLogger("tests.once_a_minute")
    log.addFilter(OnceAMinute(lambda: now))
    for now in (0.0, 59.0, 60.0, 61.0):
        log.warning("no request: %s", now)
        log.warning("another")
        log.error("broken: %s", now)
    told = [record.getMessage() for record in caplog.records]
    assert [each for each in told if "no request" in each] == [
        "no request: 0.0",
        "no request: 60.0",
    ]
    assert [told.count("another"), sum("broken" in each for each in told)] == [2, 4]
