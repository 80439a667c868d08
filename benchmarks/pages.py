"""What the loopback engine answers: invented content in the shape and weight of real pages."""

from __future__ import annotations

import json
from urllib.parse import quote

RESULTS = 10

TEXT = """
harbour lantern orchard granite meadow signal copper willow ledger beacon atlas saffron
quarry anchor violet timber canyon ember marble thistle compass juniper velvet summit
"""
WORDS = TEXT.split()

# The search form lists the regions, which is most of the weight outside the results.
REGIONS = 70
ICONS = 20
INDENT = " " * 22

DOCTYPE = """<!DOCTYPE html>
<html>
<head>"""

FORM = """
  <meta http-equiv="content-type" content="text/html; charset=UTF-8" />
  <title>benchmark at DuckDuckGo</title>
</head>
<body class="body--html">
  <div id="header" class="header cw header--html">
    <form name="x" class="header__form" action="/html/" method="post">
      <input name="q" autocomplete="off" class="search__input" type="text" value="benchmark" />
      <div class="frm__select">
        <select name="kl">
"""

ICON = """
  <link id="icon{size}" rel="apple-touch-icon" sizes="{size}x{size}" href="/icons/{size}.png?v=2" />
"""

REGION = """{i}
{i}<option value="{code}">Region {number}, known for {word}</option>
{i}
"""

LINKS = """
        </select>
      </div>
    </form>
  </div>
  <!-- Web results are present -->
  <div class="serp__results">
    <div id="links" class="results">
"""

RESULT = """
{i}
{i}
{i}<div class="result results_links results_links_deep web-result ">
{i}  <div class="links_main links_deep result__body">
{i}
{i}
{i}    <h2 class="result__title">
{i}      <a rel="nofollow" class="result__a" href="{href}">{title}</a>
{i}    </h2>
{i}
{i}
{i}    <div class="result__extras">
{i}      <div class="result__extras__url">
{i}        <span class="result__icon">
{i}          <a rel="nofollow" href="{href}">
{i}            <img class="result__icon__img" width="16" height="16" src="/icons/{host}.ico" />
{i}          </a>
{i}        </span>
{i}        <a class="result__url" href="{href}">
{i}          {host}
{i}        </a>
{i}
{i}
{i}      </div>
{i}    </div>
{i}
{i}
{i}      <a class="result__snippet" href="{href}">{snippet}</a>
{i}
{i}
{i}    <div class="clear"></div>
{i}  </div>
{i}</div>
{i}
{i}
"""

FOOT = """
      <div class="nav-link">
        <form action="/html/" method="post">
          <input type="submit" class="btn btn--alt" value="Next" />
          <input type="hidden" name="s" value="10" />
        </form>
      </div>
    </div>
  </div>
</body>
</html>
"""


def html_page() -> bytes:
    """Return a page of ten results, 36 KB, built like the html page of DuckDuckGo."""
    icons = (ICON.format(size=size) for size in range(16, 16 + 12 * ICONS, 12))
    regions = (
        REGION.format(
            i=INDENT, code=f"r{number}-en", number=number, word=WORDS[number % len(WORDS)]
        )
        for number in range(REGIONS)
    )
    results = (
        RESULT.format(
            i=INDENT,
            href=_redirect(_url(number), number),
            title=_title(number).replace("&", "&amp;"),
            host=_host(number),
            snippet=f"<b>Benchmark</b> notes: {_snippet(number)}",
        )
        for number in range(RESULTS)
    )
    return "".join((DOCTYPE, *icons, FORM, *regions, LINKS, *results, FOOT)).encode()


def searxng_answer() -> bytes:
    """Return a SearXNG answer of ten results, 9 KB of JSON."""
    results = [
        {
            "template": "default.html",
            "title": _title(number),
            "content": _snippet(number),
            "img_src": "",
            "iframe_src": "",
            "audio_src": "",
            "thumbnail": "",
            "publishedDate": None,
            "pubdate": "",
            "length": None,
            "views": "",
            "author": "",
            "metadata": "",
            "priority": "",
            "engines": ["alpha", "beta"],
            "open_group": False,
            "close_group": False,
            "positions": [number + 1, number + 2],
            "score": 4.0 / (number + 1),
            "category": "general",
            "url": _url(number),
            "engine": "alpha",
            "parsed_url": ["https", _host(number), f"/notes/{number}", "", "", ""],
        }
        for number in range(RESULTS)
    ]
    answer = {
        "query": "benchmark",
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
    return json.dumps(answer).encode()


def _host(number: int) -> str:
    return f"{WORDS[number]}-{WORDS[number + 5]}.example"


def _url(number: int) -> str:
    return f"https://{_host(number)}/notes/{number}"


def _redirect(url: str, number: int) -> str:
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut={number:064x}"


def _title(number: int) -> str:
    # Some titles need an entity in HTML, most do not.
    link = "and" if number % 5 else "&"
    return f"{WORDS[number].title()} {link} {WORDS[number + 5]}: notes from the {WORDS[number + 9]}"


def _snippet(number: int) -> str:
    turned = WORDS[number:] + WORDS[:number]
    return " ".join([*turned, *turned[::2]]) + "."
