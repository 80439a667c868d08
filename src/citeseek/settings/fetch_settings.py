"""The settings of fetching pages; html engines share the first four."""

from __future__ import annotations

from citeseek.settings.values import (
    Setting,
    choice,
    networks_or_hosts,
    number,
    proxy_address,
    secret,
    whole,
)

FETCH_SETTINGS: tuple[Setting, ...] = (
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
    Setting(
        name="web.fetch.backend",
        config=("web.fetch.backend",),
        env=("WEB_FETCH_BACKEND",),
        read=choice("stub", "httpx"),
        default="stub",
        meaning="What the tool web.fetch of the contract reads: httpx, the web; stub, an example "
        "without the network.",
    ),
    Setting(
        name="web.fetch.text_max",
        config=("web.fetch.text_max",),
        env=("WEB_FETCH_TEXT_MAX",),
        read=whole(1_000, 10_000_000),
        default=100_000,
        meaning="Longest text of a fetched page in characters, 1000 to 10000000.",
    ),
    Setting(
        name="web.fetch.allow",
        config=("web.fetch.allow",),
        env=("WEB_FETCH_ALLOW",),
        read=networks_or_hosts,
        default=(),
        meaning="Networks (10.0.0.0/8), addresses and names of your own that may be fetched from "
        "though they are not public; 198.18.0.0/15 behind a proxy tool that makes addresses up.",
    ),
    Setting(
        name="web.fetch.fetch_delay_seconds",
        config=("web.fetch.fetch_delay_seconds",),
        env=("WEB_FETCH_DELAY_SECONDS",),
        read=number(0, 60),
        default=1.0,
        meaning="Least time between two pages of one host in seconds, 0 to 60.",
    ),
    Setting(
        name="web.fetch.robots",
        config=("web.fetch.robots",),
        env=("WEB_FETCH_ROBOTS",),
        read=choice("off", "on"),
        default="off",
        meaning="Whether pages that a site's robots.txt closes to programs are left alone, on or "
        "off.",
    ),
    Setting(
        name="web.fetch.cache_ttl_minutes",
        config=("web.fetch.cache_ttl_minutes",),
        env=("WEB_FETCH_CACHE_TTL_MINUTES",),
        read=number(0, 1440),
        default=15.0,
        meaning="Minutes that a fetched page is kept, 0 to 1440; 0: not at all.",
    ),
)
