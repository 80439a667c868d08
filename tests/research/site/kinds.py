"""Every kind of page that the site has, and how one is made of a subject.

A kind takes the subject's number, which chooses among layouts, labels and faults, so that the
site is the same every time and has each of them several times.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from html import escape

from tests.extraction.corpus import LAYOUTS, Article
from tests.loopback import Reply, faults, replies
from tests.loopback.server import Answer

from .page import SitePage
from .paper import paper
from .topics import Topic, topics

# Layouts that put much around an article.
_HEAVY = ("portal", "commented", "crowded")
_PLAIN = ("semantic", "docs", "sections", "bare")
_SLOW_SECONDS = 0.3


def site_pages() -> list[SitePage]:
    """Return all pages of all subjects."""
    return [page for n, topic in enumerate(topics()) for kind in _KINDS for page in kind(n, topic)]


def _article(n: int, topic: Topic) -> Iterator[SitePage]:
    yield _html(topic, "article", _place(topic), _PLAIN[n % len(_PLAIN)], topic.article)


def _mirror(n: int, topic: Topic) -> Iterator[SitePage]:
    path = f"/mirror/{topic.slug}"
    yield _html(topic, "mirror", path, _HEAVY[n % len(_HEAVY)], topic.article)


def _print(_: int, topic: Topic) -> Iterator[SitePage]:
    yield _html(topic, "print", f"/print/{topic.slug}", "bare", topic.article)


def _syndicated(n: int, topic: Topic) -> Iterator[SitePage]:
    taken = "This text was first printed in another paper and is shown here with its leave."
    text = (taken if topic.is_english else "本文转载自另一家报纸，已取得作者同意。", *topic.article)
    path = f"/wire/{topic.slug}"
    yield _html(topic, "syndicated", path, _HEAVY[(n + 1) % len(_HEAVY)], text)


def _retelling(n: int, topic: Topic) -> Iterator[SitePage]:
    title, text = topic.other
    facts = tuple(fact.restated for fact in topic.facts)
    paragraphs = (text, *facts[n % 2 :], *facts[: n % 2])
    path = f"/letters/{topic.slug}"
    layout = _HEAVY[(n + 2) % len(_HEAVY)]
    yield _html(topic, "retelling", path, layout, paragraphs, title=f"{title}: {topic.title}")


def _rumour(n: int, topic: Topic) -> Iterator[SitePage]:
    heard = "Somebody wrote this down from memory." if topic.is_english else "以下内容凭记忆写成。"
    paragraphs = (heard, *(fact.rumour for fact in topic.facts), topic.body[-1])
    path = f"/forum/{topic.slug}"
    yield _html(topic, "rumour", path, _PLAIN[(n + 1) % len(_PLAIN)], paragraphs)


def _pdf(_: int, topic: Topic) -> Iterator[SitePage]:
    facts = topic.facts
    paragraphs = (facts[0].restated, topic.body[1], facts[1].restated, topic.body[0])
    if topic.lang == "zh-TW":
        return  # The font of the papers has the simplified characters.
    body = paper(topic.title, paragraphs, english=topic.is_english)
    answer = Reply(200, {"Content-Type": "application/pdf"}, body)
    yield _page(topic, "pdf", f"/files/{topic.slug}.pdf", answer, paragraphs)


def _data(n: int, topic: Topic) -> Iterator[SitePage]:
    if n % 2:
        paragraphs = tuple(f"{fact.question} {fact.value}" for fact in topic.facts)
        plain = Reply(200, {"Content-Type": "text/plain; charset=utf-8"}, "\n".join(paragraphs))
        yield _page(topic, "text", f"/data/{topic.slug}.txt", plain, paragraphs)
        return
    rows = [{"asked": fact.question, "answer": fact.value} for fact in topic.facts]
    text = json.dumps({"title": topic.title, "rows": rows}, ensure_ascii=False, indent=1)
    answer = Reply(200, {"Content-Type": replies.JSON}, text)
    yield _page(topic, "json", f"/data/{topic.slug}.json", answer, text.splitlines())


def _legacy(n: int, topic: Topic) -> Iterator[SitePage]:
    title, text = topic.other
    note = "A reader’s note, sent from the café." if topic.is_english else "来自老网站的存档。"
    note = "來自老網站的存檔。" if topic.lang == "zh-TW" else note
    paragraphs = (topic.facts[2].sentence, text, topic.facts[0].sentence, note)
    body = "".join(f"<p>{escape(line, quote=False)}</p>" for line in paragraphs)
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
    path = f"/old/{topic.slug}.htm"
    if topic.is_english:
        kind, answer = "windows-1252", _in(html, "windows-1252")
    elif topic.lang == "zh-TW":
        kind, answer = "big5", _in(html, "big5")
    else:
        kind, answer = "gbk", faults.GBK[n % len(faults.GBK)](html)
    yield _page(topic, kind, path, answer, paragraphs, title=title)


def _slow(n: int, topic: Topic) -> Iterator[SitePage]:
    if n % 5 == 0:
        paragraphs = (topic.facts[1].restated, topic.body[-1], topic.facts[2].restated)
        html = _written(topic, topic.title, "semantic", paragraphs)
        answer = Reply(200, {"Content-Type": replies.HTML}, html, _SLOW_SECONDS)
        yield _page(topic, "slow", f"/far/{topic.slug}", answer, paragraphs)


def _moved(n: int, topic: Topic) -> Iterator[SitePage]:
    if n % 3 == 0:
        target = _place(topic)
        answer = replies.redirect(target, (301, 302, 307, 308)[n % 4])
        path = f"/link/{topic.slug}"
        yield _page(topic, "moved", path, answer, topic.article, leads_to=target)


def _broken(n: int, topic: Topic) -> Iterator[SitePage]:
    kind, failure, make = _FAULTS[n % len(_FAULTS)]
    html = _written(topic, topic.title, "semantic", topic.article)
    paragraphs = [fact.restated for fact in topic.facts]
    path = f"/gone/{topic.slug}"
    yield _page(topic, kind, path, make(html), paragraphs, failure=failure)


_KINDS: tuple[Callable[[int, Topic], Iterator[SitePage]], ...] = (
    _article,
    _mirror,
    _print,
    _syndicated,
    _retelling,
    _rumour,
    _pdf,
    _data,
    _legacy,
    _slow,
    _moved,
    _broken,
)
_CHALLENGE = (
    "<!doctype html><title>Just a moment...</title><h1>One step</h1>"
    "<p>Verify you are human to go on.</p><div id=captcha-container></div>"
)
_LOGIN = (
    "<!doctype html><title>登录</title><form><input name=user><input type=password name=word>"
    "<button>登录</button></form><p>登录后查看全文</p>"
)
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4
# Name, what reading it fails with, and the answer made of the page that should have come.
_FAULTS: tuple[tuple[str, str, Callable[[str], Answer]], ...] = (
    ("missing", "http_404", lambda _: replies.status(404, "<h1>Not found</h1>")),
    ("failing", "http_500", lambda _: replies.status(500, "<h1>Error</h1>")),
    ("cut", "NetworkError", lambda html: faults.cut_body(replies.html(html), len(html) // 3)),
    ("loop", "redirect", lambda _: replies.redirect_loop),
    ("empty", "no_content", lambda _: replies.empty()),
    ("binary", "unsupported_media", lambda _: Reply(200, {"Content-Type": "image/png"}, _PNG)),
    ("challenge", "captcha_required", lambda _: replies.challenge(_CHALLENGE)),
    ("login", "login_required", lambda _: replies.html(_LOGIN)),
    ("refusing", "http_403", lambda _: replies.status(403, "<h1>Forbidden</h1>")),
    ("hanging", "Timeout", lambda _: faults.hang()),
)


def _place(topic: Topic) -> str:
    return f"/{topic.site}/{topic.slug}.html"


def _html(
    topic: Topic, kind: str, path: str, layout: str, paragraphs: Sequence[str], *, title: str = ""
) -> SitePage:
    html = _written(topic, title or topic.title, layout, paragraphs)
    return _page(topic, kind, path, replies.html(html), paragraphs, title=title)


def _written(topic: Topic, title: str, layout: str, paragraphs: Sequence[str]) -> str:
    blocks = tuple(("p", escape(text, quote=False)) for text in paragraphs)
    language = "en" if topic.is_english else "zh"
    return LAYOUTS[layout](Article(topic.slug, language, title, blocks))


def _page(
    topic: Topic,
    kind: str,
    path: str,
    answer: Answer,
    paragraphs: Sequence[str],
    *,
    title: str = "",
    failure: str = "",
    leads_to: str = "",
) -> SitePage:
    return SitePage(
        path=path,
        kind=kind,
        topic=topic.slug,
        title=title or topic.title,
        paragraphs=tuple(paragraphs),
        answer=answer,
        failure=failure,
        leads_to=leads_to,
    )


def _in(html: str, charset: str) -> Reply:
    return Reply(200, {"Content-Type": f"text/html; charset={charset}"}, html.encode(charset))
