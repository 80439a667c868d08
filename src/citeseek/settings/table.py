"""Every setting, written down once: where it is looked for, what it may be, what it means.

Settings are looked up in ``agents.json`` (for one agent), ``config.json``, the environment and the
default, in this order. ``{id}`` in a name stands for an engine's id, ``{ID}`` for the same in
capitals.
"""

from __future__ import annotations

from typing import Any

import msgspec

from citeseek.engine import HTTP_CLIENTS
from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, OPEN, Face
from citeseek.settings.values import (
    Reader,
    choice,
    devtools_address,
    language,
    number,
    proxy_address,
    secret,
    web_address,
    whole,
    word,
    words,
)


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: ``config`` paths in config.json, ``agent`` a key of an agent's ``webSearch``."""

    name: str
    read: Reader[Any]
    default: Any
    meaning: str
    config: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    agent: str | None = None
    is_secret: bool = False


def _of(face: Face, name: str, config: str, env: str, agent: str | None = None) -> Setting:
    """Return the setting ``name`` of a face: its engine, count, seconds or ttl_minutes."""
    low, high = face.counts.low, face.counts.high
    kinds: dict[str, tuple[Reader[Any], str]] = {
        "engine": (word, "Engine"),
        "count": (whole(low, high), f"Number of results, {low} to {high}"),
        "seconds": (number(0.1, 120), "Deadline of a whole search in seconds, 0.1 to 120"),
        "ttl_minutes": (
            number(0, 1440),
            "Minutes that an answer is kept, 0 to 1440; 0: not at all",
        ),
    }
    read, meaning = kinds[name]
    return Setting(
        name=f"{face.id}.{name}",
        config=(config,),
        env=(env,),
        agent=agent,
        read=read,
        default=getattr(face, name),
        meaning=f"{meaning}. {face.label}.",
    )


SETTINGS: tuple[Setting, ...] = (
    _of(CHAT, "engine", "chat.engine", "CITESEEK_CHAT_ENGINE"),
    _of(CHAT, "count", "chat.results", "CITESEEK_CHAT_RESULTS"),
    _of(CHAT, "seconds", "chat.timeout_seconds", "CITESEEK_CHAT_TIMEOUT"),
    Setting(
        name="chat.language",
        config=("chat.language",),
        env=("CITESEEK_CHAT_LANGUAGE",),
        read=language,
        default="auto",
        meaning="Search language of the chat app, such as zh-CN, or auto.",
    ),
    Setting(
        name="chat.summary_chars",
        config=("chat.summary_chars",),
        env=("CITESEEK_CHAT_SUMMARY_CHARS",),
        read=whole(20, 2000),
        default=200,
        meaning="Longest summary given to the model, in characters, 20 to 2000.",
    ),
    _of(
        AGENT,
        "engine",
        "tools.webSearch.defaultProvider",
        "CITESEEK_AGENT_ENGINE",
        agent="provider",
    ),
    _of(AGENT, "count", "tools.webSearch.maxResults", "CITESEEK_AGENT_RESULTS", agent="maxResults"),
    _of(
        AGENT,
        "seconds",
        "tools.webSearch.timeoutSeconds",
        "CITESEEK_AGENT_TIMEOUT",
        agent="timeoutSeconds",
    ),
    _of(
        AGENT,
        "ttl_minutes",
        "tools.webSearch.cacheTtlMinutes",
        "CITESEEK_AGENT_CACHE_TTL_MINUTES",
        agent="cacheTtlMinutes",
    ),
    _of(CONTRACT, "engine", "web.search.backend", "WEB_SEARCH_BACKEND"),
    _of(CONTRACT, "count", "web.search.max_results", "WEB_SEARCH_MAX_RESULTS"),
    _of(BROWSER, "engine", "browser.engine", "CITESEEK_BROWSER_ENGINE"),
    _of(BROWSER, "seconds", "browser.timeout_seconds", "CITESEEK_BROWSER_TIMEOUT"),
    Setting(
        name="browser.executable",
        config=("browser.executable",),
        env=("CITESEEK_CHROME", "CHROME_PATH"),
        read=word,
        default=None,
        meaning="Path or name of Chrome or Chromium; none: the first that is found.",
    ),
    Setting(
        name="browser.cdp_url",
        config=("browser.cdp_url",),
        env=("CITESEEK_BROWSER_CDP_URL",),
        read=devtools_address,
        default=None,
        is_secret=True,
        meaning="DevTools address of a browser that runs elsewhere, used instead of starting one.",
    ),
    Setting(
        name="browser.start_seconds",
        config=("browser.start_seconds",),
        env=("CITESEEK_BROWSER_START_SECONDS",),
        read=number(0.1, 60),
        default=3.0,
        meaning="Limit of a browser's start in seconds, 0.1 to 60.",
    ),
    Setting(
        name="browser.idle_seconds",
        config=("browser.idle_seconds",),
        env=("CITESEEK_BROWSER_IDLE_SECONDS",),
        read=number(1, 86_400),
        default=120.0,
        meaning="Seconds after which an unused browser is closed, 1 to 86400.",
    ),
    Setting(
        name="browser.max_pages",
        config=("browser.max_pages",),
        env=("CITESEEK_BROWSER_MAX_PAGES",),
        read=whole(1, 16),
        default=2,
        meaning="Searches that a browser runs at the same time, 1 to 16; the others wait.",
    ),
    _of(OPEN, "engine", "search.engine", "CITESEEK_ENGINE"),
    Setting(
        name="open.engines",
        config=("search.engines",),
        env=("CITESEEK_ENGINES",),
        read=words,
        default=(),
        meaning="Engines asked at the same time, their results merged; goes before search.engine.",
    ),
    Setting(
        name="open.fallback",
        config=("search.fallback",),
        env=("CITESEEK_FALLBACK",),
        read=words,
        default=(),
        meaning="Engines asked one after the other when those before them cannot answer.",
    ),
    Setting(
        name="open.quorum",
        config=("search.quorum",),
        env=("CITESEEK_QUORUM",),
        read=whole(1, 20),
        default=None,
        meaning="With several engines: do not wait for more than so many with results, 1 to 20.",
    ),
    _of(OPEN, "count", "search.count", "CITESEEK_COUNT"),
    _of(OPEN, "seconds", "search.timeout_seconds", "CITESEEK_TIMEOUT"),
    _of(OPEN, "ttl_minutes", "search.cache_ttl_minutes", "CITESEEK_CACHE_TTL_MINUTES"),
    Setting(
        name="cache.dir",
        config=("cache.dir",),
        env=("CITESEEK_CACHE_DIR",),
        read=word,
        default=None,
        meaning="Folder in which answers are kept between runs; none: in memory only.",
    ),
    Setting(
        name="evidence.dir",
        config=("evidence.dir",),
        env=("CITESEEK_EVIDENCE_DIR",),
        read=word,
        default=None,
        meaning="Folder for what `engines check` kept; none: `evidence` beside config.json.",
    ),
    Setting(
        name="web.search.timeout_ms",
        env=("WEB_SEARCH_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of API engines in milliseconds, 100 to 120000; a face's limit caps it.",
    ),
    Setting(
        name="web.fetch.timeout_ms",
        config=("web.fetch.timeout_ms",),
        env=("WEB_FETCH_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of html engines and of page fetches in milliseconds, 100 to 120000.",
    ),
    Setting(
        name="web.fetch.proxy",
        config=("web.fetch.proxy",),
        env=("WEB_FETCH_PROXY",),
        read=proxy_address,
        default=None,
        is_secret=True,
        meaning="Proxy of html engines and of page fetches, before HTTP_PROXY and HTTPS_PROXY.",
    ),
    Setting(
        name="web.fetch.user_agent",
        config=("web.fetch.user_agent",),
        env=("WEB_FETCH_USER_AGENT",),
        read=secret,
        default=None,
        meaning="User-Agent of html engines and of page fetches.",
    ),
    Setting(
        name="web.fetch.max_bytes",
        config=("web.fetch.max_bytes",),
        env=("WEB_FETCH_MAX_BYTES",),
        read=whole(10_000, 100_000_000),
        default=8_000_000,
        meaning="Largest answer in bytes after decompression, 10000 to 100000000.",
    ),
)

# Looked up for one engine at a time.
ENGINE_SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="base_url",
        config=("engines.{id}.base_url", "web.providers.{id}.base_url"),
        env=("CITESEEK_{ID}_URL", "{ID}_BASE_URL", "{ID}_URL"),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the engine, a mirror, a gateway or a recorded server.",
    ),
    Setting(
        name="api_key",
        config=(
            "engines.{id}.api_key",
            "tools.webSearch.providers.{id}.apiKey",
            "web.providers.{id}.api_key",
        ),
        env=("{ID}_API_KEY",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Key of the engine; $NAME reads the variable NAME. Never in agents.json.",
    ),
    Setting(
        name="timeout_ms",
        config=("engines.{id}.timeout_ms", "web.providers.{id}.timeout_ms"),
        env=("{ID}_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of this engine in milliseconds, 100 to 120000.",
    ),
    Setting(
        name="transport",
        config=("engines.{id}.transport",),
        env=("CITESEEK_{ID}_TRANSPORT",),
        read=choice(*HTTP_CLIENTS),
        default=None,
        meaning="HTTP client: pyreqwest (APIs) or primp (browser-like TLS, html engines).",
    ),
    Setting(
        name="proxy",
        config=("engines.{id}.proxy",),
        env=("CITESEEK_{ID}_PROXY",),
        read=proxy_address,
        default=None,
        is_secret=True,
        meaning="Proxy of this engine alone.",
    ),
    Setting(
        name="rate_per_minute",
        config=("engines.{id}.rate_per_minute",),
        env=("CITESEEK_{ID}_RATE_PER_MINUTE",),
        read=whole(0, 10_000),
        default=None,
        meaning="Searches a minute, 0 to 10000; 0: any number. 20 for html engines, else 0.",
    ),
    Setting(
        name="top_k_default",
        config=("web.providers.{id}.top_k_default", "engines.{id}.top_k_default"),
        env=("{ID}_TOP_K_DEFAULT",),
        read=whole(1, 50),
        default=None,
        meaning="Number of results asked of this engine when the caller names none.",
    ),
)
