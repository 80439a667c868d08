"""Bodies are unpacked however their coding is spelt, and never beyond the limit."""

from __future__ import annotations

import gzip
import zlib
from importlib import import_module
from importlib.util import find_spec

import pytest

from citeseek.errors import WebParseError
from citeseek.http.content_coding import accept_encoding, decode

PLAIN = b"The tea house at the lake opens at nine. " * 50
GZIP = gzip.compress(PLAIN, mtime=0)
# With an extra field, a name, a comment and a checksum of the header.
NAMED_GZIP = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x02\0ab" + b"tea\0green\0" + b"\0\0" + GZIP[10:]
RAW = zlib.compressobj(wbits=-15)
RAW_DEFLATE = RAW.compress(PLAIN) + RAW.flush()
LONG = b"".join(b"Cup %d of %d is poured. " % (number, number**3) for number in range(200))
LONG_GZIP = gzip.compress(LONG, mtime=0)
LIBRARIES = {"br": "brotli", "zstd": "zstandard"}


def decoded(body: bytes, codings: str) -> bytes:
    found, is_cut = decode(body, codings, host="h.example", max_bytes=len(PLAIN))
    assert not is_cut
    return found


def packed(coding: str, body: bytes) -> bytes:
    return bytes(import_module(LIBRARIES[coding]).compress(body))


@pytest.mark.parametrize(
    ("codings", "body"),
    [
        ("gzip", GZIP),
        ("GZip", GZIP),
        (" x-gzip ", GZIP),
        ("identity, gzip", GZIP),
        ("gzip", GZIP + b"\0" * 8),
        ("gzip", gzip.compress(PLAIN[:100], mtime=0) + gzip.compress(PLAIN[100:], mtime=0)),
        ("deflate", zlib.compress(PLAIN)),
        ("Deflate", RAW_DEFLATE),
        ("UTF-8", PLAIN),
        ("none, binary", PLAIN),
        ("", PLAIN),
        ("gzip", b""),
        ("gzip, gzip", gzip.compress(GZIP, mtime=0)),
        ("deflate, gzip", gzip.compress(zlib.compress(PLAIN), mtime=0)),
        ("gzip, UTF-8, deflate", zlib.compress(GZIP)),
        ("gzip", NAMED_GZIP),
        # Browsers look at no checksum.
        ("gzip", GZIP[:-8]),
        ("gzip", GZIP[:-8] + bytes(8)),
        ("deflate", zlib.compress(PLAIN)[:-4]),
    ],
)
def test_a_coding_is_undone_however_it_is_spelt(codings: str, body: bytes) -> None:
    assert decoded(body, codings) == (PLAIN if body else b"")


@pytest.mark.parametrize("coding", LIBRARIES)
def test_a_coding_with_a_library_is_undone_and_asked_for(coding: str) -> None:
    body = packed(coding, PLAIN)
    assert decoded(body, coding.upper()) == PLAIN
    assert coding in accept_encoding().split(", ")
    assert decoded(gzip.compress(body, mtime=0), f"{coding}, gzip") == PLAIN


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", LONG_GZIP[:-12]),
        ("gzip", LONG_GZIP[:200]),
        ("deflate", zlib.compress(LONG)[:-20]),
        ("gzip, gzip", gzip.compress(LONG_GZIP[:200], mtime=0)),
        ("gzip", gzip.compress(LONG[:100], mtime=0) + LONG_GZIP[:200]),
    ],
    ids=["end", "middle", "deflate", "inner", "second member"],
)
def test_of_a_body_that_ends_too_early_there_is_what_came(coding: str, body: bytes) -> None:
    found, is_cut = decode(body, coding, host="h.example", max_bytes=len(LONG) + 100)
    assert is_cut
    assert found
    assert (LONG + LONG).startswith(found) or (LONG[:100] + LONG).startswith(found)


def test_a_brotli_body_that_ends_too_early_is_cut() -> None:
    body = packed("br", LONG)
    found, is_cut = decode(body[: len(body) // 2], "br", host="h.example", max_bytes=len(LONG))
    assert is_cut
    assert found
    assert LONG.startswith(found)


@pytest.mark.parametrize("start", [b"%PDF-1.7\n", b"PK\x03\x04"])
def test_a_document_that_ends_too_early_is_told(start: bytes) -> None:
    with pytest.raises(WebParseError) as caught:
        decoded(gzip.compress(start + LONG, mtime=0)[:200], "gzip")
    assert caught.value.detail_code == "broken_body"


def test_only_what_can_be_undone_is_asked_for() -> None:
    there = [coding for coding, library in LIBRARIES.items() if find_spec(library)]
    assert accept_encoding().split(", ") == ["gzip", "deflate", *there]


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", GZIP[:5]),
        ("gzip", GZIP[:12]),
        ("gzip", PLAIN),
        ("deflate", PLAIN),
        ("compress", b"\x1f\x9d\x90"),
        ("gzip, gzip", GZIP),
        (", ".join(["gzip"] * 6), GZIP),
        ("gzip", gzip.compress(b"", mtime=0) * 1_000),
    ],
    ids=[
        "header",
        "nothing",
        "plain",
        "no deflate",
        "not asked for",
        "once",
        "often",
        "many members",
    ],
)
def test_what_cannot_be_undone_is_told(coding: str, body: bytes) -> None:
    with pytest.raises(WebParseError) as caught:
        decoded(body, coding)
    assert caught.value.detail_code == "broken_body"


@pytest.mark.sample(1)
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_gives_no_more_than_the_limit(coding: str) -> None:
    zeros = bytes(50_000_000)
    compress = {"gzip": gzip.compress, "deflate": zlib.compress}.get(coding)
    bomb = compress(zeros) if compress else packed(coding, zeros)
    assert len(bomb) < 100_000
    found, is_cut = decode(bomb, coding, host="h.example", max_bytes=1_000)
    assert (found, is_cut) == (bytes(1_000), True)


def test_a_bomb_within_another_gives_no_more_than_the_limit() -> None:
    bomb = gzip.compress(gzip.compress(bytes(50_000_000)))
    found, is_cut = decode(bomb, "gzip, gzip", host="h.example", max_bytes=1_000)
    assert (found, is_cut) == (bytes(1_000), True)


def test_the_beginning_of_a_longer_body_is_unpacked_as_far_as_it_goes() -> None:
    found, is_cut = decode(GZIP[:-20], "gzip", host="h.example", max_bytes=len(PLAIN), is_cut=True)
    assert is_cut
    assert PLAIN.startswith(found)
    assert found
