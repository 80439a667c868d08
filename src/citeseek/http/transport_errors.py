"""What the clients of others raise, in our errors."""

from __future__ import annotations

from typing import TypeAlias
from urllib.parse import urlsplit

from citeseek.errors import InvalidInput, SearchFailed, Timeout, WebParseError

# Foreign exception, our error, and its sentence; the first match wins.
Renaming: TypeAlias = tuple[tuple[type[Exception], type[SearchFailed], str], ...]

# The sentence in a renaming that stands for one of the two below.
BROKEN_BODY = ""
CUT = "The answer of {host} was cut off before its end."
_UNDECODABLE = "The compressed answer of {host} cannot be unpacked."
# No type tells the two apart: both clients are made on hyper, whose words for it these are.
_WORDS_FOR_CUT = "error reading a body from connection"


def translate_error(
    error: Exception, table: Renaming, url: str, *, got_headers: bool, by_proxy: bool = False
) -> SearchFailed:
    """Return our error for a foreign one. After the headers only the body can be at fault.

    The sentence names the host of ``url``, never the whole address, which may hold a key.
    """
    host = urlsplit(url).netloc.rpartition("@")[2]
    named = f"{host} through the proxy" if by_proxy else host
    for foreign, ours, message in table:
        if isinstance(error, foreign):
            if message == BROKEN_BODY or (got_headers and ours is not Timeout):
                break
            values = {"case": "by_proxy" if by_proxy else "direct", "host": host}
            return ours(message.format(host=named), values=values)
    case, sentence = ("cut", CUT) if _WORDS_FOR_CUT in str(error) else ("packed", _UNDECODABLE)
    return WebParseError(
        sentence.format(host=named), detail_code="broken_body", values={"case": case, "host": host}
    )


def too_large(max_bytes: int) -> WebParseError:
    """Return the error for a body that goes on after ``max_bytes``."""
    return WebParseError(
        f"The answer is larger than {max_bytes:,} bytes.",
        detail_code="too_large",
        values={"case": "answer", "most": f"{max_bytes:,}"},
    )


def invalid_proxy() -> InvalidInput:
    """Return the error for a proxy that a client does not take.

    The address may hold a password: it is named by its setting, never shown.
    """
    return InvalidInput(
        "The proxy address is not valid.",
        hint="Write it as http://host:port.",
        values={"case": "proxy_address"},
    )
