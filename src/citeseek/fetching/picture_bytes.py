"""A picture as it may be shown: told by its first bytes, without what it says of its maker.

What is not needed to draw it is left out: where and when it was taken, comments, names of programs,
and whatever stands behind its end. SVG is no picture here, since it may hold scripts.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Literal

import msgspec

from citeseek.errors import WebParseError

MediaType = Literal["image/jpeg", "image/png", "image/gif", "image/webp"]

# More makes a browser take hundreds of megabytes to draw it.
MAX_PIXELS = 40_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
# What draws the picture, and how its colours are meant.
_PNG_KEPT = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs acTL fcTL fdAT".split()
)
_JPEG_SIZE = frozenset(
    {*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)}
)
# Applications' own segments of a JPEG: JFIF, colours (ICC) and Adobe's note on them are kept.
_JPEG_APPLICATIONS = range(0xE0, 0xF0)
_JPEG_KEPT = frozenset({0xE0, 0xE2, 0xEE})
_JPEG_COMMENT, _JPEG_START_OF_SCAN, _JPEG_END = 0xFE, 0xDA, 0xD9
# Within a scan a marker is what is neither a stuffed byte nor a restart.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_WEBP_ALPHA = b"ALPH"  # codespell:ignore
_WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"VP8X", _WEBP_ALPHA, b"ANIM", b"ANMF", b"ICCP"})
# The flags of a WebP that say it has EXIF and XMP.
_WEBP_METADATA = 0x0C
# Applications' own blocks of a GIF that say how often it is repeated.
_GIF_KEPT = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_GIF_IMAGE, _GIF_EXTENSION, _GIF_END = 0x2C, 0x21, 0x3B
_GIF_CONTROL, _GIF_APPLICATION = 0xF9, 0xFF


class Picture(msgspec.Struct, frozen=True):
    """A picture and what kind it is."""

    media_type: MediaType
    body: bytes


def clean(body: bytes) -> Picture:
    """Return the picture in ``body`` without what is not needed to draw it.

    Raise WebParseError: ``unsupported_media`` for what is none of the four kinds, ``broken_body``
    for one that ends too early or is not made as its kind is, ``too_large`` for too many pixels.
    """
    try:
        if body.startswith(b"\xff\xd8\xff"):
            return Picture("image/jpeg", _jpeg(body))
        if body.startswith(_PNG):
            return Picture("image/png", _png(body))
        if body.startswith((b"GIF87a", b"GIF89a")):
            return Picture("image/gif", _gif(body))
        if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
            return Picture("image/webp", _webp(body))
    except (IndexError, struct.error):
        raise _broken() from None
    raise WebParseError("It is no picture that can be shown.", detail_code="unsupported_media")


def _jpeg(body: bytes) -> bytes:
    kept = [body[:2]]
    at, has_size = 2, False
    while (marker := body[at + 1]) != _JPEG_END:
        if body[at] != 0xFF:  # noqa: PLR2004 - every segment begins so
            raise _broken()
        if marker == 0xFF:  # noqa: PLR2004 - a filling byte
            at += 1
            continue
        (length,) = struct.unpack_from(">H", body, at + 2)
        end = at + 2 + length
        if length < 2 or end > len(body):  # noqa: PLR2004 - it counts itself
            raise _broken()
        if marker in _JPEG_SIZE:
            height, width = struct.unpack_from(">HH", body, at + 5)
            _check_size(width, height)
            has_size = True
        if marker == _JPEG_START_OF_SCAN:
            found = _MARKER.search(body, end)
            if found is None:
                raise _broken()
            end = found.start()
        is_foreign = marker in _JPEG_APPLICATIONS and marker not in _JPEG_KEPT
        if not is_foreign and marker != _JPEG_COMMENT:
            kept.append(body[at:end])
        at = end
    if not has_size:
        raise _broken()
    return b"".join((*kept, b"\xff\xd9"))


def _png(body: bytes) -> bytes:
    kept = [_PNG]
    at = len(_PNG)
    width, height = struct.unpack_from(">II", body, at + 8)
    _check_size(width, height)
    while True:
        (length,) = struct.unpack_from(">I", body, at)
        name, end = body[at + 4 : at + 8], at + 12 + length
        if end > len(body):
            raise _broken()
        if name in _PNG_KEPT:
            kept.append(body[at:end])
        if name == b"IEND":
            return b"".join(kept)
        at = end


def _gif(body: bytes) -> bytes:
    width, height, flags = struct.unpack_from("<HHB", body, 6)
    _check_size(width, height)
    at = 13 + _colours(flags)
    kept = [body[:at]]
    while (kind := body[at]) != _GIF_END:
        if kind == _GIF_IMAGE:
            width, height, flags = struct.unpack_from("<HHB", body, at + 5)
            _check_size(width, height)
            end = _end_of_blocks(body, at + 11 + _colours(flags))
            kept.append(body[at:end])
        elif kind == _GIF_EXTENSION:
            label, end = body[at + 1], _end_of_blocks(body, at + 2)
            is_repeat = label == _GIF_APPLICATION and body[at + 3 : at + 14] in _GIF_KEPT
            if label == _GIF_CONTROL or is_repeat:
                kept.append(body[at:end])
        else:
            raise _broken()
        at = end
    return b"".join((*kept, b"\x3b"))


def _colours(flags: int) -> int:
    """Return the bytes of the table of colours that ``flags`` of a GIF tell of."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _end_of_blocks(body: bytes, at: int) -> int:
    while size := body[at]:
        at += 1 + size
    return at + 1


def _webp(body: bytes) -> bytes:
    kept = []
    has_size = False
    for name, data in _chunks(body):
        if name not in _WEBP_KEPT:
            continue
        shown = data
        if size := _webp_size(name, data):
            _check_size(*size)
            has_size = True
        if name == b"VP8X":
            shown = bytes((data[0] & ~_WEBP_METADATA & 0xFF,)) + data[1:]
        padding = b"\x00" * (len(shown) % 2)
        kept.append(name + struct.pack("<I", len(shown)) + shown + padding)
    if not has_size:
        raise _broken()
    content = b"WEBP" + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(content)) + content


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    (length,) = struct.unpack_from("<I", body, 4)
    at, end = 12, 8 + length
    if end > len(body):
        raise _broken()
    while at < end:
        (size,) = struct.unpack_from("<I", body, at + 4)
        if at + 8 + size > end:
            raise _broken()
        yield body[at : at + 4], body[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def _webp_size(name: bytes, data: bytes) -> tuple[int, int] | None:
    if name == b"VP8X":
        return _number(data[4:7]) + 1, _number(data[7:10]) + 1
    if name == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 6)
        return width & 0x3FFF, height & 0x3FFF
    if name == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None


def _number(three: bytes) -> int:
    if len(three) != 3:  # noqa: PLR2004 - of 24 bits
        raise _broken()
    return int.from_bytes(three, "little")


def _check_size(width: int, height: int) -> None:
    if not width or not height:
        raise _broken()
    if width * height > MAX_PIXELS:
        raise WebParseError(
            f"The picture has more than {MAX_PIXELS:,} pixels.", detail_code="too_large"
        )


def _broken() -> WebParseError:
    return WebParseError("The picture is broken.", detail_code="broken_body")
