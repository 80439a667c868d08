"""The fence around what comes from the web: a model is told that all within is data.

A page cannot close its fence: every fence has an id of its own that no page can know, and what
looks like a fence inside, or holds the id, is taken apart.
"""

from __future__ import annotations

import re

from citeseek import trace
from citeseek.i18n import Catalogue

NAME = "web-results"

# Letters as they are or in full width, with anything between them that is neither letter nor digit.
_LETTERS = r"[\W_]*+".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in "webresults")
# The whole of what stands before the name: looked at from its beginning alone, so in linear time.
_BEFORE_NAME = re.compile(rf"(?<![\W_])[\W_]++(?={_LETTERS})", re.IGNORECASE)
_OPENERS = {ord("<"): "(", ord("＜"): "("}
# Put where the id was: with nothing there, what stood around it could become a fence.
_GAP = "·"


def rule(say: Catalogue) -> str:
    """Return what is said once to every model that is given fenced text."""
    return say("prompt.fence_rule", name=NAME)


def new_id() -> str:
    """Return an id for the fences of one session: 64 random bits."""
    return trace.random_id("fence")


def put_in_fence(text: str, fence_id: str) -> str:
    """Return ``text`` between the opening and the closing line of the fence ``fence_id``."""
    inner = text.replace(fence_id, _GAP)
    inner = _BEFORE_NAME.sub(lambda before: before[0].translate(_OPENERS), inner)
    return f'<{NAME} id="{fence_id}">\n{inner}\n</{NAME} id="{fence_id}">'
