"""Which charset a page is in: byte-order mark, header, meta, then what the bytes look like.

A label that does not fit the bytes is not believed. Labels mean what browsers take them for: gb2312
is gb18030, latin-1 is windows-1252.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from citeseek.models import Page

_META = rb"(?i)<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,30})"
_META_WITHIN = 4096
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Pages use characters of the superset of what they name, and browsers decode them so.
_MEANT = {
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "x-gbk": "gb18030",
    "hz-gb-2312": "hz",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "x-sjis": "cp932",
    "shift-jis": "cp932",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "windows-874": "cp874",
    "utf8": "utf-8",
    "unicode": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
# One damaged character in this many bytes is a slip of the site; so is one beside this many whole
# ones, which other charsets give by chance in no text of five characters.
_DAMAGE = 1000
_WHOLE = 2
# So few bytes say nothing of a rare charset.
_FEW = 3
# So many characters of several bytes are valid UTF-8 by chance in no other charset.
_UNLIKELY = 8
_WINDOW = 32_768
# Tried where nothing is declared, in this order among equals.
_GUESSES = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_CYRILLIC = ("cp1251", "koi8-r")
# The most frequent characters of each language, by which a guess is judged.
_FREQUENT = frozenset(
    "的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生"
    "這為來個們說國時對會學過後經發開長間問無與點還樣將從"
    "のにはをたがでてとしれさあるいもなかりらこうっすきんーアイスルトンリ"
    "이다의는에가을를한로고하도은사지기자정인시"
    "оеаинтсрвлкмдпу"
    "，。、：；？！「」"
)
_ENOUGH = 0.12
_ENOUGH_CYRILLIC = 0.5
# Accented letters stand alone in Western text; in other scripts letters follow each other.
_WESTERN = 0.7


def utf8(page: Page) -> bytes:
    """Return the body as UTF-8; bytes that fit no charset at all are left in it."""
    return decoded(page)[0]


def decoded(page: Page) -> tuple[bytes, str]:  # noqa: PLR0911 - one for each way to know
    """Return the body as UTF-8, and the name of the charset that it came in."""
    body = page.body
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _replaced(body[len(mark) :], charset)
    labels = list(_labels(page))
    if body.isascii() and not any(
        label.startswith(("utf-16", "hz", "iso-2022")) for label in labels
    ):
        return body, "utf-8"
    is_utf8, characters = _as_utf8(body)
    if is_utf8 and (not labels or characters >= _UNLIKELY or labels[0] in ("utf-8", "cp1252")):
        return body, "utf-8"
    for label in labels:
        if label == "utf-8":
            if _is_damaged_utf8(body):
                return body, label
        elif (text := _strict(body, label)) is not None:
            return text.encode("utf-8", "replace"), label
    if is_utf8:
        return body, "utf-8"
    return _replaced(body, _guessed(body))


def _labels(page: Page) -> Iterator[str]:
    """Yield the codecs that the header and the page name, the header's first."""
    _, _, label = page.headers.get("content-type", "").lower().partition("charset=")
    named = [label.split(";")[0].strip(" \"'")]
    named += [
        found.decode("ascii").lower() for found in re.findall(_META, page.body[:_META_WITHIN])
    ]
    for name in named:
        try:
            codec = codecs.lookup(_MEANT.get(name, name) or "none")
        except LookupError:
            continue
        # "rot13" and "zip" are codecs as well.
        if codec._is_text_encoding:  # noqa: SLF001 - there is no public name for it
            yield codec.name


def _as_utf8(body: bytes) -> tuple[bool, int]:
    """Return whether ``body`` is UTF-8, and how many characters of it take several bytes."""
    text = _strict(body, "utf-8")
    characters = len(re.findall(r"[^\x00-\x7f]", text[:_WINDOW])) if text else 0
    # A single byte at the end is as well a letter of another charset.
    return characters > 0, characters


def _is_damaged_utf8(body: bytes) -> bool:
    """Return whether ``body``, called UTF-8 and not all of it, is so but for a slip of the site."""
    text = body.decode(errors="replace")
    damaged = text.count("�") - body.count("�".encode())
    if damaged * _DAMAGE < len(body):
        return True
    whole = len(re.findall(r"[^\x00-\x7f]", text)) - damaged
    if damaged * _WHOLE <= whole:
        return True
    guess = _guessed(body)
    if guess in _GUESSES:
        return False
    # Charsets of one byte for each letter give not even as many whole ones as damaged ones.
    return damaged <= whole or (damaged <= _FEW and guess not in (*_CYRILLIC, "cp1252"))


def _strict(body: bytes, charset: str) -> str | None:
    """Return the text, None when ``body`` is in another charset; its last character may be cut."""
    try:
        return codecs.getincrementaldecoder(charset)().decode(body)
    except (UnicodeError, LookupError):
        return None


def _replaced(body: bytes, charset: str) -> tuple[bytes, str]:
    return body.decode(charset, "replace").encode("utf-8", "replace"), charset


def _guessed(body: bytes) -> str:
    first = re.search(rb"[\x80-\xff]", body)
    start = first.start() if first else 0
    window = body[start : start + _WINDOW]
    for charsets, enough in ((_GUESSES, _ENOUGH), (_CYRILLIC, _ENOUGH_CYRILLIC)):
        scores = {charset: _fitness(window, charset) for charset in charsets}
        best = max(charsets, key=scores.__getitem__)
        if scores[best] >= enough:
            return best
    runs = re.findall(rb"[\x80-\xff]+", window)
    if sum(len(run) == 1 for run in runs) >= _WESTERN * len(runs):
        return "cp1252"
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 40 ms that few pages need

    found = from_bytes(window).best()
    return found.encoding if found else "cp1252"


def _fitness(window: bytes, charset: str) -> float:
    """Return the share of frequent characters among those that are not ASCII, 0 for a misfit."""
    text = _strict(window, charset)
    foreign = re.findall(r"[^\x00-\x7f]", text) if text else []
    if not foreign or any("\ue000" <= character <= "\uf8ff" for character in foreign):
        return 0.0
    return sum(character in _FREQUENT for character in foreign) / len(foreign)
