"""Content codings: the compression of a body is undone here, within a limit of bytes.

Names have no case and may be old (``x-gzip``); ``deflate`` is sent with and without the wrapper of
zlib. A name that is no coding at all (``UTF-8``) stands on bodies that are plain.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from citeseek.errors import WebParseError
from citeseek.extras import Fault, fault

# Takes a body and the most bytes that are wanted; returns what it holds and whether that is all.
_Inflate: TypeAlias = Callable[[bytes, int], tuple[bytes, bool]]

# A body of many tiny members would be copied once for each.
_MAX_MEMBERS = 64
_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_START = b"\x1f\x8b"
# The window that RFC 9659 allows a zstd body.
_ZSTD_WINDOW = 8 << 20
# Codings that are known (IANA) and not undone here: their bytes are no text.
_FOREIGN = frozenset({"compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz", "aes128gcm"})
_LIBRARIES = {"br": "brotli", "zstd": "zstandard"}


def accept_encoding() -> str:
    """Return the codings that can be undone here, as ``Accept-Encoding`` names them."""
    found = [coding for coding, library in _LIBRARIES.items() if not _unusable(library)]
    return ", ".join(["gzip", "deflate", *found])


def decode(
    body: bytes, codings: str, *, host: str, max_bytes: int, is_cut: bool = False
) -> tuple[bytes, bool]:
    """Return ``body`` without the ``codings`` of its Content-Encoding, and whether it was cut.

    No more than ``max_bytes`` come out, however small the body is. With ``is_cut`` it is known to
    be the beginning of a longer one. Raise WebParseError (``broken_body``), which
    names ``host``, when that fails.
    """
    named = [one.strip().lower() for one in codings.split(",")]
    known = [name for name in named if name in _INFLATE or name in _FOREIGN]
    if not known or not body:
        return body, is_cut
    if len(known) > 1:
        raise _undecodable(host, "it is compressed more than once")
    if (inflate := _INFLATE.get(known[0])) is None:
        raise _undecodable(host, f"{known[0]} was not asked for")
    library = _LIBRARIES.get(known[0])
    if library and (wrong := _unusable(library)):
        raise _undecodable(host, str(wrong), f"Mend it: {wrong.repair}")
    try:
        found, is_whole = inflate(body, max_bytes + 1)
    except _errors(known[0]):
        raise _undecodable(host, f"it is no {known[0]}") from None
    if not is_whole and not is_cut and len(found) <= max_bytes:
        raise _undecodable(host, "it ends too early")
    return found[:max_bytes], is_cut or len(found) > max_bytes


def _gunzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    found, is_whole = b"", False
    for _ in range(_MAX_MEMBERS):
        member = zlib.decompressobj(_GZIP)
        found += member.decompress(body, limit - len(found))
        body, is_whole = member.unused_data, member.eof
        # What follows the last member is padding, as for browsers.
        if not is_whole or not body.startswith(_GZIP_START) or len(found) >= limit:
            return found, is_whole
    return found, False


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    try:
        return _inflate_as(_ZLIB, body, limit)
    except zlib.error:
        return _inflate_as(_RAW, body, limit)


def _inflate_as(wrapping: int, body: bytes, limit: int) -> tuple[bytes, bool]:
    stream = zlib.decompressobj(wrapping)
    return stream.decompress(body, limit), stream.eof


def _unbrotli(body: bytes, limit: int) -> tuple[bytes, bool]:
    stream = _library("br").Decompressor()
    found = stream.process(body, output_buffer_limit=limit)
    while len(found) < limit and not stream.can_accept_more_data():
        found += stream.process(b"", output_buffer_limit=limit)
    return found, stream.is_finished()


def _unzstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    stream = _library("zstd").ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    with stream.stream_reader(io.BytesIO(body), read_across_frames=True) as reader:
        # The library does not tell an early end; the length of the message does.
        return reader.read(limit), True


_INFLATE: dict[str, _Inflate] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}


def _library(coding: str) -> Any:
    return import_module(_LIBRARIES[coding])


def _unusable(library: str) -> Fault | None:
    wrong = fault(library)
    return wrong if wrong and wrong.state != "old" else None


def _errors(coding: str) -> tuple[type[Exception], ...]:
    if coding == "br":
        return (_library(coding).error,)
    return (_library(coding).ZstdError,) if coding == "zstd" else (zlib.error,)


def _undecodable(host: str, why: str, hint: str = "") -> WebParseError:
    return WebParseError(
        f"The compressed answer of {host} cannot be unpacked: {why}.",
        hint=hint,
        detail_code="broken_body",
        values={"case": "packed", "host": host},
    )
