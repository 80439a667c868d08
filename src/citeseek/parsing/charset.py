"""Which charset a page is in: byte-order mark, header, meta, then what the bytes look like.

Labels mean what browsers take them for. One that does not fit the bytes is not believed; a few bad
bytes on a page damage their own characters and nothing else.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from citeseek.models import Page

_META = re.compile(
    rb"(?i)<meta[^>]{0,200}?charset\s*+=\s*+[\"']?\s*+([\w.:-]{2,30})"
    rb"|^\s*+<\?xml[^>]{0,100}?encoding\s*+=\s*+[\"']([\w.:-]{2,30})"
)
_META_WITHIN = 4096
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What browsers take each label for (WHATWG Encoding standard), by the codec here. Pages use
# characters of the superset of what they name: gb2312 is gb18030, latin-1 is windows-1252. Where
# browsers show nothing for fear of scripts (hz, iso-2022-kr), the text is read all the same. ASCII
# is left out: on a page that holds other bytes the label is wrong.
_CODECS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859_2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987"
    " l2 latin2",
    "iso8859_3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988"
    " l3 latin3",
    "iso8859_4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988"
    " l4 latin4",
    "iso8859_5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"
    " iso_8859-5:1988",
    "iso8859_6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6"
    " iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859_7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7"
    " iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859_8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8"
    " iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859_10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859_13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859_14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859_15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859_16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac_roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1"
    " iso_8859-1:1987 l1 latin1 latin-1 windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9"
    " iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"
    " gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
    " ksc_5601 windows-949",
    "iso2022_kr": "csiso2022kr iso-2022-kr",
    "hz": "hz-gb-2312",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
_MEANT = {label: codec for codec, labels in _CODECS.items() for label in labels.split()}
# Tables that pages go beyond (numbers in circles) where Python's codec keeps to the standard.
_WIDER = {"euc_jp": "euc_jis_2004", "iso2022_jp": "iso2022_jp_2004"}
# Charsets in which no byte is above 127; nothing else has these escapes.
_ESCAPES = ((re.compile(rb"\x1b\$[@B]"), "iso2022_jp"), (re.compile(rb"\x1b\$\)C"), "iso2022_kr"))
_ESCAPE = b"\x1b"
# One of these is in every ASCII text that stands for another one: by such an escape, in hz, UTF-16.
_SEVEN_BIT_SIGNS = (_ESCAPE, b"~", b"\0")
_HIGH = re.compile(rb"[\x80-\xff]")
_SEVEN_BITS = ("hz", "iso2022_jp", "iso2022_kr")
# One damaged character in this many bytes is a slip of the site; so is one beside this many whole
# ones, which other charsets give by chance in no text of five characters.
_DAMAGE = 1000
_WHOLE = 2
# So few bytes say nothing of a rare charset.
_FEW = 3
# A label that leaves one character in this many unread names the charset of a damaged page.
_SLIPS = 20
# So many characters of several bytes are valid UTF-8 by chance in no other charset.
_UNLIKELY = 8
_WINDOW = 32_768
_FOREIGN = re.compile(r"[^\x00-\x7f]")
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
    return page.body if _is_plain_utf8(page) else decode(page)[0]


def decode(page: Page) -> tuple[bytes, str]:
    """Return the body as UTF-8, and the name of the charset that it came in."""
    body = page.body
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _decode_with_replacement(body[len(mark) :], charset)
    labels = list(_labels(page))
    if body.isascii() or _has_escapes(body):
        return _of_seven_bits(body, labels)
    is_utf8, characters = _as_utf8(body)
    if is_utf8 and (not labels or characters >= _UNLIKELY or labels[0] in ("utf-8", "cp1252")):
        return body, "utf-8"
    if found := _as_labelled(body, labels):
        return found
    if is_utf8 or _is_mostly_utf8(body):
        return body, "utf-8"
    return _of_damaged(body, labels)


def _is_plain_utf8(page: Page) -> bool:
    """Whether nothing but UTF-8 comes into question, which most pages show at little cost."""
    body = page.body
    if body.isascii():
        return not any(sign in body for sign in _SEVEN_BIT_SIGNS)
    if body.startswith(codecs.BOM_UTF8) or _ESCAPE in body:
        return False
    if next(_labels(page), "utf-8") != "utf-8":
        return False
    try:
        body.decode()
    except UnicodeError:
        return False
    return True


def _of_damaged(body: bytes, labels: list[str]) -> tuple[bytes, str]:
    guess = _guess(body)
    for label in labels:
        # Charsets of one byte for each letter leave hardly anything unread.
        if label != "utf-8" and (label in _GUESSES or guess not in _GUESSES):
            text = body[:_WINDOW].decode(label, "replace")
            if 0 < text.count("�") * _SLIPS <= len(_FOREIGN.findall(text)):
                return _decode_with_replacement(body, label)
    return _decode_with_replacement(body, guess)


def _has_escapes(body: bytes) -> bool:
    """Whether ``body`` is in a charset of seven bits, but for a slip of the site."""
    has = any(escape.search(body) for escape, _ in _ESCAPES)
    return has and len(_HIGH.findall(body)) * _SLIPS <= len(body)


def _of_seven_bits(body: bytes, labels: list[str]) -> tuple[bytes, str]:
    found = [codec for escape, codec in _ESCAPES if escape.search(body)]
    found += [label for label in labels if label in _SEVEN_BITS or label.startswith("utf-16")]
    return (
        _decode_with_replacement(body, _wide_enough(body, found[0])) if found else (body, "utf-8")
    )


def _as_labelled(body: bytes, labels: list[str]) -> tuple[bytes, str] | None:
    """Return the body by the first label that fits all of it, UTF-8 with slips included."""
    for label in labels:
        if label == "utf-8":
            if _is_damaged_utf8(body):
                return body, label
        elif (text := _strict(body, codec := _wide_enough(body, label))) is not None:
            return text.encode("utf-8", "replace"), codec
    return None


def _labels(page: Page) -> Iterator[str]:
    """Yield the codecs that the header and the page name, the header's first."""
    _, _, label = page.headers.get("content-type", "").lower().partition("charset=")
    if codec := _MEANT.get(label.split(";")[0].strip(" \"'")):
        yield codec
    for found in _META.finditer(page.body[:_META_WITHIN]):
        codec = _MEANT.get((found[1] or found[2]).decode("ascii", "replace").lower())
        # Whoever can read the label does not read UTF-16.
        if codec and not codec.startswith("utf-16"):
            yield codec


def _wide_enough(body: bytes, codec: str) -> str:
    """Return the wider table of ``codec`` where only that one reads all of ``body``."""
    wider = _WIDER.get(codec)
    needs = wider and _strict(body, codec) is None and _strict(body, wider) is not None
    return wider if wider and needs else codec


def _is_mostly_utf8(body: bytes) -> bool:
    damaged, whole = _utf8_damage(body)
    return whole >= _UNLIKELY and damaged * _WHOLE <= whole


def _utf8_damage(body: bytes) -> tuple[int, int]:
    """Return how many characters of several bytes are damaged as UTF-8, and how many whole."""
    text = body.decode(errors="replace")
    damaged = text.count("�") - body.count("�".encode())
    return damaged, len(_FOREIGN.findall(text)) - damaged


def _as_utf8(body: bytes) -> tuple[bool, int]:
    """Return whether ``body`` is UTF-8, and how many characters of it take several bytes."""
    text = _strict(body, "utf-8")
    characters = len(_FOREIGN.findall(text[:_WINDOW])) if text else 0
    # A single byte at the end is as well a letter of another charset.
    return characters > 0, characters


def _is_damaged_utf8(body: bytes) -> bool:
    """Return whether ``body``, called UTF-8 and not all of it, is so but for a slip of the site."""
    damaged, whole = _utf8_damage(body)
    if damaged * _DAMAGE < len(body):
        return True
    if damaged * _WHOLE <= whole:
        return True
    guess = _guess(body)
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


def _decode_with_replacement(body: bytes, charset: str) -> tuple[bytes, str]:
    return body.decode(charset, "replace").encode("utf-8", "replace"), charset


def _guess(body: bytes) -> str:
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
    foreign = _FOREIGN.findall(window.decode(charset, "replace"))
    if foreign.count("�") * _SLIPS > len(foreign):
        return 0.0
    if not foreign or any("\ue000" <= character <= "\uf8ff" for character in foreign):
        return 0.0
    return sum(character in _FREQUENT for character in foreign) / len(foreign)
