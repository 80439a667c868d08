"""The elements of an HTML page without what nobody reads on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.cascade import nodes_hidden_by_rules

_CODE = ["script", "template", "iframe", "object", "svg", "canvas", "select"]
# Text that a reader does not see is not the page's.
_HIDDEN = (
    "[hidden]:not([hidden='until-found' i]), dialog:not([open]), .sr-only, .visually-hidden,"
    " .screen-reader-text, [aria-hidden=true][class*=hidden i],"
    " [role=doc-backlink], .footnote-backref, .reversefootnote, .mw-cite-backlink"
    ", .mw-editsection, .editsection"
)
# Links of a page to itself that name nothing: to a heading, and back from a note.
_OWN_LINKS = "a[href*='#']"
_LINK_SIGNS = re.compile(r"[\s#§¶↩↵↑⤴^🔗\u200b-\u200d\u2060\ufe0e\ufe0f\ufeff]*")
_MOST_LINKS = 20_000
_NOT_SHOWN = re.compile(r"(?i)(?:^|;)\s*display\s*:\s*none\b")
# Scripts undo these where a page comes up slowly.
_NOT_SEEN = re.compile(
    r"(?i)(?:^|;)\s*(?:visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?%?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}(?:px|em|rem|pt|%)"
    r"|clip\s*:\s*rect\(\s*0(?:px)?[\s,]+0(?:px)?[\s,]+0(?:px)?[\s,]+0(?:px)?\s*\))"
)
_GALLERIES = ", ".join(
    f"[class*={name} i]" for name in ("gallery", "slideshow", "slide-show", "carousel")
)
_COMMENTS = "#comments, #disqus_thread, .comments-area, .comment-list, " + ", ".join(
    f"[class*={name} i], [id*={name} i]"
    for name in (
        "comment-list",
        "comment_list",
        "commentlist",
        "comments-list",
        "comment-thread",
        "comentario",
        "kommentar",
        "commentaire",
        "reacties",
        "yorumlar",
        "pinglun",
    )
)
_MOST_OTHERS = 50
_PAGES = frozenset({"html", "body", "main", "article"})
_STORY = 1_500
# Of what is said in ``noscript``, more than this is the page and no notice.
_NOTICE = 300
_TAG = re.compile(r"<[^>]*>")
# What holds this share of the page is the page, and comes up slowly.
_PAGE = 0.8
_ARTICLE = 0.5
AROUND = (
    "nav, aside, footer, form, menu, [role=navigation], [role=banner], [role=search],"
    " [role=contentinfo], [role=complementary], [role=dialog], [aria-modal=true], body > header,"
    " [class*=breadcrumb i], [class*=crumb], [class*=sidebar i], [class*=side-], [class*=share i],"
    " [class*=social i], [class*=related i], [class*=recommend i], [class*=newsletter i],"
    " [class*=comment-], [id=comments], [class*=footer i], [id*=footer i], [class=foot],"
    " [class*=top-bar i], [class*=prev-next], [class*=pagination i], .headerlink"
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset({"ul", "ol", "menu"})
BLOCKS = (
    frozenset(
        "address article aside blockquote body center dd details div dl dt fieldset figcaption"
        " figure footer form header hgroup hr html li main nav p pre section summary table tbody td"
        " tfoot th thead tr".split()
    )
    | LISTS
    | set(HEADINGS)
)
# What a reader sees nothing of, or no text of the page in.
UNSHOWN = frozenset({"script", "style", "noscript", "template", "option", "textarea", "title"})
_LISTS = "ul, ol, dl, div, section, table, tr, td"
# Where so much of the text is links, and there are so many, it is a menu.
_LINKED = 0.6
_MENU = 3
_LONGEST_MENU = 1_500
_MOST_LISTS = 3_000
_MAIN = ("article", "main", "[role=main]", "#content", "#main", ".content")
# But the ideographic space.
_WIDE = re.compile("[\u2e81-\u2fff\u3001-\U0010ffff]")
# The chosen part must hold this share of the page's words.
_SHARE = 0.3


def readable(document: LexborHTMLParser) -> LexborHTMLParser:
    """Take code and hidden elements out of ``document`` and return it."""
    has_scripts = document.css_first("script") is not None
    document.strip_tags(_CODE)
    _settle_noscript(document)
    remove(document, _HIDDEN)
    _remove_hidden_by_style(document, has_scripts=has_scripts)
    _remove_hidden_by_rules(document, has_scripts=has_scripts)
    document.strip_tags(["style"])
    _remove_permalinks(document)
    _remove_others(document)
    return document


def _remove_permalinks(document: LexborHTMLParser) -> None:
    for link in document.css(_OWN_LINKS)[:_MOST_LINKS]:
        text = link.text()
        is_named = link.css_first("img[alt]") is not None or not _LINK_SIGNS.fullmatch(text)
        if text and not is_named:
            link.decompose()


def _settle_noscript(document: LexborHTMLParser) -> None:
    """Keep what is in ``noscript`` where it is the page: for want of scripts, or left open."""
    outermost = document.css("noscript:not(noscript noscript)")
    if not outermost:
        return
    # A saved page may hold it as text that spells its tags.
    inside = sum(letters(_TAG.sub("", node.text())) for node in outermost)
    body = document.body
    is_page = inside > _NOTICE and body is not None and 2 * inside > letters(body.text())
    if is_page:
        document.unwrap_tags(["noscript"])
    else:
        document.strip_tags(["noscript"])


def _remove_others(document: LexborHTMLParser) -> None:
    """Take out what tells another story than the paragraphs beside it."""
    candidates = [
        (node, least)
        for selector, least in ((_GALLERIES, _STORY), (_COMMENTS, 0))
        for node in document.css(selector)[:_MOST_OTHERS]
        if node.tag not in _PAGES
    ]
    if not candidates or document.body is None:
        return
    told: Counter[int] = Counter()
    for node in document.body.css("p"):
        said = letters(node.text())
        for parent in _up(node):
            told[parent.mem_id] += said
    left = told[document.body.mem_id]
    found: dict[int, LexborNode] = {}
    for node, least in candidates:
        beside = left - told[node.mem_id]
        is_within = any(parent.mem_id in found for parent in _up(node))
        if not is_within and beside > _STORY and letters(node.text()) > least:
            found[node.mem_id] = node
            left = beside
    for node in found.values():
        node.decompose()


def _up(node: LexborNode | None) -> Iterator[LexborNode]:
    one = node
    while one is not None:
        yield one
        one = one.parent


def _remove_hidden_by_style(document: LexborHTMLParser, *, has_scripts: bool) -> None:
    body = document.body
    styled = [
        (node, node.attributes.get("style") or "")
        for node in document.css("[style]")
        if node.tag not in ("html", "body")
    ]
    is_needed = body is not None and any(_NOT_SEEN.search(style) for _, style in styled)
    whole = letters(body.text()) if body is not None and is_needed else 0
    for node, style in styled:
        is_hidden = _NOT_SHOWN.search(style) is not None
        if not is_hidden and _NOT_SEEN.search(style):
            # A script that shows the article finds it by its id.
            is_waiting = has_scripts and node.attributes.get("id")
            is_hidden = letters(node.text()) <= whole * (_ARTICLE if is_waiting else _PAGE)
        if is_hidden:
            node.decompose()


def _remove_hidden_by_rules(document: LexborHTMLParser, *, has_scripts: bool) -> None:
    nodes = [node for node in nodes_hidden_by_rules(document) if node.tag not in _PAGES]
    if not nodes or document.body is None:
        return
    # Scripts and the style sheets in files, which are not here, show what is much of the page.
    has_more = has_scripts or document.css_first("link[rel~=stylesheet i]") is not None
    most = letters(document.body.text()) * (_ARTICLE if has_more else _PAGE)
    ids = {node.mem_id for node in nodes}
    outermost = [
        node for node in nodes if not any(above.mem_id in ids for above in _up(node.parent))
    ]
    if sum(letters(node.text()) for node in outermost) <= most:
        for node in outermost:
            node.decompose()


def remove(document: LexborHTMLParser, selector: str) -> None:
    """Take the elements that ``selector`` finds out of ``document``."""
    for node in document.css(selector):
        if node.tag not in ("html", "body"):
            node.decompose()


def block_of(node: LexborNode) -> LexborNode | None:
    """Return the block that ``node`` is or stands in."""
    block = node if not node.is_text_node else node.parent
    while block is not None and block.tag not in BLOCKS and block.parent is not None:
        block = block.parent
    return block


def main_part(document: LexborHTMLParser) -> LexborNode | None:
    """Return the part that most likely is the text, without menus; it changes ``document``."""
    body = document.body
    if body is None:
        return None
    whole = len(body.text())
    for node in document.css(AROUND)[:_MOST_LISTS]:
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
        text = node.text()
        # Most are parts of the page, and their beginning tells.
        if _signs(text[: 2 * _LONGEST_MENU]) > _LONGEST_MENU:
            continue
        whole = _signs(text)
        if whole <= _LONGEST_MENU and sum(_signs(link.text()) for link in links) > _LINKED * whole:
            node.decompose()


def _signs(text: str) -> int:
    """Return the length of ``text`` without white space."""
    return sum(map(len, text.split()))


def letters(text: str) -> int:
    """Return the length of ``text`` as a measure of what it says.

    White space does not count, and a character of Chinese, Japanese or Korean counts twice.
    """
    said = _signs(text)
    return said if text.isascii() else said + len(_WIDE.findall(text))
