"""Pictures are told by their bytes, and lose what is not needed to draw them."""

from __future__ import annotations

import random
import struct
import zlib
from contextlib import suppress

import pytest

from citeseek.errors import WebParseError
from citeseek.fetching.picture_bytes import MAX_PIXELS, clean

SECRET = b"51.5N 0.1W, camera 4711"


def segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def jpeg(width: int = 2, height: int = 1, *own: bytes) -> bytes:
    size = segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00")
    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\xff\xd0\x34"
    return b"".join((b"\xff\xd8", segment(0xE0, b"JFIF\0"), *own, size, scan, b"\xff\xd9"))


def chunk(name: bytes, data: bytes = b"") -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int = 2, height: int = 1, *own: bytes) -> bytes:
    head = chunk(b"IHDR", struct.pack(">II", width, height) + b"\x08\0\0\0\0")
    drawn = chunk(b"IDAT", zlib.compress(b"\0\0\0"))
    return b"".join((b"\x89PNG\r\n\x1a\n", head, *own, drawn, chunk(b"IEND")))


def gif(width: int = 2, height: int = 1, *own: bytes) -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x4c\x01\x00"
    return b"".join((head, *own, image, b"\x3b"))


def part(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def webp(width: int = 2, height: int = 1, *own: bytes, flags: int = 0) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    drawn = part(b"VP8L", b"\x2f" + struct.pack("<I", 1) + b"\0")
    content = b"WEBP" + part(b"VP8X", bytes([flags, 0, 0, 0]) + sizes) + drawn + b"".join(own)
    return b"RIFF" + struct.pack("<I", len(content)) + content


REPEAT = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
XMP = b"\x21\xff\x0bXMP DataXMP" + bytes([len(SECRET)]) + SECRET + b"\0"
COMMENT = b"\x21\xfe" + bytes([len(SECRET)]) + SECRET + b"\0"
COLOURS = segment(0xE2, b"ICC_PROFILE\0\1\1abc")
PLAIN = {
    "image/jpeg": jpeg(2, 1, COLOURS),
    "image/png": png(2, 1, chunk(b"gAMA", b"\0\0\xb1\x8f")),
    "image/gif": gif(2, 1, REPEAT),
    "image/webp": webp(),
}
TELLING = {
    "image/jpeg": jpeg(2, 1, segment(0xE1, b"Exif\0\0" + SECRET), COLOURS, segment(0xFE, SECRET)),
    "image/png": png(
        2, 1, chunk(b"tEXt", SECRET), chunk(b"gAMA", b"\0\0\xb1\x8f"), chunk(b"eXIf", SECRET)
    ),
    "image/gif": gif(2, 1, XMP, REPEAT, COMMENT),
    "image/webp": webp(2, 1, part(b"EXIF", SECRET), part(b"XMP ", SECRET), flags=0x0C),
}


@pytest.mark.parametrize("media_type", PLAIN)
def test_a_picture_keeps_what_draws_it_and_loses_the_rest(media_type: str) -> None:
    plain, telling = PLAIN[media_type], TELLING[media_type]
    assert SECRET in telling
    for body in (plain, telling, telling + SECRET):
        picture = clean(body)
        assert picture.media_type == media_type
        assert picture.body == plain


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<?xml version='1.0'?><svg/>",
        b"<!doctype html><p>Not found",
        b"BM" + bytes(60),
        b"\0\0\0\x20ftypavif" + bytes(20),
        b"%PDF-1.7",
    ],
)
def test_what_is_no_picture_of_the_four_kinds_is_refused(body: bytes) -> None:
    with pytest.raises(WebParseError) as caught:
        clean(body)
    assert caught.value.detail_code == "unsupported_media"


@pytest.mark.parametrize("build", [jpeg, png, gif, webp])
def test_a_picture_of_too_many_pixels_is_refused(build: object) -> None:
    side = 10_000
    assert side * side > MAX_PIXELS
    with pytest.raises(WebParseError) as caught:
        clean(build(side, side))  # type: ignore[operator]
    assert caught.value.detail_code == "too_large"


@pytest.mark.parametrize("body", TELLING.values(), ids=TELLING)
def test_a_picture_that_ends_too_early_is_broken(body: bytes) -> None:
    for end in range(16, len(body)):
        with suppress(WebParseError):
            # What is whole behind its last part may lack no more than its end mark.
            assert len(clean(body[:end]).body) <= len(body)
    with pytest.raises(WebParseError) as caught:
        clean(body[: len(body) // 2])
    assert caught.value.detail_code == "broken_body"


@pytest.mark.parametrize("body", TELLING.values(), ids=TELLING)
def test_damaged_pictures_are_refused_or_read_and_nothing_else(body: bytes) -> None:
    chance = random.Random(19)  # noqa: S311 - no secret
    for _ in range(400):
        damaged = bytearray(body)
        for _ in range(3):
            damaged[chance.randrange(3, len(body))] = chance.randrange(256)
        with suppress(WebParseError):
            clean(bytes(damaged))
