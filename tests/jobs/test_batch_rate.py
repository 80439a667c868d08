"""How fast a batch is, and how long the rest takes."""

from __future__ import annotations

import pytest

from citeseek.jobs.batch_job import BatchJob, BatchOrder, BatchState


@pytest.mark.parametrize(
    ("state", "done", "recent", "window", "rate", "left"),
    [
        ("queued", 0, 0, 300.0, 0.0, None),
        ("running", 50, 50, 10.0, 5.0, 10.0),
        ("running", 50, 50, 0.0, 50_000.0, 0.001),
        ("finished", 100, 100, 20.0, 5.0, None),
        ("finished", 100, 100, 0.0, 100_000.0, None),
        ("cancelled", 10, 10, 5.0, 2.0, None),
    ],
)
def test_the_rate_of_a_batch(
    *, state: BatchState, done: int, recent: int, window: float, rate: float, left: float | None
) -> None:
    job = BatchJob(
        id="b",
        state=state,
        created_at=1.0,
        updated_at=2.0,
        order=BatchOrder(command="search"),
        total=100,
        done=done,
        failed=0,
        parts=2,
        recent=recent,
        window=window,
    )
    assert (job.rate, job.seconds_left) == (pytest.approx(rate), left)
