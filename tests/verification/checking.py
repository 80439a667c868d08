"""A loopback engine whose results are pages on the same server, for checks of whole answers."""

from __future__ import annotations

from tests.assistant.chatting import found
from tests.loopback import LoopbackServer, replies

SENTENCE = "The tea house at the lake opened in 1912 and serves 340 guests a day."
OTHER = "The boat house at the lake closed in 1987."
ENV = {"WEB_FETCH_ALLOW": "127.0.0.0/8", "WEB_FETCH_DELAY_SECONDS": "0"}


def article(*paragraphs: str) -> str:
    """Return a page that says ``paragraphs``."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<html><head><title>Lake</title></head><body><article>{body}</article></body></html>"


def stock(server: LoopbackServer) -> None:
    """Give ``server`` three results: two pages, and one that is not there."""
    server.on("/tea", replies.html(article(SENTENCE, "It is closed on Mondays.")))
    server.on("/boat", replies.html(article(OTHER, "Boats can be hired in summer.")))
    server.on("/gone", replies.status(404))
    results = [
        {"url": server.url(path), "title": path, "content": summary, "engine": "stub"}
        for path, summary in (("/tea", "About tea."), ("/boat", "Boats."), ("/gone", "Gone."))
    ]
    server.on("/search", found(*results))
