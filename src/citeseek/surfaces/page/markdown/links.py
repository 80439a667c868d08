"""Links of an answer: citations lead to their sources, all others show where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from urllib.parse import unquote, urlsplit

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.common.utils import unescapeAll

from citeseek.citations import Source, link_target
from citeseek.text import is_visible
from citeseek.urls import domain, is_web

_ELSEWHERE = 'target="_blank" rel="noopener noreferrer nofollow"'
_MAIL = re.compile(r"mailto:([^\s?@]+@[^\s?@]+)", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\s()<>\[\]{}|,;\"'，。、；：（）《》「」【】“”‘’]+")
_AFTER_WORD = ".:!?…"


@dataclass(frozen=True, slots=True)
class Ends:
    """The HTML before and after a link's text."""

    opening: str = ""
    closing: str = ""


class Links:
    """Tells citations of ``sources`` from links that the model wrote itself."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._cited = {
            f"[{source.number}]": (*addresses, source.number)
            for source in sources
            if (addresses := _addresses(source.url))
        }

    def ends(self, href: str, text: str, *, may_cite: bool = False) -> Ends:
        """Return what stands around ``text`` to make it a link to ``href``, which can be seen.

        Nothing does when ``href`` is not an address of the web or of a mailbox.
        """
        written, url, number = self._cited.get(text, ("", "", 0))
        if may_cite and number and written == href:
            opening = f'<a href="{escape(url)}" {_ELSEWHERE} data-number="{number}">'
            return Ends(f'<sup class="citation">{opening}', "</a></sup>")
        place = _place(href)
        if not place:
            return Ends()
        opening = f'<a class="outside" href="{escape(href)}" {_ELSEWHERE}>'
        if not is_visible(text):
            return Ends(opening, f"{escape(place)}</a>")
        told = _shows(text, place)
        shown = "" if told else f' <span class="host" dir="ltr">({escape(place)})</span>'
        return Ends(opening, f"</a>{shown}")


@lru_cache(maxsize=1024)
def _addresses(url: str) -> tuple[str, str] | None:
    """Return how the parser reads the link target of ``url``, and the address to link."""
    target = link_target(url)
    if target is None:
        return None
    # What cannot stand in a page as it is, is linked as it stands in Markdown.
    exact = url if url.isprintable() and " " not in url else unescape(target)
    return normalizeLink(unescapeAll(target)), exact


def _place(href: str) -> str:
    """Return the host, or the mailbox, that ``href`` leads to, empty when it must not lead there.

    The host is as the browser asks for it: a letter that only looks like another shows.
    """
    if mail := _MAIL.match(href):
        return unquote(mail[1]) if href.isprintable() else ""
    return domain(href) if is_web(href) else ""


def _shows(text: str, place: str) -> bool:
    words = (word.rstrip(_AFTER_WORD) for word in _BETWEEN_WORDS.split(text.lower()))
    place = place.lower()
    return any(word == place or _host(word) == place for word in words)


def _host(word: str) -> str:
    # What stands before an @ looks like a host and is none.
    if "@" in word:
        return ""
    try:
        host = urlsplit(word if "://" in word else f"//{word}").hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
