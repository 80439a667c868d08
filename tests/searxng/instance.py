"""A real SearXNG in the state that a test wants, whose only engines are on loopback."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.searxng.programs import free_port, running_redis, running_searxng

# What each engine does, by its path on the index.
GOOD = "/json"
EMPTY = "/empty"
REFUSING = "/fail/403"
FAILING = "/fail/500"

_NEVER_SUSPENDED = dict.fromkeys(
    (
        "SearxEngineAccessDenied",
        "SearxEngineCaptcha",
        "SearxEngineTooManyRequests",
        "cf_SearxEngineCaptcha",
        "cf_SearxEngineAccessDenied",
        "recaptcha_SearxEngineCaptcha",
    ),
    0,
)


@dataclass(frozen=True)
class Searxng:
    """A SearXNG that is running, and the index that its engines ask."""

    base_url: str
    port: int
    index: LoopbackServer


class SearxngInstance:
    """Runs a SearXNG while its ``with`` block lasts.

    ``engines`` maps names to what they do, such as :data:`GOOD`, or to another address. With
    ``limiter`` it has a Redis, and refuses addresses that are not in ``pass_ip`` after a few
    requests. ``suspends`` leaves engines alone for that many seconds after they failed. ``older``
    is a version of August 2025.
    ``server``, ``search`` and ``outgoing`` are added to these parts of settings.yml, ``engine`` to
    each engine.
    """

    def __init__(
        self,
        *,
        formats: Sequence[str] = ("html", "json"),
        engines: Mapping[str, str] | None = None,
        limiter: bool = False,
        pass_ip: Sequence[str] = (),
        suspends: int = 0,
        older: bool = False,
        server: Mapping[str, Any] | None = None,
        search: Mapping[str, Any] | None = None,
        outgoing: Mapping[str, Any] | None = None,
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        self._formats = formats
        self._engines = {"good": GOOD} if engines is None else engines
        self._limiter = limiter
        self._pass_ip = pass_ip
        self._suspends = suspends
        self._older = older
        self._server = server or {}
        self._search = search or {}
        self._outgoing = outgoing or {}
        self._engine = engine or {}
        self._stack = ExitStack()

    def __enter__(self) -> Searxng:
        with ExitStack() as stack:
            index = stack.enter_context(an_index())
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="sxng-settings-")))
            port = free_port()
            settings = self.settings(index, port)
            if self._limiter:
                redis = stack.enter_context(running_redis())
                settings["valkey"] = {"url": f"valkey://127.0.0.1:{redis}/0"}
                (folder / "limiter.toml").write_text(
                    f"[botdetection.ip_lists]\npass_ip = {json.dumps(list(self._pass_ip))}\n"
                )
            file = folder / "settings.yml"
            # JSON is YAML.
            file.write_text(json.dumps(settings))
            base_url = stack.enter_context(running_searxng(file, port, older=self._older))
            self._stack = stack.pop_all()
        return Searxng(base_url, port, index)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def settings(self, index: LoopbackServer, port: int) -> dict[str, Any]:
        """Return the content of settings.yml."""
        return {
            "use_default_settings": {"engines": {"keep_only": []}},
            "general": {"instance_name": "test"},
            "server": {
                "bind_address": "127.0.0.1",
                "port": port,
                "secret_key": secrets.token_hex(16),
                "limiter": self._limiter,
                **self._server,
            },
            "search": {
                "autocomplete": "",
                "formats": list(self._formats),
                "ban_time_on_fail": self._suspends,
                "max_ban_time_on_fail": self._suspends,
                "suspended_times": {
                    name: self._suspends or never for name, never in _NEVER_SUSPENDED.items()
                },
                **self._search,
            },
            "outgoing": {"request_timeout": 2.0, **self._outgoing},
            # Others fetch lists when the server starts.
            "plugins": {"searx.plugins.calculator.SXNGPlugin": {"active": True}},
            "engines": [
                {
                    **_engine(name, path if "://" in path else index.url(path), shortcut),
                    **self._engine,
                }
                for shortcut, (name, path) in enumerate(self._engines.items())
            ],
        }


@contextmanager
def an_index() -> Iterator[LoopbackServer]:
    """Give a search index that each engine of a SearXNG can ask in its own way."""

    def found(request: Request) -> Reply:
        query = request.param("q")
        items = [
            {
                "url": f"https://example.org/{query}/{number}",
                "title": f"{query} {number}",
                "content": f"Page {number} about {query}.",
            }
            for number in range(1, 6)
        ]
        return replies.as_json({"results": {"items": items}})

    with LoopbackServer() as index:
        index.on(GOOD, found)
        index.on(EMPTY, replies.as_json({"results": {"items": []}}))
        for path in (REFUSING, FAILING):
            index.on(path, replies.status(int(path.rpartition("/")[2])))
        yield index


def _engine(name: str, url: str, shortcut: int) -> dict[str, Any]:
    return {
        "name": name,
        "engine": "json_engine",
        "shortcut": f"e{shortcut}",
        "categories": ["general"],
        # Without it an address on loopback is refused with no more than a line in the log.
        "enable_http": True,
        "search_url": f"{url}?q={{query}}",
        "results_query": "results/items",
        "url_query": "url",
        "title_query": "title",
        "content_query": "content",
    }
