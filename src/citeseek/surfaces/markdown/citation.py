"""Citations for a parser of Markdown: a sign for each, so that no link has to be told from ours."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from citeseek.citations import Span, redrawn

# Unicode keeps it for programs to themselves. In two pairs of brackets, so that no label of a link
# can hold it.
SIGN = "\ufdd0"
_CITATION = re.compile(rf"\[\[{SIGN}(\d{{1,9}})\]\]")


def replace_links(text: str, spans: Iterable[Span]) -> str:
    """Return ``text`` with a sign in the place of each link of a citation.

    A span that begins before ``text`` is left out: its link is shown as any other.
    """
    own = [span for span in spans if span.start >= 0]
    return redrawn(text.replace(SIGN, "\ufffd"), own, f"[[{SIGN}{{}}]]".format)


def restore_numbers(text: str) -> str:
    """Return ``text`` with ``[n]`` for each sign, where no parser has made more of it."""
    return _CITATION.sub(r"[\1]", text)


def add(parser: MarkdownIt) -> None:
    """Teach ``parser`` these signs: tokens of the kind ``citation`` with ``number`` in ``meta``."""
    parser.inline.ruler.before("link", "citation", _citation)


def _citation(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    found = _CITATION.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.content = f"[{found[1]}]"
        token.meta["number"] = int(found[1])
    state.pos = found.end()
    return True
