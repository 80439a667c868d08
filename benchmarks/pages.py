"""Pages of engines as large as recorded ones, and built as those are, of our own making.

A page is made from numbers that are always the same, so that two runs measure the same bytes. The
sizes are those of recordings: 36 KB of DuckDuckGo, 39 KB of Mojeek, 480 KB of Google with its
scripts, 90 KB of a SearXNG's JSON. Of Brave, Startpage and Yandex there is none; theirs are as
large as Mojeek's.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RESULTS = 10
DUCKDUCKGO_BYTES, MOJEEK_BYTES = 36_000, 39_000
GOOGLE_BYTES, SEARXNG_BYTES = 480_000, 90_000
# Of Google's page, what its scripts and styles take.
GOOGLE_CODE_BYTES = 300_000

WORDS = (
    "a after again answer asyncio at before behind both by cancel child clock code deadline each "
    "engine every example field first for from guide how if in into is it its keeps last late "
    "library line loop many measure might more most nested never next no not of on once one only "
    "open order other page parent part program queue read reader request result returns runs scope "
    "second server short since so some task test than that the their then there this thread time "
    "timeout to two under until wait what when where which while whole why with without work writes"
).split()
SITES = ("docs", "notes", "blog", "lab", "wiki", "forum", "answers", "guide", "manual", "journal")
REGIONS = 69


class Document(NamedTuple):
    """What an engine has found: one page of the web."""

    title: str
    url: str
    host: str
    snippet: str


@cache
def documents(number: int) -> tuple[Document, ...]:
    """Return the first ``number`` documents of a web that is always the same."""
    random = Random(20_260_414)  # noqa: S311 - no secret: always the same
    return tuple(_document(random, place) for place in range(number))


def _document(random: Random, place: int) -> Document:
    host = f"{SITES[place % len(SITES)]}.example.{('net', 'org', 'com')[place // len(SITES) % 3]}"
    path = "-".join(random.choices(WORDS, k=4))
    return Document(
        title=f"{_sentence(random, 6)} {place}",
        url=f"https://{host}/{2015 + place % 11}/{path}",
        host=host,
        snippet=". ".join(_sentence(random, 13) for _ in range(4)) + " ...",
    )


def _sentence(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words)).capitalize()


def _marked(text: str, tag: str) -> str:
    """Return ``text`` as engines show it, with every sixth word in ``tag``."""
    words = escape(text).split(" ")
    words[::6] = [f"<{tag}>{word}</{tag}>" for word in words[::6]]
    return " ".join(words)


def _page(head: str, blocks: list[str], foot: str, size: int, fill: Callable[[int], str]) -> bytes:
    """Return a page of ``size`` bytes, filled up between its results and its end."""
    page = "\n".join((head, *blocks))
    fillings: list[str] = []
    missing = size - len(page) - len(foot)
    for number in range(size):
        filling = fill(number)
        if missing < len(filling) + 1:
            break
        fillings.append(filling)
        missing -= len(filling) + 1
    return "\n".join((page, *fillings, " " * missing + foot)).encode()


HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta http-equiv="content-type" content="text/html; charset=UTF-8" />
<title>benchmark</title>
</head>
<body>"""
FOOT = "</body>\n</html>\n"


def _menu_entry(number: int) -> str:
    name = " ".join(word.capitalize() for word in (WORDS[number % 97], WORDS[number % 89]))
    return f"""          <li class="menu__item menu__item--{number}">
            <a class="menu__link" href="/settings?choice={number}&amp;back=1">{name}</a>
          </li>"""


def _indented(number: int) -> str:
    """Return what templates leave behind: a hidden field between many spaces."""
    return f"""{" " * 90}

{" " * 60}<input type="hidden" name="v{number}" value="{WORDS[number % len(WORDS)]}" />
{" " * 40}
"""


def _region(number: int) -> str:
    value = f"{WORDS[number][:2]}-{WORDS[-number][:2]}"
    return f'              <option value="{value}" >{WORDS[number].capitalize()}</option>'


def duckduckgo() -> bytes:
    """Return a page of html.duckduckgo.com."""

    def block(place: int, found: Document) -> str:
        address = f"//duckduckgo.com/l/?uddg={quote(found.url, safe='')}&amp;rut={place:064x}"
        return f"""
            <div class="result results_links results_links_deep web-result ">
              <div class="links_main links_deep result__body"> <!-- This is the visible part -->

                  <h2 class="result__title">
                    <a rel="nofollow" class="result__a" href="{address}">{escape(found.title)}</a>
                  </h2>

                  <div class="result__extras">
                    <div class="result__extras__url">
                      <span class="result__icon">
                        <a rel="nofollow" href="{address}">
                          <img class="result__icon__img" width="16" height="16" alt=""
                            src="//icons.example.net/ip3/{found.host}.ico" name="i15" />
                        </a>
                      </span>
                      <a class="result__url" href="{address}">
                        {found.url.removeprefix("https://")}
                      </a>
                    </div>
                  </div>

                  <a class="result__snippet" href="{address}">{_marked(found.snippet, "b")}</a>

                <div class="clear"></div>
              </div>
            </div>"""

    blocks = [block(*one) for one in enumerate(documents(RESULTS))]
    regions = "\n".join(map(_region, range(REGIONS)))
    form = f"""  <form id="search_form" action="/html/" method="post">
    <input class="search__input" type="text" name="q" value="benchmark" />
          <div class="frm__select"><select name="kl">
{regions}
          </select></div>
  </form>"""
    return _page(f"{HEAD}\n{form}", blocks, FOOT, DUCKDUCKGO_BYTES, _indented)


def mojeek() -> bytes:
    """Return a page of mojeek.com."""

    def block(place: int, found: Document) -> str:
        return f"""              <li class="r{place + 1}">
                <a title="{found.url}" href="{found.url}" class="ob"><p class="i">
                    <span class="url">{found.url}</span>
                  </p></a>
                <h2>
                  <a class="title" title="{found.url}" href="{found.url}">{escape(found.title)}</a>
                </h2>
                <p class="s">
                  {_marked(found.snippet, "strong")}
                </p>
                <p class="more">
                  <a href="/search?q=site%3A{found.host}+benchmark">More from {found.host} »</a>
                </p>
              </li>"""

    return _lists('<ul class="results-standard">', "</ul>", block, skipped=5)


def brave() -> bytes:
    """Return a page of search.brave.com."""

    def block(place: int, found: Document) -> str:
        return f"""<div class="snippet svelte-1" data-pos="{place}" data-type="web">
<div class="result-wrapper"><a href="{found.url}" class="l1"><div class="site-name-wrapper">
<div class="site-name-content">{found.host}</div></div>
<div class="title search-snippet-title" title="{escape(found.title)}">{escape(found.title)}</div>
</a>
<div class="generic-snippet snippet-description"><div class="content desktop-default-regular">
{_marked(found.snippet, "strong")}</div></div></div></div>"""

    return _lists('<div id="results">', "</div>", block, skipped=10)


def startpage() -> bytes:
    """Return a page of startpage.com."""

    def block(place: int, found: Document) -> str:
        return f"""<div class="result css-o7i03b" data-place="{place}">
<a class="result-title result-link css-1bggj8v" href="{found.url}">
<h2 class="wgl-title css-i3irj7">{escape(found.title)}</h2></a>
<p class="description css-1507v2l">{_marked(found.snippet, "b")}</p></div>"""

    return _lists('<section class="w-gl">', "</section>", block, skipped=15)


def yandex() -> bytes:
    """Return a page of yandex.com in the layout of its search for other sites."""

    def block(place: int, found: Document) -> str:
        return f"""<li class="serp-item b-serp-item" value="{place}"><h3 class="b-serp-item__title">
<a class="b-serp-item__title-link" href="{found.url}"><span>{escape(found.title)}</span></a></h3>
<div class="b-serp-item__content"><div class="b-serp-item__text">{_marked(found.snippet, "b")}</div>
</div></li>"""

    return _lists('<ol class="b-serp-list">', "</ol>", block, skipped=20)


def _lists(start: str, end: str, block: Callable[[int, Document], str], *, skipped: int) -> bytes:
    """Return a page whose results are those behind the ``skipped`` first of all."""
    found = documents(skipped + RESULTS)[skipped:]
    blocks = [block(place, one) for place, one in enumerate(found)]
    return _page(f"{HEAD}\n{start}", [*blocks, end], FOOT, MOJEEK_BYTES, _menu_entry)


def google() -> bytes:
    """Return a page of google.com as a browser gets it: mostly code, and deep boxes in boxes."""

    def block(place: int, found: Document) -> str:
        mark = f'data-ved="2ahUKE{place:040x}"'
        return f"""<div class="MjjYud"><div class="wHYlTd Ww4FFb tF2Cxc asEBEc vt6azd" lang="en" \
data-hveid="CC{place}QAA" {mark}><div class="N54PNb BToiNc" data-snc="b{place}"><div \
class="kb0PBd A9Y9g jGGQ5e" data-snf="x5WNvb" data-snhf="0"><div class="yuRUbf"><div \
class="b8lM7"><span class="V9tjod" jscontroller="msmzHf" jsaction="rcuQ6b:npT2md"><a \
jsname="UWckNb" class="zReHs" href="{found.url}" {mark}><h3 class="LC20lb MBeuO DKV0Md" \
id="id_{place}">{escape(found.title)}</h3><br><div class="notranslate ESMNde HGLrXd ojE3Fb"><div \
class="q0vns"><span class="DDKf1c"><div class="eqA2re UnOTSe Vwoesf" aria-hidden="true"><img \
class="XNo5Ab" alt="" data-csiid="c_{place}" data-atf="1"></div></span><div class="CA5RN"><div>\
<span class="VuuXrf">{found.host}</span></div><div class="byrV5b"><cite class="qLRx3b tjvcx" \
role="text">https://{found.host}<span class="ylgVCe ob9lvb" role="text"> › ...</span></cite>\
</div></div></div></div></a></span><div class="csDOgf BCF2pd ezY6nb L48a4c">\
<div id="more_{place}" {mark}>\
<div class="MJ8UF iTPLzd rNSxBe eY4mx lUn2nc" aria-describedby="id_{place}" role="button" \
tabindex="0"><span class="D6lY4c"><span class="xTFaxe z1asCe"></span></span></div></div></div>\
</div></div></div><div class="kb0PBd A9Y9g" data-snf="nke7rc" data-sncf="1"><div class="VwiC3b \
yXK7lf p4wth r025kc"><span>{_marked(found.snippet, "em")}</span></div></div></div></div></div>"""

    def box(number: int) -> str:
        mark = f'data-ved="2ahUKE{number:040x}"'
        return f"""<div class="b{number % 41} c{number % 31}" jsname="n{number}" {mark}><div \
class="d{number % 29}" role="listitem"><a class="e{number % 23}" href="/search?q=w{number}"><span \
class="f{number % 19}">{WORDS[number % len(WORDS)]}</span></a></div></div>"""

    code = _code(GOOGLE_CODE_BYTES)
    head = f'{HEAD}\n{code}<div id="main"><div id="search"><div id="rso">'
    blocks = [block(*one) for one in enumerate(documents(RESULTS))]
    end = '</div></div><div id="botstuff"></div></div>'
    return _page(head, [*blocks, end], FOOT, GOOGLE_BYTES, box)


def _code(size: int) -> str:
    """Return scripts and styles, of ``size`` characters or a few more."""
    written, pieces = 0, []
    numbers = iter(range(size))
    for kind in cycle(("script", "style", "script", "script")):
        lines = list(_lines(kind, numbers, 8_000))
        pieces.append(f'<{kind} nonce="a1b2c3">{"".join(lines)}</{kind}>')
        written += len(pieces[-1])
        if written >= size:
            return "\n".join(pieces)
    raise AssertionError


def _lines(kind: str, numbers: Iterator[int], size: int) -> Iterator[str]:
    while size > 0:
        number = next(numbers)
        word = WORDS[number % len(WORDS)]
        line = (
            f"_.{word}{number}=function(a,b){{if(a<{number}&&b>0)return this.{word}[a]||null;"
            f'var c="<div>{word}</div>";return c}};'
            if kind == "script"
            else f".{word}{number}{{margin:{number % 9}px auto;color:#{number:06x}}}"
        )
        size -= len(line)
        yield line


def searxng() -> bytes:
    """Return what a SearXNG with several engines answers in JSON."""
    results: list[dict[str, object]] = []
    answer = {
        "query": "benchmark",
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [f"benchmark {word}" for word in WORDS[:8]],
        "unresponsive_engines": [["qwant", "timeout"]],
    }
    place = 0
    while len(body := json.dumps(answer)) < SEARXNG_BYTES:
        results.append(_searxng_result(documents(place + 1)[place], place))
        place += 1
    return body.encode()


def _searxng_result(found: Document, place: int) -> dict[str, object]:
    engines = ["brave", "duckduckgo", "startpage"][: 1 + place % 3]
    path = found.url.partition(found.host)[2]
    return {
        "template": "default.html",
        "title": found.title,
        "content": found.snippet,
        "img_src": "",
        "iframe_src": "",
        "audio_src": "",
        "thumbnail": f"https://icons.example.net/{place}.png" if place % 4 == 0 else "",
        "publishedDate": f"2026-0{1 + place % 9}-12T08:00:00" if place % 3 == 0 else None,
        "pubdate": "",
        "length": None,
        "views": "",
        "author": "",
        "metadata": "",
        "priority": "",
        "engines": engines,
        "open_group": False,
        "close_group": False,
        "positions": [place + 1] * len(engines),
        "score": round(len(engines) / (place + 1), 3),
        "category": "general",
        "url": found.url,
        "engine": engines[0],
        "parsed_url": ["https", found.host, path, "", "", ""],
    }
