"""Where on a page its article stands: a library chooses, the page itself is read.

What a library gives back has lost lists, cells, lines of code and loose text. It says well which
part is the article, so that part is looked up on the page, and what stands around and between its
paragraphs and is none of it is left out. How the part is written down is ours, so that text and
Markdown hold the same words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

import msgspec
from selectolax.lexbor import LexborNode

from citeseek.extraction.markup import AROUND, BLOCKS, letters

# The part that holds this share of the words is the article's; the rest are teasers that repeat it.
_ALL = 0.95
# Less of the article than this is found again: its words were changed on the way.
_FOUND_AGAIN = 0.6
# Where so much of a block is links, it leads elsewhere.
_LINKED = 0.5
# A block without a word of the article may say this share of what the article says.
_STRANGE = 0.25
# A block with less of the article than this share of its own words only repeats some of them.
_TRACE = 0.1
_CONTENT = frozenset(
    "p ul ol dl table pre blockquote figcaption h1 h2 h3 h4 h5 h6 li tr td th dt dd".split()
)
_FIGURES = frozenset("ul ol dl table pre".split())
# Loose text as long as this is said to a reader; shorter is a label.
_SENTENCE = 25
# What a list, a table or a block of code consists of says nothing of it: the whole is read.
_PARTS = frozenset("ul ol menu dl pre table thead tbody tfoot tr colgroup".split())
# Where the library takes all of a page, it leaves these out.
_TAKEN_OUT = "aside, footer, div[class*=footer], div[id*=footer]"
# A frame that says more than this share of what it stands around is the page.
_MOST = 0.5
# A text that does not follow the one before it is looked for from the beginning, so many times.
_LOOKS_BACK = 100


class Region(msgspec.Struct, frozen=True):
    """A part of a page, and the ids (``mem_id``) of the elements in it that are not read.

    ``known`` is how much of it (in :func:`~citeseek.extraction.markup.letters`) is in the article,
    or in lists, tables and code beside it, ``sought`` how much there is of the article.
    """

    root: LexborNode
    without: frozenset[int] = frozenset()
    known: int = 0
    sought: int = 0


def region(body: LexborNode, wanted: Counter[str]) -> Region | None:
    """Return where in ``body`` an article stands, None where it is not seen there.

    ``wanted`` are its texts with single spaces, each that of one node, or of several that the
    library made one of.
    """
    return _region_of(body, wanted) or _region_of(body, _by_nodes(body, wanted))


def _region_of(body: LexborNode, wanted: Counter[str]) -> Region | None:
    """Return where in ``body`` the nodes with the texts ``wanted`` stand."""
    weights = {text: letters(text) for text in wanted}
    sought = sum(weights[text] * times for text, times in wanted.items())
    # A text counts as often as the article has it where the article is looked for, since teasers
    # repeat it; everywhere where blocks of the article are told from others.
    holders: dict[int, LexborNode] = {}
    first: Counter[int] = Counter()
    every: Counter[int] = Counter()
    seen: Counter[str] = Counter()
    for node, text in _texts(body):
        if text in wanted and (holder := node.parent) is not None:
            at = holder.mem_id
            holders[at] = holder
            weight = weights[text]
            every[at] += weight
            if seen[text] < wanted[text]:
                first[at] += weight
            seen[text] += 1
    _add_to_parents(holders, body, first, every)
    if not sought or first[body.mem_id] < _FOUND_AGAIN * sought:
        return None
    root = _whole(_smallest(body, first, _ALL * first[body.mem_id]), body)
    without, kept = _sorted_out(root, every, sought)
    return Region(root, without, every[root.mem_id] + kept, sought)


def _by_nodes(body: LexborNode, wanted: Counter[str]) -> Counter[str]:
    """Return ``wanted`` with the texts of nodes in place of those that join several of ``body``.

    White space between the nodes does not count. Of a text that takes all of the page, the frame
    around the page is left out.
    """
    out = {node.mem_id for node in body.css(_TAKEN_OUT)}
    texts = [
        (text, is_around)
        for node, is_around in _shown(body, out, {node.mem_id for node in body.css(AROUND)})
        if (text := " ".join((node.text_content or "").split()))
    ]
    said = ["".join(text.split()) for text, _ in texts]
    starts = [0, *accumulate(map(len, said))]
    stream = "".join(said)
    alone = {text for text, _ in texts}
    inside: Counter[str] = Counter()
    framing: Counter[str] = Counter()
    after, looks_back = 0, _LOOKS_BACK
    for text, times in wanted.items():
        if text in alone or len(text) < _SENTENCE:
            inside[text] += times
            continue
        joined = "".join(text.split())
        at = stream.find(joined, after)
        if at < 0 and looks_back:
            looks_back -= 1
            at = stream.find(joined)
        if at < 0:
            inside[text] += times
            continue
        after = at + len(joined)
        for number in range(bisect_left(starts, at), bisect_left(starts, after)):
            one, is_around = texts[number]
            (framing if is_around else inside)[one] += times
    is_frame = letters(" ".join(framing)) > _MOST * letters(" ".join(inside))
    return inside + framing if is_frame else inside


def _shown(body: LexborNode, out: set[int], around: set[int]) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the text nodes of ``body`` that are not in ``out``, and whether each is ``around``."""
    left = [(body, False)]
    while left:
        node, is_around = left.pop()
        if node.is_text_node:
            yield node, is_around
            continue
        inner = [child for child in node.iter(include_text=True) if child.mem_id not in out]
        left += [(child, is_around or child.mem_id in around) for child in reversed(inner)]


def _whole(node: LexborNode, body: LexborNode) -> LexborNode:
    """Return what stands around the list, the table or the code that ``node`` is a part of."""
    while node.tag in _PARTS and node.mem_id != body.mem_id and node.parent is not None:
        node = node.parent
    return node


def _add_to_parents(
    holders: dict[int, LexborNode], top: LexborNode, *counters: Counter[int]
) -> None:
    """Add what ``holders`` hold of texts to all that stands around them, up to ``top``."""
    held = [(node, [counter[at] for counter in counters]) for at, node in holders.items()]
    above: dict[int, list[int]] = {top.mem_id: []}

    def around(node: LexborNode) -> list[int]:
        at = node.mem_id
        if at not in above:
            parent = node.parent
            above[at] = [parent.mem_id, *around(parent)] if parent is not None else []
        return above[at]

    for node, weights in held:
        for parent in around(node):
            for counter, weight in zip(counters, weights, strict=True):
                counter[parent] += weight


def _smallest(node: LexborNode, held: Counter[int], enough: float) -> LexborNode:
    while child := next((one for one in node.iter() if held[one.mem_id] >= enough), None):
        if child.tag not in BLOCKS:
            break
        node = child
    return node


def _sorted_out(root: LexborNode, held: Counter[int], known: int) -> tuple[frozenset[int], int]:
    """Return the blocks in ``root`` that are not the article's, and how much its lists hold."""
    around = {node.mem_id for node in root.css(AROUND)}
    without: set[int] = set()
    kept = 0
    left = [root]
    while left:
        parent = left.pop()
        for child in parent.iter():
            # Below a quotation stands who said it.
            if child.tag not in BLOCKS or parent.tag == "blockquote":
                continue
            said = letters(child.text())
            if held[child.mem_id] > _TRACE * said:
                left.append(child)
                continue
            content = _content(child)
            if child.mem_id in around or content is None or _is_linked(content, said):
                without.add(child.mem_id)
            elif content.tag in _FIGURES:
                kept += said
            elif said > _STRANGE * known:
                without.add(child.mem_id)
    return frozenset(without), kept


def _content(block: LexborNode) -> LexborNode | None:
    """Return what in ``block`` the library may have lost; None for a widget or a box of teasers."""
    node = block
    while node.tag not in _CONTENT:
        inner = [child for child in node.iter() if child.text().strip()]
        if len(inner) != 1 or inner[0].tag not in BLOCKS:
            is_loose = not any(child.tag in BLOCKS for child in inner)
            return node if is_loose and letters(node.text()) >= _SENTENCE else None
        node = inner[0]
    return node


def _is_linked(block: LexborNode, said: int) -> bool:
    return sum(letters(link.text()) for link in block.css("a")) > _LINKED * said


def _texts(root: LexborNode) -> Iterator[tuple[LexborNode, str]]:
    for node in root.traverse(include_text=True):
        if node.is_text_node and (text := " ".join((node.text_content or "").split())):
            yield node, text
