"""An address taken apart in one way, and refused where another program could do it differently.

What is sent is built anew from the parts, so that what was checked is what is asked.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote

import msgspec

from citeseek.errors import InvalidInput, WebBlocked
from citeseek.guard.networks import Address
from citeseek.urls import MAX_CHARS, ascii_host

DETAIL_CODE = "ssrf_blocked"


def refusal(why: str, case: str, *, hint: str = "", **values: str) -> WebBlocked:
    """Return the error; ``why`` names what is wrong and holds no address of the user's network.

    A catalogue says the same of ``case`` with ``values``.
    """
    return WebBlocked(
        f"The address is not fetched: {why}.",
        hint=hint,
        detail_code=DETAIL_CODE,
        values={"case": case, **values},
    )


def _ambiguous(*, hint: str = "") -> WebBlocked:
    return refusal("its host can be read in two ways", "ambiguous_host", hint=hint)


def _odd_number() -> WebBlocked:
    return refusal("its host is a number in an unusual notation", "odd_number")


_PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.IGNORECASE | re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# What ends so is a number to a resolver or a browser, however it is written.
_ENDS_IN_NUMBER = re.compile(r"(^|\.)([0-9]+|0x[0-9a-f]*)$")
_PLAIN_IPV4 = re.compile(r"(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}")
_DOTS = re.compile("[。．｡]")
_MAX_HOST = 253
_LAST_PORT = 65_535
_DEFAULT_PORTS = {"http": 80, "https": 443}
_FIRST_FREE_PORT = 1024
# Ports of other protocols above 1023 which browsers do not speak HTTP to (Fetch standard).
_OTHER_PROTOCOLS = frozenset(
    {1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6697, 10080}
    | {*range(6665, 6670), 6679}
)
# Never escaped again; "%" stands for escapes that are there already.
_KEPT = "!$%&'()*+,-./:;=?@[]_~"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """An address that can be asked: ``url`` is what is sent, without user, fragment and odd signs.

    ``host`` is in small ASCII letters without a final dot, an IPv6 address in brackets; ``literal``
    is the address when the host is one.
    """

    url: str
    scheme: str
    host: str
    port: int
    literal: Address | None = None


def read(url: object) -> Target:
    """Return the parts of ``url``.

    Raise InvalidInput when it is no http or https address, or no text at all, WebBlocked
    (``ssrf_blocked``) when its host or port is refused as it is written.
    """
    text = url.strip(" ") if isinstance(url, str) else ""
    if not text or len(text) > MAX_CHARS:
        raise InvalidInput(
            f"url must be an address of 1 to {MAX_CHARS:,} characters.",
            values={"case": "url_length", "most": f"{MAX_CHARS:,}"},
        )
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise InvalidInput(
            "url must begin with http:// or https:// and name a host.",
            values={"case": "url_no_address"},
        )
    if _CONTROLS.search(text):
        raise refusal("it holds control characters", "control_characters")
    scheme = parts[1].lower()
    host, port = _authority(parts[2], scheme)
    literal = _literal(host)
    if isinstance(literal, IPv6Address):
        host = f"[{literal}]"
    shown = host
    if port != _DEFAULT_PORTS[scheme]:
        shown += f":{port}"
    path = quote(parts[3] or "/", safe=_KEPT, errors="replace")
    query = quote(parts[4] or "", safe=_KEPT, errors="replace")
    return Target(
        url=f"{scheme}://{shown}{path}{query}", scheme=scheme, host=host, port=port, literal=literal
    )


def _authority(text: str, scheme: str) -> tuple[str, int]:
    if "@" in text:
        raise refusal("a user name or password before the host hides where it leads", "user")
    if "\\" in text or "%" in text or any(char.isspace() for char in text.replace(" ", "")):
        raise _ambiguous()
    match = _HOST_AND_PORT.fullmatch(text)
    # Nobody reads a space as a part of a name.
    if match is None or not match[1] or " " in text:
        raise InvalidInput("url names no host that can be read.", values={"case": "url_no_host"})
    # Leading zeros say nothing; a longer number is no port.
    port = int(match[2].lstrip("0")[:6] or 0) if match[2] else _DEFAULT_PORTS[scheme]
    if not 0 < port <= _LAST_PORT:
        raise InvalidInput(
            f"url names port {port}, which does not exist.",
            values={"case": "url_port", "port": str(port)},
        )
    if port not in (80, 443) and (port < _FIRST_FREE_PORT or port in _OTHER_PROTOCOLS):
        raise refusal(f"port {port} belongs to another protocol than HTTP", "port", port=str(port))
    return _host(match[1]), port


def _host(text: str) -> str:
    if text.startswith("["):
        return text
    if len(text) > _MAX_HOST + 1:
        raise InvalidInput("url names no host that can be read.", values={"case": "url_no_host"})
    host = _DOTS.sub(".", text)
    if not host.isascii():
        # Joiners out of place and the like: one program drops them, another keeps them.
        if (name := ascii_host(host)) is None:
            raise _ambiguous(hint="Write it in its xn-- form.")
        host = name
    host = host.lower().removesuffix(".")
    if _ENDS_IN_NUMBER.search(host):
        # Only what was written as everybody writes it; digits of other scripts are none.
        if not _PLAIN_IPV4.fullmatch(text.removesuffix(".")):
            raise _odd_number()
        return host
    if len(host) > _MAX_HOST or not all(map(_LABEL.fullmatch, host.split("."))):
        raise InvalidInput("url names no host that can be read.", values={"case": "url_no_host"})
    return host


def _literal(host: str) -> Address | None:
    if not host.startswith("["):
        if not _PLAIN_IPV4.fullmatch(host):
            return None
        try:
            return IPv4Address(host)
        except ValueError:
            raise _odd_number() from None
    try:
        address = ip_address(host[1:-1])
    except ValueError:
        raise InvalidInput(
            "url names no host that can be read.", values={"case": "url_no_host"}
        ) from None
    if not isinstance(address, IPv6Address) or address.scope_id:
        raise _ambiguous()
    return address
