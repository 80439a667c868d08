"""Links of an answer: citations lead to their sources, all others show where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from urllib.parse import unquote, urlsplit

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


def ends(href: str, text: str) -> Ends:
    """Return what stands around ``text`` to make it a link to ``href``, which can be seen.

    Nothing does when ``href`` is not an address of the web or of a mailbox.
    """
    place = _place(href)
    if not place:
        return Ends()
    opening = f'<a class="outside" href="{escape(href)}" {_ELSEWHERE}>'
    if not is_visible(text):
        return Ends(opening, f"{escape(place)}</a>")
    is_shown = _shows(text, place)
    shown = "" if is_shown else f' <span class="host" dir="ltr">({escape(place)})</span>'
    return Ends(opening, f"</a>{shown}")


def citation(number: int, mark: str, address: str, note: str = "", gap: str = "") -> str:
    """Return the ``mark`` of a citation of ``number`` that leads to ``address``, empty for a file.

    One with a ``note``, that of a page which was only found, looks different, and those who hear
    the page are told the note. The space before it, ``gap``, is copied and not shown, as are the
    brackets of the mark: it stands at its word, and no line begins with it.
    """
    shown = escape(mark)
    if mark[:1] == "[" and mark[-1:] == "]":
        shown = f"{_hidden('[')}{escape(mark[1:-1])}{_hidden(']')}"
    space = f'<span class="gap">{gap}</span>' if gap else ""
    if not address:
        # A file of one's own: it leads nowhere, and its card shows by the keyboard as well.
        link = f'<a tabindex="0" data-number="{number}">{shown}</a>'
        return f'<sup class="citation">{space}{link}</sup>'
    label = f' aria-label="{escape(f"{mark} {note}")}"' if note else ""
    opening = f'<a href="{escape(address)}" {_ELSEWHERE} data-number="{number}"{label}>'
    kind = "citation found" if note else "citation"
    return f'<sup class="{kind}">{space}{opening}{shown}</a></sup>'


def _hidden(sign: str) -> str:
    return f'<span class="bracket">{sign}</span>'


def addresses(sources: Iterable[Source]) -> dict[int, str]:
    """Return where the citation of each number leads, for sources that may be linked."""
    return {
        source.number: address
        for source in sources
        if (address := "" if source.is_file else _address(source.url)) is not None
    }


def notes(sources: Iterable[Source], found_label: str) -> dict[int, str]:
    """Return what is said of the citation of each number: ``found_label`` unless it was read."""
    return {source.number: found_label for source in sources if not source.was_read}


@lru_cache(maxsize=1024)
def _address(url: str) -> str | None:
    target = link_target(url)
    if target is None:
        return None
    # What cannot stand in a page as it is, is linked as it stands in Markdown.
    return url if url.isprintable() and " " not in url else unescape(target)


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
