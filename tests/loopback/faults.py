"""Replies that break the connection or the encoding, each one exactly."""

from __future__ import annotations

import asyncio
import functools
import gzip
import struct
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from .messages import Reply
from .replies import HTML

if TYPE_CHECKING:
    from .wire import Wire

Labelled: TypeAlias = Callable[[str], Reply]

MEGABYTE = 1 << 20

_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_SENTENCE = b"<p>A line that never comes to its end.</p>\n"


def reset() -> Reply:
    """Read the request, then reset the connection instead of answering."""

    async def script(wire: Wire) -> None:
        wire.reset()

    return Reply(script=script)


def hang() -> Reply:
    """Read the request and never answer; ends when the client goes."""

    async def script(_wire: Wire) -> None:
        await asyncio.Event().wait()

    return Reply(script=script)


def drip(gap: float = 0.01, *, content_type: str = HTML) -> Reply:
    """Send the headers, then for ever one byte of text every ``gap`` seconds."""
    head = Reply(200, {"Content-Type": content_type}, chunked=True).head()

    async def script(wire: Wire) -> None:
        await wire.send(head)
        while True:
            for byte in _SENTENCE:
                await wire.send(b"1\r\n%c\r\n" % byte)
                await asyncio.sleep(gap)

    return Reply(script=script)


def cut_body(reply: Reply, kept: int) -> Reply:
    """Announce the whole of ``reply``, send ``kept`` bytes of its body and close."""

    async def script(wire: Wire) -> None:
        await wire.send(reply.head() + reply.content[:kept])

    return Reply(script=script)


def truncated_gzip(body: bytes) -> Reply:
    """Send the first half of ``body`` compressed, under a ``Content-Length`` that fits the half."""
    packed = gzip.compress(body, mtime=0)
    return _encoded("gzip", packed[: len(packed) // 2])


def gzip_bomb(megabytes: int = 128) -> Reply:
    """Send zeros that fill ``megabytes`` when decompressed and a thousandth of it on the wire."""
    return _encoded("gzip", _zeros(megabytes))


def undecodable_brotli() -> Reply:
    """Claim brotli over bytes that are none."""
    return _encoded("br", b"\xff\xfe these bytes are not brotli \x03")


def gbk_called_utf8(page: str) -> Reply:
    """Send ``page`` in GBK under a header that says UTF-8."""
    return Reply(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode("gbk"))


def gbk_called_gbk(page: str) -> Reply:
    """Send ``page`` in GBK under a header that says so."""
    return Reply(200, {"Content-Type": "text/html; charset=gbk"}, page.encode("gbk"))


def gbk_in_meta_only(page: str) -> Reply:
    """Send ``page`` in GBK, told only by a ``meta`` element put before it."""
    return gbk_unlabelled(f'<meta charset="gbk">{page}')


def gbk_unlabelled(page: str) -> Reply:
    """Send ``page`` in GBK and tell nobody."""
    return Reply(200, {"Content-Type": "text/html"}, page.encode("gbk"))


GBK: tuple[Labelled, ...] = (gbk_called_utf8, gbk_called_gbk, gbk_in_meta_only, gbk_unlabelled)
"""Every way in which a GBK page may be labelled."""


def _encoded(coding: str, body: bytes) -> Reply:
    return Reply(200, {"Content-Type": HTML, "Content-Encoding": coding}, body)


@functools.cache
def _zeros(megabytes: int) -> bytes:
    """Return one gzip member of zeros; a full flush makes its megabytes repeatable as they are."""
    block = bytes(MEGABYTE)
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = functools.reduce(lambda crc, _: zlib.crc32(block, crc), range(megabytes), 0)
    trailer = struct.pack("<II", checksum, megabytes * MEGABYTE)
    return _GZIP_HEADER + piece * megabytes + packer.flush() + trailer
