"""The elements of an HTML page without what nobody reads on it."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

_CODE = ["script", "style", "template", "noscript", "iframe", "object", "svg", "canvas", "select"]
# Text that a reader does not see is not the page's; "visibility" is left, since scripts undo it.
_HIDDEN = "[hidden], [style*='display:none'], [style*='display: none'], dialog:not([open])"
_AROUND = (
    "nav, aside, footer, form, menu, [role=navigation], [role=banner], [role=search],"
    " [role=contentinfo], [role=complementary], [role=dialog], [aria-modal=true], body > header,"
    " [class*=breadcrumb i], [class*=crumb], [class*=sidebar i], [class*=side-], [class*=share i],"
    " [class*=social i], [class*=related i], [class*=recommend i], [class*=newsletter i],"
    " [class*=comment-], [id=comments], [class*=footer i], [id*=footer i], [class=foot],"
    " [class*=top-bar i], [class*=prev-next], [class*=pagination i], .headerlink, .byline"
)
_LISTS = "ul, ol, dl, div, section, table, tr, td"
# Where so much of the text is links, and there are so many, it is a menu.
_LINKED = 0.6
_MENU = 3
_LONGEST_MENU = 1_500
_MOST_LISTS = 3_000
_MAIN = ("article", "main", "[role=main]", "#content", "#main", ".content")
# The chosen part must hold this share of the page's words.
_SHARE = 0.3


def readable(document: LexborHTMLParser) -> LexborHTMLParser:
    """Take code and hidden elements out of ``document`` and return it."""
    document.strip_tags(_CODE)
    removed(document, _HIDDEN)
    return document


def removed(document: LexborHTMLParser, selector: str) -> None:
    """Take the elements that ``selector`` finds out of ``document``."""
    for node in document.css(selector):
        if node.tag not in ("html", "body"):
            node.decompose()


def main_part(document: LexborHTMLParser) -> LexborNode | None:
    """Return the part that most likely is the text, without menus; it changes ``document``."""
    body = document.body
    if body is None:
        return None
    whole = len(body.text())
    for node in document.css(_AROUND)[:_MOST_LISTS]:
        # What holds most of the page is no frame around it: "has-sidebar", a form around all.
        if node.tag not in ("html", "body") and len(node.text()) <= whole / 2:
            node.decompose()
    _without_menus(body)
    for selector in _MAIN:
        found = document.css(selector)
        if len(found) == 1 and len(found[0].text()) >= _SHARE * len(body.text()):
            return found[0]
    return body


def _without_menus(body: LexborNode) -> None:
    for node in body.css(_LISTS)[:_MOST_LISTS]:
        links = node.css("a")
        if len(links) < _MENU:
            continue
        text = "".join(node.text().split())
        linked = sum(len("".join(link.text().split())) for link in links)
        if len(text) <= _LONGEST_MENU and linked > _LINKED * len(text):
            node.decompose()


def letters(text: str) -> int:
    """Return the length of ``text`` as a measure of what it says.

    White space does not count, and a character of Chinese, Japanese or Korean counts twice.
    """
    return sum(2 if character > "\u2e80" else 1 for character in text if not character.isspace())
