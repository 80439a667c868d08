"""A small web that reports are written from, and the programs that write them."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.assistant.chatting import found
from tests.command import CITESEEK
from tests.loopback import LoopbackServer, Reply, Request, Signal, replies
from tests.loopback.signals import PATIENCE

QUESTION = "How long is the tea bridge at Lin?"
NAMES = ("east", "west", "north", "south")


class Library:
    """Four pages that one search finds; ``web`` counts who asked for them."""

    def __init__(self, web: LoopbackServer) -> None:
        self.web = web
        for number, name in enumerate(NAMES):
            web.on(f"/{name}", _page(name, number))
        web.on("/search", self._found)

    def hold(self, name: str) -> Signal:
        """Hold a page back until the signal is set."""
        until = Signal()
        self.web.on(f"/{name}", replies.held(_page(name, NAMES.index(name)), until))
        return until

    def asked(self) -> Counter[str]:
        """Return how often each page, and the search, was asked for."""
        # A server that starts searches for something else, to see that it can.
        return Counter(
            request.path.removeprefix("/")
            for request in self.web.requests
            if request.path != "/search" or request.param("q") == QUESTION
        )

    def config(self, folder: Path) -> Path:
        """Write the settings of those who read here, and return where they are."""
        path = folder / "config.json"
        fetch = {"allow": [self.web.host], "fetch_delay_seconds": 0}
        path.write_text(json.dumps({"web": {"fetch": fetch}}))
        return path

    @property
    def env(self) -> dict[str, str]:
        return {"SEARXNG_BASE_URL": self.web.base_url, "WEB_SEARCH_BACKEND": "searxng"}

    def _found(self, request: Request) -> Reply:
        pages = (
            {
                "url": self.web.url(f"/{name}"),
                "title": f"The tea bridge from the {name}",
                "content": _fact(name, number),
                "engine": "stub",
            }
            for number, name in enumerate(NAMES)
        )
        return found(*pages)


class Worker:
    """``citeseek worker`` in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log
        self.ready = until(self.said)

    def said(self) -> str:
        """Return what it has written."""
        return self._log.read_text()

    def end(self, how: int) -> int:
        """Send a signal; return the exit code."""
        self.process.send_signal(how)
        return self.process.wait(60)


@contextmanager
def worker(library: Library, folder: Path, *args: str, **env: str) -> Iterator[Worker]:
    """Start a worker and wait until it is ready; in the end it is gone."""
    command = [*CITESEEK, "worker", "--config", str(library.config(folder)), *args]
    env = {**os.environ, **library.env, **env}
    log = folder / f"worker-{secrets.token_hex(4)}.log"
    # A pipe that nobody reads would stop it.
    with log.open("wb") as err, subprocess.Popen(command, stderr=err, env=env) as process:
        try:
            yield Worker(process, log)
        finally:
            process.kill()


def until(look: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return what ``look`` gives as soon as it gives something."""
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < deadline, f"nothing came within {seconds} s"
        # Whoever is waited for needs the processor more.
        time.sleep(0.02)
    return seen


def in_journal(path: Path) -> int:
    """Return how many answers are in the journals of a file."""
    with closing(sqlite3.connect(path)) as db:
        (count,) = db.execute("SELECT count(*) FROM report_answers").fetchone()
        return int(count)


def question(**more: Any) -> Mapping[str, Any]:
    return {"question": QUESTION, "max_sources": len(NAMES), **more}


def _fact(name: str, number: int) -> str:
    return (
        f"Seen from the {name}, the old tea bridge at Lin is exactly {7_845 + number} metres long."
    )


def _page(name: str, number: int) -> Reply:
    return replies.html(
        f"<html><head><title>The tea bridge from the {name}</title></head><body><article>"
        f"<h1>The tea bridge from the {name}</h1><p>{_fact(name, number)}</p>"
        f"<p>Its {name} keeper sells tea number {number} on every day of the year {1900 + number}."
        "</p></article></body></html>"
    )
