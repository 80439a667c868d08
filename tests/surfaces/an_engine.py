"""What the engine of these tests answers, what is asked of it, and how it fails."""

from __future__ import annotations

from tests.loopback import Reply, Request, faults, replies
from tests.surfaces.asking import Item

LONG = "一段很长的摘要，" * 60 + "and an end."
# Longer titles are cut.
TITLE = 200
# What an instance found: plain, in other scripts, long, without title or summary, and no page.
RESULTS = [
    {"title": "Green tea & more", "url": "https://a.example/tea?a=1&b=2#top", "content": "Tea."},
    {"title": "西湖龙井 🍵 <b>明前</b>", "url": "https://b.example/%E8%8C%B6", "content": LONG},
    {"title": "A file", "url": "ftp://c.example/tea", "content": "Not for the web."},
    {"title": "شاي 👩‍👩‍👧", "url": "https://d.example/", "content": "“Quotes” \\ and\na line"},
    {"title": "Untold", "url": "https://e.example/", "content": ""},
]
ITEMS: list[Item] = [
    ("Green tea & more", "https://a.example/tea?a=1&b=2#top", "Tea.", 1),
    ("西湖龙井 🍵 明前", "https://b.example/%E8%8C%B6", LONG, 2),
    ("شاي 👩‍👩‍👧", "https://d.example/", "“Quotes” \\ and a line", 3),
    ("Untold", "https://e.example/", "", 4),
]
MANY = [
    {"title": f"Page {n}", "url": f"https://a.example/{n}", "content": str(n)} for n in range(20)
]
# As they are written, and as the engine gets them.
QUERIES = {
    "Chinese": ("杭州 西湖龙井，哪里买？", "杭州 西湖龙井，哪里买？"),
    "emoji": ("🍵 tea 👩‍👩‍👧 🇨🇳 ☕️", "🍵 tea 👩‍👩‍👧 🇨🇳 ☕️"),
    "signs": ("100% + #1 = a/b?c&d; \"x\" 'y' \\n $HOME `z`", None),
    "scripts": ("crème cre\u0301me שלום شاي", None),
    "a dash": ("--help -x", None),
    "long": ("龙井茶" * 1_300, None),
    "white space": ("  green　 tea\t\n now ", "green tea now"),
}

NO_ENGINE = {"results": [], "unresponsive_engines": [["google", "timeout"]]}
# What comes, then error_code, detail_code, retryable.
FAILURES: dict[str, tuple[Reply, str, str, bool]] = {
    "401": (replies.status(401), "AuthError", "http_401", False),
    "403": (replies.status(403), "AuthError", "http_403", False),
    "404": (replies.status(404), "WebProviderError", "http_404", False),
    "429": (replies.status(429, retry_after=7), "WebBlocked", "http_429", True),
    "502": (replies.status(502), "BadGateway", "http_502", True),
    "its engines": (replies.as_json(NO_ENGINE), "BadGateway", "engines_failed", True),
    "a page": (replies.html("<p>Welcome"), "WebParseError", "not_json", False),
    "cut JSON": (replies.JUNK_JSON["cut"], "WebParseError", "not_json", False),
    "reset": (faults.reset(), "NetworkError", "", True),
    "silence": (faults.hang(), "Timeout", "", True),
}


def echo(request: Request) -> Reply:
    """Answer with one result, whose title is the query as it arrived."""
    page = {"title": request.param("q")[:TITLE], "url": "https://a.example/", "content": "x"}
    return replies.as_json({"results": [page]})
