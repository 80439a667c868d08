"""The address of a quote: a link that opens its page where the quote stands.

Text fragments (https://wicg.github.io/scroll-to-text-fragment/): ``#:~:text=START,END``, matched by
whole words, with ``,``, ``-`` and ``&`` escaped.
"""

from __future__ import annotations

import re
from urllib.parse import quote as percent_encoded

# A quote up to this length is named whole, a longer one by its beginning and end.
WHOLE_CHARS = 60
END_CHARS = 24
_BEGINNING = re.compile(rf".{{8,{END_CHARS}}}(?=\s)|.{{1,{END_CHARS}}}", re.DOTALL)


def quote_address(url: str, quote: str) -> str:
    """Return ``url`` with the text fragment of ``quote``; an own fragment of it is kept."""
    line = quote.strip()
    if len(line) <= WHOLE_CHARS:
        text = _escaped(line)
    else:
        text = f"{_escaped(_beginning(line))},{_escaped(_beginning(line[::-1])[::-1])}"
    return f"{url}{':~:' if '#' in url else '#:~:'}text={text}"


def _beginning(line: str) -> str:
    match = _BEGINNING.match(line)
    return match[0].strip() if match else line


def _escaped(text: str) -> str:
    return percent_encoded(text, safe="").replace("-", "%2D")
