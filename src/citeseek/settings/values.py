"""Reading one value: text or JSON in, a checked value out, or a reason why not."""

from __future__ import annotations

import contextlib
import ipaddress
import math
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from urllib.parse import SplitResult, urlsplit

from citeseek import query
from citeseek.errors import InvalidInput
from citeseek.i18n import ENGLISH, Catalogue, catalogue

T = TypeVar("T")
Word = TypeVar("Word", bound=str)


class UnreadableValue(ValueError):
    """Why a value cannot be read: the ``code`` of a sentence without its subject, and ``values``.

    It is English by itself.
    """

    def __init__(self, code: str, /, **values: str) -> None:
        self.code, self.values = code, values
        super().__init__(self.explain(catalogue(ENGLISH)))

    def explain(self, say: Catalogue) -> str:
        """Return the sentence in the language of ``say``."""
        return say(f"doctor.word.{self.code}", **self.values)


# Reads a raw value (JSON or the text of a variable); UnreadableValue says why it cannot.
Reader = Callable[[Any], T]

_NUMBER = r"[+-]?\d+(\.\d+)?"
# The underscore is no part of a name by the book, and found in networks at home.
_HOST_NAME = r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*"
_MILLION = 1_000_000
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


def _write_bound(value: float) -> str:
    """Return a bound as people write it: from a million on with commas, never as 1e+06."""
    return f"{value:,.15g}" if abs(value) >= _MILLION else f"{value:g}"


def number(low: float, high: float) -> Reader[float]:
    """Return a reader of numbers from ``low`` to ``high``."""

    def read(raw: Any) -> float:
        text = str(raw).strip()
        if isinstance(raw, bool) or not re.fullmatch(_NUMBER, text):
            raise UnreadableValue("value_number")
        value = float(text)
        if not math.isfinite(value) or not low <= value <= high:
            raise UnreadableValue("value_range", low=_write_bound(low), high=_write_bound(high))
        return value

    return read


def whole(low: int, high: int) -> Reader[int]:
    """Return a reader of whole numbers from ``low`` to ``high``."""
    read_number = number(low, high)

    def read(raw: Any) -> int:
        value = read_number(raw)
        if value != int(value):
            raise UnreadableValue("value_whole")
        return int(value)

    return read


def flag(raw: Any) -> bool:
    """Read true/false, 1/0, yes/no, on/off in any case."""
    text = str(raw).strip().casefold()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise UnreadableValue("value_flag")


def word(raw: Any) -> str:
    """Read a text that is not blank, without the space around it."""
    if not isinstance(raw, str):
        raise UnreadableValue("value_text")
    return raw.strip()


def secret(raw: Any) -> str:
    """Read a key: without space, line ends or a byte-order mark around it, printable within."""
    text = word(raw).strip("\ufeff").strip()
    if not text:
        raise UnreadableValue("value_blank")
    if not text.isascii() or not text.isprintable():
        raise UnreadableValue("value_header")
    return text


def tokens_in(text: str) -> tuple[str, ...]:
    """Return the tokens of a server, which stand with commas between them."""
    return tuple(each.strip() for each in text.split(","))


class Choice(Generic[Word]):
    """A reader of one of ``words``, in any case."""

    def __init__(self, words: tuple[Word, ...]) -> None:
        self._words = words

    def __call__(self, raw: Any) -> Word:
        """Return the word that ``raw`` is; raise ValueError that lists them for any other."""
        text = word(raw).casefold()
        if text not in self._words:
            raise UnreadableValue("value_choice", known=", ".join(self._words))
        return self._words[self._words.index(text)]


def choice(*words: Word) -> Reader[Word]:
    """Return a reader of one of ``words``, in any case."""
    return Choice(words)


def words(raw: Any) -> tuple[str, ...]:
    """Read a list of texts, or a text with commas between them."""
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UnreadableValue("value_texts")
    found = tuple(part.strip() for part in parts if part.strip())
    if not found:
        raise UnreadableValue("value_empty")
    return found


def host(raw: Any) -> str:
    """Read the name or address of a machine, without a port; names in small letters.

    A name of other than Latin letters is written in its ``xn--`` form.
    """
    text = word(raw)
    if not text.isascii():
        raise UnreadableValue("value_latin")
    text = text.lower().removesuffix(".")
    bracketed = re.fullmatch(r"\[(.*:.*)\]", text)
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(bracketed[1] if bracketed else text))
    # What ends in a number is an address to a browser, and this is none that it knows.
    if not re.fullmatch(_HOST_NAME, text) or re.search(r"(^|\.)(\d+|0x[0-9a-f]*)$", text):
        raise UnreadableValue("value_host")
    return text


def hosts(raw: Any) -> tuple[str, ...]:
    """Read a list of names or addresses of machines, or a text with commas between them."""
    return tuple(host(each) for each in words(raw))


def networks_or_hosts(raw: Any) -> tuple[str, ...]:
    """Read a list of networks such as 10.0.0.0/8, and of names or addresses of machines."""
    return tuple(_network(each) if "/" in each else host(each) for each in words(raw))


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        raise UnreadableValue("value_network") from None


def networks(raw: Any) -> tuple[str, ...]:
    """Read a list of addresses and networks, such as 10.0.0.5 and 10.0.0.0/8."""
    return tuple(map(_network, words(raw)))


def header_name(raw: Any) -> str:
    """Read the name of a header of HTTP."""
    text = word(raw)
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", text):
        raise UnreadableValue("value_header_name")
    return text


def language(raw: Any) -> str:
    """Read a language code such as zh or zh-CN, or auto."""
    try:
        return query.language(word(raw))
    except InvalidInput:
        raise UnreadableValue("value_language") from None


def web_address(raw: Any) -> str:
    """Read an http or https address, without its final slash; ``host:port`` alone means http."""
    text = word(raw)
    if "://" not in text and re.match(
        r"(localhost|[\w-]+(\.[\w-]+)+|[\w.-]+:\d+)(:\d+)?(/|$)", text
    ):
        text = f"http://{text}"
    if _server(text, ("http", "https")).query:
        raise UnreadableValue("value_query")
    return text.rstrip("/")


def proxy_address(raw: Any) -> str:
    """Read the address of a proxy: http, https, socks5 or socks5h; ``host:port`` means http.

    ``socks``, as desktops write it, is version 5 with names looked up by the proxy.
    """
    text = word(raw)
    if "://" not in text:
        text = f"http://{text}"
    scheme, separator, rest = text.partition("://")
    if scheme.lower() == "socks":
        text = f"socks5h{separator}{rest}"
    _server(text, ("http", "https", "socks5", "socks5h"))
    return text.rstrip("/")


def devtools_address(raw: Any) -> str:
    """Read the DevTools address of a remote browser: http, https, ws or wss."""
    text = word(raw)
    _server(text, ("http", "https", "ws", "wss"))
    return text


def database_address(raw: Any) -> str:
    """Read the address of a Postgres, as its own programs write it; a socket has no host."""
    text = word(raw)
    scheme, separator, rest = text.partition("://")
    if scheme not in ("postgresql", "postgres") or not separator:
        raise UnreadableValue("value_postgres")
    _whole_authority(rest)
    if not rest.partition("?")[0].rpartition("/")[2]:
        raise UnreadableValue("value_no_database")
    if " " in text or not text.isprintable():
        raise UnreadableValue("value_server")
    return text


# What may stand behind the "?" of a Redis address: how TLS is spoken, and who comes.
_REDIS_PARAMETERS = frozenset(
    "username password db client_name ssl_cert_reqs ssl_ca_certs ssl_certfile ssl_keyfile"
    " ssl_check_hostname".split()
)


def redis_address(raw: Any) -> str:
    """Read the address of a Valkey or Redis server; the path of a socket has no host."""
    text = word(raw)
    scheme, separator, rest = text.partition("://")
    if scheme not in ("redis", "rediss", "unix") or not separator or not rest:
        raise UnreadableValue("value_redis")
    address, _, query = rest.partition("?")
    names = {pair.partition("=")[0] for pair in query.split("&") if pair}
    if not names <= _REDIS_PARAMETERS:
        raise UnreadableValue("value_redis_parameters", known=", ".join(sorted(_REDIS_PARAMETERS)))
    if scheme != "unix":
        _whole_authority(rest)
        number = _server(text, ("redis", "rediss")).path.strip("/")
        if number and not (number.isascii() and number.isdigit()):
            raise UnreadableValue("value_redis_number")
    elif not address.startswith(("/", "@")) and "@" not in address:
        raise UnreadableValue("value_socket")
    return text


def _whole_authority(rest: str) -> None:
    """Refuse an address whose password ends it early, since others would take it for a host."""
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    if authority.count("@") > 1 or "@" in rest[len(authority) :]:
        raise UnreadableValue("value_password")


def _server(text: str, schemes: tuple[str, ...]) -> SplitResult:
    """Return the parts of a server's address; no reason repeats it, since it may hold a secret."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UnreadableValue("value_address") from None
    if parts.scheme not in schemes or not parts.hostname:
        raise UnreadableValue("value_address_of", schemes=", ".join(schemes))
    if port == 0 or parts.fragment or " " in text or not text.isprintable():
        raise UnreadableValue("value_server")
    return parts


# Whoever is asked other than at such an address, or past such a proxy, gets what others were meant
# to get; and what the address should look like.
RECEIVERS: dict[Reader[Any], str] = {
    web_address: "http://localhost:8080",
    proxy_address: "http://127.0.0.1:7890",
    devtools_address: "http://127.0.0.1:9222",
    database_address: "postgresql://citeseek@localhost/citeseek",
    redis_address: "redis://127.0.0.1:6379/0",
}
