"""The file of a trace: for its owner alone, whole or not there, and never in place of another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Request, Signal, replies
from tests.ordinary_user import ordinary_user

from citeseek import Client, trace
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.trace.trace_file import load, write
from citeseek.trace.trace_record import Part, Trace

TRACE = Trace(citeseek="0", trace_id="1", began_at="", settings={}, call=Part(kind="search"))


@pytest.mark.parametrize("text", ["precious", "{}", '{"format": "other"}', "\0", "[]\n"])
def test_a_file_that_is_no_trace_is_never_written_over(text: str, tmp_path: Path) -> None:
    path = tmp_path / "precious.txt"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="not a trace"), trace.into(path):
        pytest.fail("it was begun")
    with pytest.raises(InvalidInput, match="not a trace"):
        write(TRACE, path)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


async def test_the_second_call_writes_over_nothing_either(tmp_path: Path) -> None:
    (tmp_path / "trace-2.json").write_text("precious")
    with trace.into(tmp_path / "trace.json"):
        async with Client(settings()) as client:
            for _ in range(2):
                with pytest.raises(CiteseekError):
                    await client.fetch("http://10.0.0.1/")
    assert load(tmp_path / "trace.json").call.kind == "fetch"
    assert (tmp_path / "trace-2.json").read_text() == "precious"


def test_a_trace_is_written_over_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    for earlier in (None, "", "trace"):
        if earlier == "":
            path.write_text("")
        path.exists() and path.chmod(0o644)
        write(TRACE, path)
        assert load(path) == TRACE
        assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, target = tmp_path / "link.json", tmp_path / "deep" / "trace.json"
    link.symlink_to(target)
    write(TRACE, link)
    assert link.is_symlink()
    assert load(target) == TRACE
    target.write_text("precious")
    with pytest.raises(InvalidInput):
        write(TRACE, link)
    assert target.read_text() == "precious"


def test_a_folder_is_no_place_and_a_device_is_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput), trace.into(tmp_path):
        pytest.fail("it was begun")
    write(TRACE, Path(os.devnull))
    assert not Path(os.devnull).is_file()


def test_a_file_that_is_not_to_be_written_is_not_replaced() -> None:
    with ordinary_user() as folder:
        path = folder / "trace.json"
        write(TRACE, path)
        path.chmod(0o400)
        with pytest.raises(InvalidInput):
            write(TRACE, path)


@pytest.mark.parametrize("is_new", [True, False])
def test_who_is_killed_leaves_what_was_there(
    server: LoopbackServer, tmp_path: Path, *, is_new: bool
) -> None:
    asked, never = Signal(), Signal()

    def hang(request: Request) -> Reply:
        del request
        asked.set()
        return replies.held(replies.html(""), never)

    server.on("/page", hang)
    path = tmp_path / "trace.json"
    if not is_new:
        write(TRACE, path)
    command = (sys.executable, "-m", "citeseek", "fetch", server.url("/page"))
    env = {**os.environ, "WEB_FETCH_ALLOW": "127.0.0.0/8", "CITESEEK_HOME": str(tmp_path / "home")}
    with subprocess.Popen([*command, "--trace", str(path)], env=env) as program:
        try:
            asked.wait()
        finally:
            program.kill()
    assert list(tmp_path.glob("*.json")) == ([] if is_new else [path])
    assert is_new or load(path) == TRACE
    assert not list(tmp_path.glob(".citeseek-*"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_trace_goes_down_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write(TRACE, pipe)
        told, _ = reader.communicate()
    assert b"citeseek-trace" in told
