"""The settings of the server and of its page, looked up like all others."""

from __future__ import annotations

from citeseek.catalogue import languages
from citeseek.settings.values import Setting, choice, flag, host, hosts, secret, whole

SERVER_SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="server.host",
        config=("server.host",),
        env=("CITESEEK_HOST",),
        read=host,
        default="127.0.0.1",
        meaning="Name or address to listen on; one that is not loopback needs server.token.",
    ),
    Setting(
        name="server.port",
        config=("server.port",),
        env=("CITESEEK_PORT",),
        read=whole(0, 65_535),
        default=8_000,
        meaning="Port to listen on, 0 to 65535; 0: a free one.",
    ),
    Setting(
        name="server.token",
        config=("server.token",),
        env=("CITESEEK_TOKEN",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Secret of at least 16 characters that every request must bring, or several with "
        "commas between them; none: no login.",
    ),
    Setting(
        name="server.hosts",
        config=("server.hosts",),
        env=("CITESEEK_HOSTS",),
        read=hosts,
        default=(),
        meaning="Names under which browsers reach the server, beside localhost and addresses.",
    ),
    Setting(
        name="server.per_minute",
        config=("server.per_minute",),
        env=("CITESEEK_PER_MINUTE",),
        read=whole(0, 1_000_000),
        default=0,
        meaning="Requests a minute that programs may make with one token, or from one address "
        "where there is none; 0: any number.",
    ),
    Setting(
        name="server.max_answers",
        config=("server.max_answers",),
        env=("CITESEEK_MAX_ANSWERS",),
        read=whole(1, 1_000),
        default=16,
        meaning="Answers under way at the same time, 1 to 1000; more are refused for the moment.",
    ),
    Setting(
        name="server.max_reports",
        config=("server.max_reports",),
        env=("CITESEEK_MAX_REPORTS",),
        read=whole(1, 100),
        default=4,
        meaning="Reports under way at the same time, 1 to 100; more are refused for the moment.",
    ),
    Setting(
        name="server.max_streams",
        config=("server.max_streams",),
        env=("CITESEEK_MAX_STREAMS",),
        read=whole(1, 10_000),
        default=128,
        meaning="Event streams open at the same time, 1 to 10000; more are refused for the moment.",
    ),
    Setting(
        name="server.max_connections",
        config=("server.max_connections",),
        env=("CITESEEK_MAX_CONNECTIONS",),
        read=whole(1, 100_000),
        default=None,
        meaning="Connections open at the same time, 1 to 100000, streams among them, and at most "
        "half the files that the process may open; 384 more than server.max_streams.",
    ),
    Setting(
        name="server.max_connections_per_address",
        config=("server.max_connections_per_address",),
        env=("CITESEEK_MAX_CONNECTIONS_PER_ADDRESS",),
        read=whole(0, 100_000),
        default=128,
        meaning="Connections of one address (IPv6: of one /64), 0 to 100000; 0: any number. Those "
        "of this machine are not counted. Behind a proxy on another one, all have its address.",
    ),
    Setting(
        name="page.language",
        config=("page.language",),
        env=("CITESEEK_PAGE_LANGUAGE",),
        read=choice(*languages(), "auto"),
        default="zh",
        meaning=f"Language of the chat page, {', '.join(languages()[:-1])} or {languages()[-1]}; "
        "auto: what the browser asks for.",
    ),
    Setting(
        name="chat.search",
        config=("chat.search",),
        env=("CITESEEK_CHAT_SEARCH",),
        read=flag,
        default=False,
        meaning="Whether the search switch of a new conversation on the page is on; left out, it "
        "is with the built-in model alone, which quotes results and nothing else.",
    ),
)
