"""Under which licence a page is published, and where it says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.metas import Metas
from citeseek.text import plain_line
from citeseek.urls import is_web, join_url

LicenceSource: TypeAlias = Literal["markup", "json-ld", "meta", "text"]

# Names of ``meta`` elements, licences before rights.
_NAMES = (
    "dcterms.license", "dc.rights.license", "dc.license", "license", "licence", "og:license",
    "dcterms.rights", "dc.rights", "dcterms:rights", "dc:rights", "rights",
)  # fmt: skip
_RANKS: dict[str | None, int] = {name: rank for rank, name in enumerate(_NAMES)}
_NAMING = ("name", "property", "itemprop")
_MARKED = "link[rel~=license i], a[rel~=license i], area[rel~=license i], [itemprop~=license]"
_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/", re.IGNORECASE
)
_SAID = re.compile(
    r"(?i)licen[cs]|lizen[zs]|licencia|licença|licenza|лиценз|lisans|رخصة|ترخيص"
    r"|许可|許可|授权|授權|协议|協議|ライセンス|라이선스|허락|public domain|CC[ -]BY|CC0"
)
# A picture has a licence of its own, and so has what others wrote.
_OTHERS = re.compile(r"(?i)caption|credit|thumb|gallery|comment(?!ary)|attribution")
_OTHER_TAGS = frozenset({"figure", "figcaption", "blockquote"})
_OTHER_TYPES = re.compile(r"(?i)schema\.org/(?:\w*comment|(?:image|media|audio|video)object|photo)")
_LONGEST = 300
_LINE = 400
_UP = 12


class Licence(msgspec.Struct, frozen=True):
    """A licence: its address, or what the page says of it, and where that stands."""

    value: str
    source: LicenceSource


def licence_of(
    document: LexborHTMLParser,
    metas: Metas,
    linked: list[dict[str, Any]],
    url: str,
    base: str,
) -> Licence | None:
    """Return the licence of the page at ``url``, whose links are relative to ``base``.

    What the page marks as its licence goes before what it tells machines of it, that before a link
    to Creative Commons in a sentence of licences. Where such links differ, none is the page's.
    """

    def whole(value: str) -> str:
        return _address(value, url, base) or ""

    def read_line(value: str) -> str:
        line = plain_line(value)[:_LONGEST]
        return whole(line) if line.startswith(("http://", "https://", "//")) else line

    sources: tuple[tuple[LicenceSource, Iterable[str], Callable[[str], str]], ...] = (
        ("markup", _marked(document), whole),
        ("json-ld", _in_linked(linked), read_line),
        ("meta", _in_metas(metas), read_line),
        ("text", _in_sentences(document), whole),
    )
    for source, values, read in sources:
        if value := next(filter(None, map(read, values)), ""):
            return Licence(value, source)
    return None


def _address(value: str, url: str, base: str) -> str | None:
    """Return the address that ``value`` leads to, None for a place on the page itself."""
    found = join_url(base, value.strip()) if value.strip() else None
    is_here = found is None or found.partition("#")[0] in ("", url.partition("#")[0])
    return None if is_here or not is_web(found or "") else found


def _marked(document: LexborHTMLParser) -> Iterator[str]:
    for node in document.css(_MARKED):
        if not _is_of_others(node):
            yield node.attributes.get("href") or node.attributes.get("content") or ""


def _in_linked(linked: list[dict[str, Any]]) -> Iterator[str]:
    for item in linked:
        named = item.get("license")
        for one in named if isinstance(named, list) else [named]:
            if isinstance(one, dict):
                one = one.get("url") or one.get("@id") or one.get("name")  # noqa: PLW2901
            if isinstance(one, str):
                yield one


def _in_metas(metas: Metas) -> Iterator[str]:
    found = []
    for one in metas:
        ranks = [_RANKS[name] for at in _NAMING if (name := one.names.get(at)) in _RANKS]
        if ranks:
            found.append((min(ranks), one.content))
    yield from (value for _, value in sorted(found, key=lambda one: one[0]))


def _in_sentences(document: LexborHTMLParser) -> Iterator[str]:
    links = [
        (node, node.attributes.get("href") or "")
        for node in document.css("a[href*='creativecommons.org/' i]")
    ]
    said = dict.fromkeys(
        href
        for node, href in links
        if _COMMONS.match(href) and not _is_of_others(node) and _SAID.search(_sentence(node))
    )
    if len({_COMMONS.sub("", href).rstrip("/").lower() for href in said}) == 1:
        yield from said


def _sentence(node: LexborNode) -> str:
    """Return what stands around a link, or is its picture."""
    around = node.parent if node.parent is not None else node
    pictures = (image.attributes.get("alt") or "" for image in node.css("img"))
    return " ".join((around.text(separator=" ")[:_LINE], *pictures))


def _is_of_others(node: LexborNode) -> bool:
    one: LexborNode | None = node
    for _ in range(_UP):
        if one is None or one.tag in ("body", "html"):
            break
        names = f"{one.attributes.get('class') or ''} {one.attributes.get('id') or ''}"
        is_other = one.tag in _OTHER_TAGS or _OTHERS.search(names) is not None
        if is_other or _OTHER_TYPES.search(one.attributes.get("itemtype") or ""):
            return True
        one = one.parent
    return False
