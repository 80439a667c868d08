"""The settings of the server and of its page."""

from __future__ import annotations

from citeseek.i18n import languages
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import (
    choice,
    header_name,
    host,
    hosts,
    networks,
    number,
    secret,
    tokens_in,
    web_address,
    whole,
    word,
)

# Characters of a token; a server with a shorter one does not start.
LEAST_TOKEN = 16


def is_too_short(token: str) -> bool:
    """Whether one of the tokens in ``token`` has less than LEAST_TOKEN characters."""
    return any(len(each) < LEAST_TOKEN for each in tokens_in(token))


class ServerSection(Section):
    """The settings of the server."""

    prefix = "server"

    host = Setting(
        config=("server.host",),
        env=("CITESEEK_HOST",),
        read=host,
        default="127.0.0.1",
        meaning="Name or address to listen on; one that is not loopback needs server.token.",
    )
    port = Setting(
        config=("server.port",),
        env=("CITESEEK_PORT",),
        read=whole(0, 65_535),
        default=8_000,
        meaning="Port to listen on, 0 to 65535; 0: a free one.",
    )
    token = Setting(
        config=("server.token",),
        env=("CITESEEK_TOKEN",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Secret of at least 16 characters that every request must bring, or several with "
        "commas between them, all of one person; none: no login.",
    )
    people = Setting(
        config=("server.people",),
        env=("CITESEEK_PEOPLE",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="People beside the one of server.token, as name:role:token with commas between "
        "them; a role is owner, member or guest, a token has at least 16 characters.",
    )
    proxy_header = Setting(
        config=("server.proxy_header",),
        env=("CITESEEK_PROXY_HEADER",),
        read=header_name,
        default=None,
        meaning="Header in which a proxy says who comes, such as Remote-User; none: no header is "
        "believed.",
    )
    proxy_addresses = Setting[tuple[str, ...]](
        config=("server.proxy_addresses",),
        env=("CITESEEK_PROXY_ADDRESSES",),
        read=networks,
        default=(),
        meaning="Addresses and networks of that proxy, such as 10.0.0.5 or 10.0.0.0/8: from "
        "nowhere else is the header believed.",
    )
    proxy_role = Setting(
        config=("server.proxy_role",),
        env=("CITESEEK_PROXY_ROLE",),
        read=choice("member", "guest", "none"),
        default="member",
        meaning="Role of those whom the proxy names and server.people does not; none: they are not "
        "let in.",
    )
    hosts = Setting[tuple[str, ...]](
        config=("server.hosts",),
        env=("CITESEEK_HOSTS",),
        read=hosts,
        default=(),
        meaning="Names under which browsers reach the server, beside localhost and addresses.",
    )
    url = Setting(
        config=("server.url",),
        env=("CITESEEK_URL",),
        read=web_address,
        default=None,
        meaning="Address under which browsers reach the server, such as "
        "https://search.example.org; needed by whoever signs people in elsewhere.",
    )
    per_minute = Setting(
        config=("server.per_minute",),
        env=("CITESEEK_PER_MINUTE",),
        read=whole(0, 1_000_000),
        default=0,
        meaning="Requests a minute that programs may make with one token, or from one address "
        "where there is none; 0: any number.",
    )
    guest_per_minute = Setting(
        config=("server.guest_per_minute",),
        env=("CITESEEK_GUEST_PER_MINUTE",),
        read=whole(1, 1_000_000),
        default=10,
        meaning="The same for each guest, 1 to 1000000; the lower of both counts.",
    )
    max_answers = Setting(
        config=("server.max_answers",),
        env=("CITESEEK_MAX_ANSWERS",),
        read=whole(1, 1_000),
        default=16,
        meaning="Answers under way at the same time, 1 to 1000; more are refused for the moment.",
    )
    grace_seconds = Setting(
        config=("server.grace_seconds",),
        env=("CITESEEK_GRACE_SECONDS",),
        read=number(0, 3_600),
        default=20.0,
        meaning="Seconds that answers and reports under way may take to end after SIGTERM, 0 to "
        "3600; then they are stopped, and what was written is kept.",
    )
    max_reports = Setting(
        config=("server.max_reports",),
        env=("CITESEEK_MAX_REPORTS",),
        read=whole(1, 100),
        default=4,
        meaning="Reports under way at the same time, 1 to 100; more are refused for the moment, "
        "those that are kept wait.",
    )
    max_batch_bytes = Setting(
        config=("server.max_batch_bytes",),
        env=("CITESEEK_MAX_BATCH_BYTES",),
        read=whole(1_000, 10_000_000_000),
        default=100_000_000,
        meaning="Bytes of a batch that is sent over REST, 1000 to 10000000000; its lines are kept "
        "as they arrive.",
    )
    max_streams = Setting(
        config=("server.max_streams",),
        env=("CITESEEK_MAX_STREAMS",),
        read=whole(1, 10_000),
        default=128,
        meaning="Event streams open at the same time, 1 to 10000; more are refused for the moment.",
    )
    max_connections = Setting(
        config=("server.max_connections",),
        env=("CITESEEK_MAX_CONNECTIONS",),
        read=whole(1, 100_000),
        default=None,
        meaning="Connections open at the same time, 1 to 100000, streams among them, and at most "
        "half the files that the process may open; 384 more than server.max_streams.",
    )
    max_connections_per_address = Setting(
        config=("server.max_connections_per_address",),
        env=("CITESEEK_MAX_CONNECTIONS_PER_ADDRESS",),
        read=whole(0, 100_000),
        default=128,
        meaning="Connections of one address (IPv6: of one /64), 0 to 100000; 0: any number. Those "
        "of this machine are not counted. Behind a proxy on another one, all have its address.",
    )
    audit_log = Setting(
        config=("server.audit_log",),
        env=("CITESEEK_AUDIT_LOG",),
        read=word,
        default=None,
        meaning="File to which a line of JSON is appended for what people change, take away, share "
        "and are refused, without any text; -: standard output; none: nothing is written.",
    )
    keep_days = Setting(
        config=("server.keep_days",),
        env=("CITESEEK_KEEP_DAYS",),
        read=whole(1, 36_500),
        default=None,
        meaning="Days after their last change that conversations, reports, batches and traces are "
        "kept, 1 to 36500; none: until somebody deletes them.",
    )
    metrics = Setting(
        config=("server.metrics",),
        env=("CITESEEK_METRICS",),
        read=choice("on", "open", "off"),
        default="on",
        meaning="Who may read /metrics: on: whoever may use the API; open: everybody who reaches "
        "the server; off: nobody, and nothing is counted.",
    )


class PageSection(Section):
    """The settings of the page."""

    prefix = "page"

    language = Setting(
        config=("page.language",),
        env=("CITESEEK_PAGE_LANGUAGE",),
        read=choice(*languages(), "auto"),
        default="auto",
        meaning="Language of the chat page and of the command line, "
        f"{', '.join(languages()[:-1])} or {languages()[-1]}; auto: that of the browser and of the "
        "locale.",
    )
    pictures = Setting(
        config=("page.pictures",),
        env=("CITESEEK_PAGE_PICTURES",),
        read=choice("on", "off"),
        default="on",
        meaning="on: the chat page shows small pictures of results, which this server fetches; "
        "off: it shows none.",
    )
