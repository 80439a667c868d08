"""The settings of API engines, of fetching pages and of html engines."""

from __future__ import annotations

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, networks_or_hosts, number, proxy_address, secret, whole


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
