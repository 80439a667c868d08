"""Content codings: the compression of a body is undone here, within a limit of bytes.

Names have no case and may be old (``x-gzip``); ``deflate`` is sent with and without the wrapper of
zlib. A name that is no coding at all (``UTF-8``) stands on bodies that are plain. As in a browser
several codings are undone one after the other, a checksum that is wrong or missing is passed over,
and of a body that ends too early there is what came.
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
# More codings, one within the other, are no answer of a site.
_MAX_CODINGS = 5
# A part of such a file is worth nothing.
WHOLE_OR_NOTHING = (b"%PDF", b"PK\x03\x04")
_RAW = -15
_GZIP_HEADER, _GZIP_TRAILER = 10, 8
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
    be the beginning of a longer one; one that ends too early is cut as well. Raise WebParseError
    (``broken_body``), which names ``host``, when that fails, and for a document that ends too
    early.
    """
    named = [one.strip().lower() for one in codings.split(",")]
    known = [name for name in named if name in _INFLATE or name in _FOREIGN]
    if not known or not body:
        return body, is_cut
    if len(known) > _MAX_CODINGS:
        raise _undecodable(host, f"it is compressed {len(known)} times")
    for coding in reversed(known):
        body, is_whole = _undo(coding, body, host, max_bytes + 1)
        is_cut = is_cut or len(body) > max_bytes
        if not is_whole and not is_cut and (not body or body.startswith(WHOLE_OR_NOTHING)):
            raise _undecodable(host, "it ends too early")
        is_cut = is_cut or not is_whole
        if not body:
            break
    return body[:max_bytes], is_cut


def _undo(coding: str, body: bytes, host: str, limit: int) -> tuple[bytes, bool]:
    if (inflate := _INFLATE.get(coding)) is None:
        raise _undecodable(host, f"{coding} was not asked for")
    library = _LIBRARIES.get(coding)
    if library and (wrong := _unusable(library)):
        raise _undecodable(host, str(wrong), f"Mend it: {wrong.repair}")
    try:
        return inflate(body, limit)
    except _errors(coding):
        raise _undecodable(host, f"it is no {coding}") from None


def _gunzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    found, is_whole = b"", False
    for _ in range(_MAX_MEMBERS):
        start = _gzip_data(body)
        if start is None:
            return found, False
        member = zlib.decompressobj(_RAW)
        found += member.decompress(body[start:], limit - len(found))
        body, is_whole = member.unused_data[_GZIP_TRAILER:], member.eof
        # What follows the last member is padding, as for browsers.
        if not is_whole or not body.startswith(_GZIP_START) or len(found) >= limit:
            return found, is_whole
    return found, False


def _gzip_data(body: bytes) -> int | None:
    """Return where the data of a member begins, None where its header ends too early.

    Raise zlib.error for what is no gzip.
    """
    if not body.startswith(_GZIP_START[: len(body)]) or body[2:3] not in (b"", b"\x08"):
        raise zlib.error("not a gzip header")
    if len(body) < _GZIP_HEADER:
        return None
    flags, at = body[3], _GZIP_HEADER
    has_extra, has_checksum = flags & 4, flags & 2
    if has_extra:
        at += 2 + int.from_bytes(body[at : at + 2], "little")
    for text in (8, 16):
        if flags & text:
            at = body.find(b"\0", at) + 1
            if not at:
                return None
    at += 2 if has_checksum else 0
    return at if at <= len(body) else None


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    is_wrapped = body[0] & 15 == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
    if is_wrapped:
        try:
            return _inflate_raw(body[2:], limit)
        except zlib.error:
            pass
    return _inflate_raw(body, limit)


def _inflate_raw(body: bytes, limit: int) -> tuple[bytes, bool]:
    stream = zlib.decompressobj(_RAW)
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
        # The library does not tell an early end; the frame may say how long it is.
        found = reader.read(limit)
    return found, len(found) >= _library("zstd").frame_content_size(body)


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
