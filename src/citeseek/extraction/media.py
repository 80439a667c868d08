"""What kind of thing a body is: what the header says, unless the bytes prove another."""

from __future__ import annotations

from typing import Literal, TypeAlias

from citeseek.errors import WebParseError
from citeseek.extraction.documents import reader_for, sniff
from citeseek.extraction.documents.document_reader import DocumentReader
from citeseek.models import Page

Kind: TypeAlias = DocumentReader | Literal["html", "json", "text"]

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
# What damaged documents of the declared type are known as.
_CONTAINERS = frozenset({"application/zip", "application/x-ole-storage"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
# Types that servers give to whatever they do not know.
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
_TEXT = frozenset(
    "application/xml application/javascript application/x-javascript application/yaml"
    " application/x-yaml application/toml application/sql application/x-sh".split()
)
_FAMILIES = {"image": "an image", "video": "a video", "audio": "a sound", "font": "a font"}
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_START = 1024
# One zero byte in this many is a slip; a file has more.
_FEW_ZEROS = 50
# Bytes that no text of any charset has but by a slip: neither white space, nor what changes the
# charset, nor what parts the fields of a record.
_CONTROLS = bytes({*range(1, 9), *range(14, 27)})
_FEW_CONTROLS = 2
# Too short to see that every other byte is zero.
_SHORT = 32


def kind_of(page: Page) -> tuple[Kind, str]:
    """Return the kind of ``page`` and its media type.

    Raise WebParseError (``unsupported_media``), which names the type, for what holds no text.
    """
    header = page.headers.get("content-type", "").lower()
    declared = header.partition(";")[0].strip()
    proved = None if _looks_like_html(page.body) else sniff(page.body)
    if proved:
        # Of one kind there are several types.
        return proved, declared if reader_for(declared) is proved else proved.media_type
    has_wide_letters = "utf-16" in header or _is_utf16(page.body[:_START])
    media_type = _sniff(page.body, has_wide_letters=has_wide_letters) or (
        declared if declared not in _VAGUE else _guess_type(page.body)
    )
    if media_type in _HTML:
        return "html", media_type
    if media_type in _CONTAINERS and reader_for(declared):
        media_type = declared
    if reader := reader_for(media_type):
        if _looks_like_html(page.body):
            return "html", "text/html"
        return "text" if reader.is_text else reader, media_type
    if media_type.endswith(("/json", "+json")):
        return "json", media_type
    family = media_type.partition("/")[0]
    is_xml = media_type.endswith("+xml") and family != "image"
    if family == "text" or media_type in _TEXT or is_xml:
        return ("html", "text/html") if _looks_like_html(page.body) else ("text", media_type)
    raise WebParseError(
        f"The address leads to {_FAMILIES.get(family, 'a file')} ({media_type}), not to a page of "
        "text.",
        detail_code="unsupported_media",
        page=page,
        values={"case": family if family in _FAMILIES else "file", "type": media_type},
    )


def _sniff(body: bytes, *, has_wide_letters: bool) -> str | None:
    """Return the type that the first bytes prove, None when they prove nothing.

    Of letters of two bytes any may be a control character by itself.
    """
    for signature, media_type in _SIGNATURES:
        if body.startswith(signature):
            return None if _looks_like_html(body) else media_type
    if body[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(body[8:12], "video/x-msvideo")
    if body[4:8] == b"ftyp":
        return "image/avif" if body[8:12] in (b"avif", b"heic") else "video/mp4"
    sample = body[:_START]
    if has_wide_letters:
        return None
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    is_binary = controls > max(_FEW_CONTROLS, len(sample) / _FEW_ZEROS)
    if sample.count(0) * _FEW_ZEROS > len(sample) or (is_binary and not _looks_like_html(body)):
        return "application/octet-stream"
    return None


def _guess_type(body: bytes) -> str:
    """Return the type of a body whose header does not tell it."""
    if _looks_like_html(body):
        return "text/html"
    return "application/json" if body.lstrip()[:1] in (b"{", b"[") else "text/plain"


def _looks_like_html(body: bytes) -> bool:
    start = body[:_START].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def _is_utf16(sample: bytes) -> bool:
    if sample.startswith(_MARKS_OF_UTF16):
        return True
    # Letters of ASCII in UTF-16 without a mark: every other byte is zero.
    zeros = sorted((sample[::2].count(0), sample[1::2].count(0)))
    return len(sample) >= _SHORT and zeros[0] == 0 and zeros[1] * 4 > len(sample)
