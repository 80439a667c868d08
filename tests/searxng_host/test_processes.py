"""Processes that outlive the command that started them, as real ones."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.browser.processes import wait_until

from citeseek.searxng_host.searxng_process import (
    _mark_of_ps,
    mark_process,
    start_process,
    stop_process,
)

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
WAIT = "print('ready', flush=True); import time; time.sleep(60)"

Start = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Give a function that starts a program of Python and waits until it has begun."""
    started: list[subprocess.Popen[bytes]] = []

    def run(code: str) -> subprocess.Popen[bytes]:
        log = tmp_path / f"{len(started)}.log"
        command = [sys.executable, "-c", code]
        child = start_process(command, env={"NAME": "value"}, folder=tmp_path, log=log)
        started.append(child)
        wait_until(lambda: b"ready" in log.read_bytes())
        return child

    yield run
    for child in started:
        if child.poll() is None:
            child.kill()
        child.wait()


def test_a_process_has_one_mark_as_long_as_it_runs(start: Start) -> None:
    child = start(WAIT)
    mark = mark_process(child.pid)
    assert mark
    assert mark_process(child.pid) == mark
    assert mark_process(os.getpid()) not in (None, mark)
    child.kill()
    child.wait()
    assert mark_process(child.pid) is None


def test_one_that_has_ended_and_was_not_taken_note_of_does_not_run(start: Start) -> None:
    child = start(WAIT)
    os.kill(child.pid, signal.SIGKILL)
    wait_until(lambda: mark_process(child.pid) is None)


def test_it_has_the_environment_the_folder_and_the_log_that_it_was_given(
    start: Start, tmp_path: Path
) -> None:
    start(f"import os; print(os.environ['NAME'], os.getcwd(), flush=True); {WAIT}")
    log = tmp_path / "0.log"
    assert log.read_text().split() == ["value", str(tmp_path), "ready"]
    assert log.stat().st_mode & 0o777 == 0o600


def test_ctrl_c_at_the_terminal_is_not_meant_for_it(start: Start) -> None:
    child = start(WAIT)
    assert os.getsid(child.pid) != os.getsid(0)


def test_stop_lets_a_process_go_by_itself(start: Start) -> None:
    child = start(WAIT)
    assert stop_process(child.pid, mark_process(child.pid) or "")
    assert child.wait() == -signal.SIGTERM


def test_stop_kills_what_does_not_go_with_what_it_started(start: Start, tmp_path: Path) -> None:
    below = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {WAIT!r}]); "
    child = start(f"{STUBBORN}{below}open('below', 'w').write(str(p.pid)); {WAIT}")
    wait_until((tmp_path / "below").exists)
    grandchild = int((tmp_path / "below").read_text())
    assert not stop_process(child.pid, mark_process(child.pid) or "", seconds=0.2)
    assert child.wait() == -signal.SIGKILL
    wait_until(lambda: mark_process(grandchild) is None)


def test_stop_leaves_another_process_of_the_same_number_alone(start: Start) -> None:
    child = start(WAIT)
    assert stop_process(child.pid, "of somebody else", seconds=0.2)
    assert child.poll() is None


@pytest.mark.skipif(not shutil.which("ps"), reason="there is no ps")
def test_where_there_is_no_proc_ps_tells_the_same(start: Start) -> None:
    child = start(WAIT)
    mark = _mark_of_ps(child.pid)
    assert mark
    assert _mark_of_ps(child.pid) == mark
    os.kill(child.pid, signal.SIGKILL)
    wait_until(lambda: _mark_of_ps(child.pid) is None)
    child.wait()
    assert _mark_of_ps(child.pid) is None
