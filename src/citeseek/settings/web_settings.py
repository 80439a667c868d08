"""The settings of what is asked of the web: API engines, pages, html engines, and each engine.

In a setting of one engine ``{id}`` stands for the engine's id, ``{ID}`` for the same in capitals.
"""

from __future__ import annotations

from citeseek.engine import HTTP_CLIENTS
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import (
    choice,
    networks_or_hosts,
    number,
    proxy_address,
    secret,
    web_address,
    whole,
)


class WebSearchSection(Section):
    """The settings that API engines share."""

    prefix = "web.search"

    timeout_ms = Setting(
        env=("WEB_SEARCH_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of API engines in milliseconds, 100 to 120000; a face's limit caps it.",
    )


class WebFetchSection(Section):
    """The settings of fetching pages; html engines share the first four."""

    prefix = "web.fetch"

    timeout_ms = Setting(
        config=("web.fetch.timeout_ms",),
        env=("WEB_FETCH_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of html engines and of page fetches in milliseconds, 100 to 120000.",
    )
    proxy = Setting(
        config=("web.fetch.proxy",),
        env=("WEB_FETCH_PROXY",),
        read=proxy_address,
        default=None,
        is_secret=True,
        meaning="Proxy of html engines and of page fetches, before HTTP_PROXY and HTTPS_PROXY.",
    )
    user_agent = Setting(
        config=("web.fetch.user_agent",),
        env=("WEB_FETCH_USER_AGENT",),
        read=secret,
        default=None,
        meaning="User-Agent of html engines and of page fetches.",
    )
    max_bytes = Setting(
        config=("web.fetch.max_bytes",),
        env=("WEB_FETCH_MAX_BYTES",),
        read=whole(10_000, 100_000_000),
        default=8_000_000,
        meaning="Largest answer in bytes after decompression, 10000 to 100000000.",
    )
    backend = Setting(
        config=("web.fetch.backend",),
        env=("WEB_FETCH_BACKEND",),
        read=choice("stub", "httpx"),
        default="stub",
        meaning="What the tool web.fetch of the contract reads: httpx, the web; stub, an example "
        "without the network.",
    )
    text_max = Setting(
        config=("web.fetch.text_max",),
        env=("WEB_FETCH_TEXT_MAX",),
        read=whole(1_000, 10_000_000),
        default=100_000,
        meaning="Longest text of a fetched page in characters, 1000 to 10000000.",
    )
    allow = Setting[tuple[str, ...]](
        config=("web.fetch.allow",),
        env=("WEB_FETCH_ALLOW",),
        read=networks_or_hosts,
        default=(),
        meaning="Networks (10.0.0.0/8), addresses and names of your own that may be fetched from "
        "though they are not public; 198.18.0.0/15 behind a proxy tool that makes addresses up.",
    )
    fetch_delay_seconds = Setting(
        config=("web.fetch.fetch_delay_seconds",),
        env=("WEB_FETCH_DELAY_SECONDS",),
        read=number(0, 60),
        default=1.0,
        meaning="Least time between two pages of one host in seconds, 0 to 60.",
    )
    robots = Setting(
        config=("web.fetch.robots",),
        env=("WEB_FETCH_ROBOTS",),
        read=choice("off", "on"),
        default="off",
        meaning="Whether pages that a site's robots.txt closes to programs are left alone, on or "
        "off.",
    )
    render = Setting(
        config=("web.fetch.render",),
        env=("WEB_FETCH_RENDER",),
        read=choice("off", "auto", "always"),
        default="auto",
        meaning="Whether pages are rendered in Chrome: auto, those that scripts build, where it is "
        "installed; always; off.",
    )
    cache_ttl_minutes = Setting(
        config=("web.fetch.cache_ttl_minutes",),
        env=("WEB_FETCH_CACHE_TTL_MINUTES",),
        read=number(0, 1440),
        default=15.0,
        meaning="Minutes that a fetched page is kept, 0 to 1440; 0: not at all.",
    )


class FilesSection(Section):
    """The settings of files of one's own."""

    prefix = "files"

    max_bytes = Setting(
        config=("files.max_bytes",),
        env=("CITESEEK_FILE_MAX_BYTES",),
        read=whole(10_000, 100_000_000),
        default=20_000_000,
        meaning="Largest file of one's own in bytes, 10000 to 100000000.",
    )
    max_count = Setting(
        config=("files.max_count",),
        env=("CITESEEK_FILES",),
        read=whole(0, 50),
        default=10,
        meaning="Most files of one conversation or report, 0 to 50; 0: none are taken.",
    )
    max_chars = Setting(
        config=("files.max_chars",),
        env=("CITESEEK_FILE_MAX_CHARS",),
        read=whole(10_000, 5_000_000),
        default=1_000_000,
        meaning="Longest text of one file in characters, 10000 to 5000000.",
    )


class EngineSection(Section):
    """The settings of one engine."""

    prefix = ""

    base_url = Setting(
        config=("engines.{id}.base_url", "web.providers.{id}.base_url"),
        env=("CITESEEK_{ID}_URL", "{ID}_BASE_URL", "{ID}_URL"),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the engine, a mirror, a gateway or a recorded server.",
    )
    api_key = Setting(
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
    )
    timeout_ms = Setting(
        config=("engines.{id}.timeout_ms", "web.providers.{id}.timeout_ms"),
        env=("{ID}_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of this engine in milliseconds, 100 to 120000.",
    )
    transport = Setting(
        config=("engines.{id}.transport",),
        env=("CITESEEK_{ID}_TRANSPORT",),
        read=choice(*HTTP_CLIENTS),
        default=None,
        meaning="HTTP client: pyreqwest (APIs) or primp (browser-like TLS, html engines).",
    )
    proxy = Setting(
        config=("engines.{id}.proxy",),
        env=("CITESEEK_{ID}_PROXY",),
        read=proxy_address,
        default=None,
        is_secret=True,
        meaning="Proxy of this engine alone.",
    )
    rate_per_minute = Setting(
        config=("engines.{id}.rate_per_minute",),
        env=("CITESEEK_{ID}_RATE_PER_MINUTE",),
        read=whole(0, 10_000),
        default=None,
        meaning="Searches a minute, 0 to 10000; 0: any number. 20 for html engines, else 0.",
    )
    top_k_default = Setting(
        config=("web.providers.{id}.top_k_default", "engines.{id}.top_k_default"),
        env=("{ID}_TOP_K_DEFAULT",),
        read=whole(1, 50),
        default=None,
        meaning="Number of results asked of this engine when the caller names none.",
    )


ENGINE_SETTINGS = EngineSection.settings()
