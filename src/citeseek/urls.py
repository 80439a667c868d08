"""Addresses: redirect wrappers undone once, and the key that says two addresses are one page.

The shown address stays as the engine gave it, byte for byte. Normal forms are only for comparing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, unquote, urljoin, urlsplit

import msgspec

# Parameters that name the visitor or the campaign, never the page.
_TRACKING = re.compile(
    r"utm_\w+|spm|from_?source|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|_hs(enc|mi)|srsltid",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
# Nothing in such an address has a second spelling, apart from ``www.`` and the final slash.
_PLAIN = re.compile(r"https?://(?:www\.)?((?!www\.)[a-z0-9.-]+(?:/[A-Za-z0-9._/-]*)?)")
_PLAIN_HOST = r"https?://[a-z0-9]+(?:[.-][a-z0-9]+)*/"
# Longer addresses are refused by servers and browsers alike.
MAX_CHARS = 8_192
_PORTS = {"http": 80, "https": 443}
_LONGEST_LABEL = 63
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_PERCENT = re.compile("%[0-9A-Fa-f]{2}")
_USER = re.compile(r"([a-z][a-z0-9+.-]*://)[^/?#]*@", re.IGNORECASE)


def _unquote(text: str) -> str:
    """Do as ``unquote``: most addresses have no escapes but these two, which takes it 5 µs."""
    return unquote(text.replace("%3A", ":").replace("%2F", "/"))


class Wrapper(msgspec.Struct, frozen=True):
    """A redirect address of an engine, recognised by how it starts.

    The landing address is the first of ``params`` that is present, decoded once by ``decode``.
    With no ``params`` the address is never a result (an advertisement's click counter).
    """

    prefixes: tuple[str, ...]
    params: tuple[str, ...] = ()
    decode: Callable[[str], str] = _unquote


def target(href: str, page_url: str, wrappers: tuple[Wrapper, ...] = ()) -> str | None:
    """Return the address that a result's ``href`` leads to, or None when it is not a result.

    Wrappers are undone once, and a user name or password is left out. A relative address that is no
    wrapper leads to the engine's own pages; what is not http or https cannot be opened: both are
    None.
    """
    # As in every address, capitals say nothing in its scheme and its host.
    lower = href.lower() if wrappers else ""
    for wrapper in wrappers:
        if lower.startswith(wrapper.prefixes):
            href = _landing(href, wrapper) or ""
            break
    if not href.startswith(("https://", "http://")):
        if not _ABSOLUTE.match(href):
            return None
        href = join_url(page_url, href) or ""
    href = without_user(href)
    return href if is_web(href) else None


def join_url(page_url: str, href: str) -> str | None:
    """Return the absolute address of ``href`` on a page, its scheme in small letters.

    None when it is no address at all.
    """
    try:
        scheme, colon, rest = urljoin(page_url, href).partition(":")
    except ValueError:
        return None
    return f"{scheme.lower()}{colon}{rest}"


def is_web(url: str) -> bool:
    """Whether ``url`` is an http or https address that can be opened: a host, a port if any."""
    if len(url) > MAX_CHARS:
        return False
    if re.match(_PLAIN_HOST, url) and url.isascii() and url.isprintable():
        return True
    try:
        parts = urlsplit(url)
        # Reading the port checks it. Behind a backslash browsers see the path, others the host.
        is_named = bool(parts.hostname) and not set("\\ ") & set(parts.netloc)
        has_host = is_named and parts.port != 0
        return parts.scheme in ("http", "https") and has_host and url.isprintable()
    except ValueError:
        return False


def may_share_secret(before: str, after: str) -> bool:
    """Whether a key that was sent to ``before`` may be sent to ``after``, both web addresses.

    They must have the same host and port, or ``after`` is the same host by TLS, each on the port of
    its scheme; from https to http nothing secret goes.
    """
    old, new = urlsplit(before), urlsplit(after)
    if old.hostname != new.hostname or (old.scheme, new.scheme) == ("https", "http"):
        return False
    usual = _PORTS[old.scheme], _PORTS[new.scheme]
    ports = old.port or usual[0], new.port or usual[1]
    return ports in (usual, (ports[0], ports[0]))


def domain(url: str) -> str:
    """Return the host of ``url`` without ``www.``, or an empty text when it has none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def ascii_host(host: str) -> str | None:
    """Return ``host`` as it is looked up, None when it is no name.

    Names in other scripts are read as browsers read them (UTS 46, not transitional): ``faß.de`` and
    ``fass.de`` are two hosts, and signs such as emoji are letters of a name.
    """
    if host.isascii():
        return host.lower()
    import idna  # noqa: PLC0415 - 10 ms, for few addresses

    try:
        labels = idna.uts46_remap(host, std3_rules=False, transitional=False).split(".")
        return ".".join(map(_ascii_label, labels))
    except UnicodeError:
        return None


def same_page_key(url: str) -> str:
    """Return a text that is equal for two addresses exactly when they are taken for one page.

    Scheme, ``www.``, case of the host, default port, tracking parameters, order of parameters, the
    final slash, a fragment that is not a route (``#/…``, ``#!…``) and the spelling of a percent
    escape do not tell pages apart. Everything else does, the case of the path included.
    """
    if plain := _PLAIN.fullmatch(url):
        return plain[1].rstrip("/")
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        port = parts.port
    except ValueError:
        return url
    if not host.isascii():
        host = ascii_host(host) or host
    if port and port != _PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    # Not decoded: bytes of an unknown charset would all become one replacement character.
    params = sorted(
        _one_spelling(pair.replace("+", "%20"))
        for pair in parts.query.split("&")
        if pair and not _TRACKING.fullmatch(pair.partition("=")[0])
    )
    key = host + _one_spelling(parts.path).rstrip("/")
    if params:
        key += "?" + "&".join(params)
    if parts.fragment.startswith(("/", "!")):
        key += "#" + _one_spelling(parts.fragment)
    return key


def without_tracking(url: str) -> str:
    """Return ``url`` without its fragment and without tracking parameters; the rest as it was."""
    address = url.partition("#")[0]
    path, _, query = address.partition("?")
    kept = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return f"{path}?{'&'.join(kept)}" if "".join(kept) else path


def _landing(href: str, wrapper: Wrapper) -> str | None:
    query = href.partition("?")[2]
    if ";" in query:
        # Escaped once too often, the sign between two has left its name or its number behind.
        query = re.sub("&(?:#38;|#x26;|amp;)+", "&", query)
    pairs = query.partition("#")[0].split("&")
    for name in wrapper.params:
        for pair in pairs:
            key, _, value = pair.partition("=")
            if key == name:
                return wrapper.decode(value)
    return None


def _ascii_label(label: str) -> str:
    """Return one label of a name that was mapped; raise UnicodeError where browsers refuse it."""
    import idna  # noqa: PLC0415 - as above

    if label.isascii() and len(label) <= _LONGEST_LABEL:
        return label
    joiners = [at for at, char in enumerate(label) if char in "\u200c\u200d"]
    if not all(idna.valid_contextj(label, at) for at in joiners):
        raise UnicodeError
    idna.check_initial_combiner(label)
    idna.check_bidi(label)
    name = f"xn--{label.encode('punycode').decode('ascii')}"
    if len(name) > _LONGEST_LABEL:
        raise UnicodeError
    return name


def _one_spelling(path: str) -> str:
    """Write every escape in upper case, unreserved characters bare and other text escaped."""
    return _PERCENT.sub(_escape, quote(path, safe="/%!$&'()*+,;=:@~?"))


def _escape(match: re.Match[str]) -> str:
    char = chr(int(match[0][1:], 16))
    return char if char in _UNRESERVED else match[0].upper()


def without_password(url: str) -> str:
    """Return ``url`` with its user name and password, if any, replaced by stars."""
    user = _USER.match(url)
    return f"{user[1]}***@{url[user.end() :]}" if user else url


def without_secrets(url: str) -> str:
    """Return the address of a server without what may be a secret of it: user, password, query."""
    return without_password(url.partition("?")[0])


def without_user(url: str) -> str:
    """Return ``url`` without its user name and password.

    Nobody needs one to open a page that an engine found, and a name before the host hides where an
    address leads.
    """
    user = _USER.match(url) if "@" in url else None
    return user[1] + url[user.end() :] if user and "\\" not in user[0] else url
