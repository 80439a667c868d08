"""The guide to a SearXNG of one's own, which comes with the package, as a page."""

from __future__ import annotations

from functools import cache
from importlib import resources

from markdown_it import MarkdownIt
from markupsafe import Markup

_FILES = {"zh": "searxng.zh.md", "en": "searxng.md"}
_USUAL = "en"


@cache
def guide(lang: str) -> Markup:
    """Return the guide as HTML. It is our own text: its anchors are HTML and stay."""
    folder = resources.files("citeseek.searxng_host") / "guide"
    text = (folder / _FILES.get(lang, _FILES[_USUAL])).read_text(encoding="utf-8")
    for other, name in _FILES.items():
        text = text.replace(f"]({name})", f"](/guide?lang={other})")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    # What is wide scrolls by itself, also by keyboard.
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<th></th>", "<td></td>")  # the corner of a table heads nothing
    html = html.replace("<table>", '<div class="table" tabindex="0"><table>')
    return Markup(html.replace("</table>", "</table></div>"))  # noqa: S704 - our own text
