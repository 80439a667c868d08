"""How well a text was taken out: overlap of runs of four words, or of four Chinese characters."""

from __future__ import annotations

import re
from collections import Counter

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_RUN = 4


def shingles(text: str, run: int = _RUN) -> Counter[tuple[str, ...]]:
    """Return the runs of ``run`` words of ``text``; a text shorter than one run is one run."""
    tokens = _TOKEN.findall(text.casefold())
    if not tokens:
        return Counter()
    count = max(len(tokens) - run + 1, 1)
    return Counter(tuple(tokens[at : at + run]) for at in range(count))


def scores(wanted: str, got: str, title: str = "", run: int = _RUN) -> tuple[float, float, float]:
    """Return F1, precision and recall of ``got``; a line that is the title counts nowhere."""
    lines = (line for line in got.splitlines() if line.strip().lstrip("# ") != title)
    expected, found = shingles(wanted, run), shingles("\n".join(lines), run)
    common = (expected & found).total()
    if not common:
        return (1.0, 1.0, 1.0) if not expected and not found else (0.0, 0.0, 0.0)
    precision, recall = common / found.total(), common / expected.total()
    return 2 * precision * recall / (precision + recall), precision, recall
