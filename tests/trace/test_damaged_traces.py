"""A trace that was changed or broken off is bad input, never a fault of the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.fetching.test_fetch_command import run
from tests.shelf import Shelf
from tests.trace.recorded import recorded

from citeseek.errors import InvalidInput, WebProviderError
from citeseek.replay import bundle, replay
from citeseek.trace.trace_file import load, write
from citeseek.trace.trace_record import Failed, Part, Trace, error_of

ITEM = {"url": "https://a.example/", "title": "a", "snippet": ""}
FETCH = {"kind": "fetch", "asked": {"url": "https://a.example/"}}


def trace(**members: Any) -> dict[str, Any]:
    call = {"kind": "search", "asked": {"text": "tea"}, **members.pop("call", {})}
    head = {"format": "citeseek-trace", "version": 1, "citeseek": "0", "trace_id": "1"}
    return {**head, "began_at": "", "settings": {}, "call": call, **members}


def body(base64: str) -> dict[str, Any]:
    answer = {"url": "", "status": 200, "headers": {}, "body": {"base64": base64}}
    return {**FETCH, "exchanges": [{"via": "http", "request": {"url": ""}, "answer": answer}]}


UNREPLAYABLE = {
    "no question": trace(call={"asked": {}}),
    "no address": trace(call={"kind": "fetch", "asked": {}}),
    "no report": trace(call={"kind": "report", "asked": {}}),
    "a report of 5": trace(
        call={"kind": "report", "asked": {"inquiry": 5, "model": None, "engines": None}}
    ),
    "no answer": trace(call={"kind": "answer", "asked": {}}),
    "an answer of 5": trace(
        call={"kind": "answer", "asked": {"record": 5, "model": "", "tools": [], "message": ""}}
    ),
    "a face of 5": trace(call={"asked": {"text": "tea", "face": {"id": 5}}}),
    "settings of 5": trace(settings={"config": 5}),
    "settings of null": trace(settings={"config": None}),
    "settings of a file": trace(settings={"config": "/etc/hostname"}),
    "settings of a list": trace(settings={"env": []}),
    "settings of numbers": trace(settings={"env": {"WEB_SEARCH_ENGINE": 5}}),
    "a kind of nobody": trace(call={"kind": "dream"}),
    "an engine of 5": trace(
        call={"parts": [{"kind": "engine", "asked": {"engine": [], "kind": "plain"}}]}
    ),
}
UNREADABLE = {
    "empty": "",
    "broken off": json.dumps(trace())[:-20],
    "a call of 5": json.dumps(trace(call={"parts": 5})),
    "no Base64": json.dumps(trace(call=body("!!!"))),
    "half Base64": json.dumps(trace(call=body("YWJjZ"))),
    "a list": "[]",
    "deep": "[" * 100_000,
    "not UTF-8": "\udcff",
}
UNTELLABLE = {
    "a result of 5": trace(call={"result": 5}),
    "items of 5": trace(call={"result": {"items": 5}}),
    "steps of 5": trace(call={"result": {"steps": [5]}}),
    "hits of 5": trace(call={"parts": [{"kind": "engine", "notes": [{"what": "hits"}]}]}),
}


def check(path: Path, *commands: str) -> None:
    for command in commands:
        done = run(command, str(path))
        assert done.returncode == 2, (command, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", UNREPLAYABLE)
async def test_what_cannot_be_run_again_is_bad_input(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(UNREPLAYABLE[kind]))
    with pytest.raises(InvalidInput):
        await replay(load(path))


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_read_is_bad_input(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(UNREADABLE[kind].encode(errors="surrogateescape"))
    with pytest.raises(InvalidInput):
        load(path)


@pytest.mark.parametrize("kind", UNTELLABLE)
def test_what_cannot_be_told_is_bad_input(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(UNTELLABLE[kind]))
    with pytest.raises(InvalidInput):
        bundle(load(path))


def test_the_commands_say_so_with_exit_code_2(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(UNREPLAYABLE["a report of 5"]))
    check(path, "replay")
    path.write_text(UNREADABLE["no Base64"])
    check(path, "replay", "bundle")
    path.write_text(json.dumps(UNTELLABLE["a result of 5"]))
    check(path, "bundle")


async def mangled(found: Trace, path: Path, mangle: Callable[[Part], None]) -> InvalidInput:
    write(found, path)
    changed = load(path)
    mangle(changed.call)
    with pytest.raises(InvalidInput) as caught:
        await replay(changed)
    return caught.value


async def test_what_was_given_then_and_is_something_else_now(tmp_path: Path) -> None:
    shelf = Shelf([ITEM], id="one")
    found = await recorded(
        settings(), lambda client: client.search("tea", engines=["one"]), engines=(shelf,)
    )

    def mangle(part: Part) -> None:
        for values in part.given.values():
            for given in values:
                given.value = {"what": "else"}

    error = await mangled(found, tmp_path / "trace.json", mangle)
    assert "is not what it is called" in error.message


def test_an_error_of_a_name_that_is_none_is_one_of_the_search() -> None:
    for name in ("annotations", "dataclass", "__name__", "InvalidInputs", "Exception"):
        assert type(error_of(Failed(type=name, message="m"))) is WebProviderError
