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
RAW = zlib.compressobj(wbits=-15)
RAW_DEFLATE = RAW.compress(PLAIN) + RAW.flush()
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
    ],
)
def test_a_coding_is_undone_however_it_is_spelt(codings: str, body: bytes) -> None:
    assert decoded(body, codings) == (PLAIN if body else b"")


@pytest.mark.parametrize("coding", LIBRARIES)
def test_a_coding_with_a_library_is_undone_and_asked_for(coding: str) -> None:
    body = packed(coding, PLAIN)
    assert decoded(body, coding.upper()) == PLAIN
    assert coding in accept_encoding().split(", ")


def test_only_what_can_be_undone_is_asked_for() -> None:
    there = [coding for coding, library in LIBRARIES.items() if find_spec(library)]
    assert accept_encoding().split(", ") == ["gzip", "deflate", *there]


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", GZIP[:-20]),
        ("gzip", PLAIN),
        ("deflate", zlib.compress(PLAIN)[:-20]),
        ("compress", b"\x1f\x9d\x90"),
        ("gzip, gzip", gzip.compress(GZIP, mtime=0)),
        ("gzip", gzip.compress(b"", mtime=0) * 1_000),
    ],
    ids=["cut", "plain", "cut deflate", "not asked for", "twice", "many members"],
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


def test_the_beginning_of_a_longer_body_is_unpacked_as_far_as_it_goes() -> None:
    found, is_cut = decode(GZIP[:-20], "gzip", host="h.example", max_bytes=len(PLAIN), is_cut=True)
    assert is_cut
    assert PLAIN.startswith(found)
    assert found
