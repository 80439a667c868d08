"""Real processes at one Valkey."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.loopback import LoopbackServer, Reply, replies
from tests.shared_state.server import ValkeyServer

pytestmark = [pytest.mark.valkey, pytest.mark.release]

FOUND = {"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]}
# Says that it is ready, waits for a line, then asks its searches at once.
WORKER = """
import asyncio, json, sys
from citeseek import Client, Settings
from citeseek.errors import SearchFailed
config, texts = json.loads(sys.argv[1]), json.loads(sys.argv[2])
async def ask(client, text):
    try:
        return len((await client.search(text, engine="searxng", seconds=3)).items)
    except SearchFailed as error:
        return error.detail_code
async def main():
    async with Client(Settings.load(config=config, agents={}, env={})) as client:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(await asyncio.gather(*(ask(client, text) for text in texts))))
asyncio.run(main())
"""


def together(config: object, asked: list[list[str]], home: Path) -> list[list[object]]:
    """Return what each process got for its texts, all asked at one time."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, json.dumps(config), json.dumps(texts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=home,
        )
        for texts in asked
    ]
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("\n")
        worker.stdin.flush()
    return [json.loads(worker.communicate()[0]) for worker in workers]


def config_of(valkey: ValkeyServer, server: LoopbackServer, **engine: object) -> object:
    return {
        "engines": {"searxng": {"base_url": server.base_url, **engine}},
        "redis": {"url": valkey.url},
    }


def test_two_hundred_equal_searches_are_one(
    valkey: ValkeyServer, server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", replies.as_json(FOUND))
    got = together(config_of(valkey, server), [["tea"] * 50] * 4, tmp_path)
    assert got == [[1] * 50] * 4
    assert len(server.requests) == 1


def test_twenty_a_minute_are_twenty(
    valkey: ValkeyServer, server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", replies.as_json(FOUND))
    asked = [[f"{process} {number}" for number in range(15)] for process in range(4)]
    got = together(config_of(valkey, server, rate_per_minute=20), asked, tmp_path)
    assert sum(each.count(1) for each in got) == len(server.requests) == 20
    assert sum(each.count("rate_limited_here") for each in got) == 40


def test_an_engine_that_refuses_one_is_left_alone_by_all(
    valkey: ValkeyServer, server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", Reply(429, {"Retry-After": "60"}))
    config = config_of(valkey, server)
    assert together(config, [["first"]], tmp_path) == [["http_429"]]
    assert together(config, [["second"], ["third"], ["fourth"]], tmp_path) == [["http_429"]] * 3
    assert len(server.requests) == 1
