"""Pairs of a claim and a text with what people say of them, from the files of public data sets.

The formats are AttributionBench (one pair a line) and Factcheck-GPT (claims of a sentence, each
with pieces of evidence and the stance of each). Several references of one claim are one text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from citeseek.text import sentences, terms
from citeseek.verification import SourceText, Support, support

_MARK = re.compile(r"\s*\[\d+(?:[,;]\s*\d+)*\]")
_SUPPORTING = frozenset({"completely-support", "partially-support"})
# A third of the claims tunes thresholds, the rest is measured.
_DEV = 3


class PublicPair(NamedTuple):
    """A claim, a text, and whether people say that the text supports it."""

    claim: str
    text: str
    is_true: bool

    @property
    def is_dev(self) -> bool:
        """Whether it tunes thresholds; all pairs of a claim do or do not."""
        return sha256(self.claim.encode()).digest()[0] % _DEV == 0


def public_pairs(path: Path) -> list[PublicPair]:
    """Return the pairs of the data set at ``path``; exit for a file of another format."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    first = lines[0] if lines else {}
    if "attribution_label" in first:
        return [_attributed(line) for line in lines]
    if "sentences" in first:
        return [pair for line in lines for pair in _stances(line)]
    raise SystemExit(f"{path}: neither AttributionBench nor Factcheck-GPT: {sorted(first)}")


def _attributed(line: Mapping[str, Any]) -> PublicPair:
    text = "\n\n".join(line["references"] or line["webpage_references"])
    return PublicPair(_bare(line["claim"]), text, line["attribution_label"] == "attributable")


def _stances(line: Mapping[str, Any]) -> Iterator[PublicPair]:
    for sentence in line["sentences"].values():
        told = (sentence.get("auto_evidence") or [], sentence.get("stance_claim_autoEvid") or [])
        for claim, texts, stances in zip(sentence["claims"], *told, strict=False):
            for text, stance in zip(texts, stances, strict=False):
                yield PublicPair(_bare(claim), text, stance in _SUPPORTING)


def _bare(claim: str) -> str:
    return _MARK.sub("", claim).strip()


def by_overlap(pair: PublicPair) -> float:
    """Return the share of the claim's terms that stand in the text."""
    mine, theirs = set(terms(pair.claim)), set(terms(pair.text))
    return len(mine & theirs) / (len(mine) or 1)


def by_bm25(pair: PublicPair) -> float:
    """Return the BM25 of the text's best sentence, as a share of what the claim itself has."""
    told = [Counter(terms(sentence)) for sentence in sentences(pair.text)] or [Counter()]
    claim = Counter(terms(pair.claim))
    among = Counter(term for sentence in told for term in sentence)
    mean = sum(sentence.total() for sentence in told) / len(told) or 1.0
    rarity = {
        term: log(1 + (len(told) - among[term] + 0.5) / (among[term] + 0.5)) for term in claim
    }

    def rank(sentence: Counter[str]) -> float:
        length = 1.2 * (0.25 + 0.75 * sentence.total() / mean)
        return sum(
            rarity[term] * sentence[term] * 2.2 / (sentence[term] + length)
            for term in claim
            if term in sentence
        )

    return max(map(rank, told)) / (sum(rarity.values()) or 1.0)


def macro_f1(scored: list[tuple[float, bool]], threshold: float) -> float:
    """Return the mean of the F1 of both labels when ``threshold`` and above is called true."""
    found = Counter((score >= threshold, is_true) for score, is_true in scored)
    wrong = found[True, False] + found[False, True]
    parts = [
        2 * found[label, label] / (2 * found[label, label] + wrong or 1) for label in (False, True)
    ]
    return sum(parts) / 2


class Tuned(NamedTuple):
    """How well a score tells true pairs, at the threshold that is best on the dev part."""

    macro_f1: float
    precision: float
    recall: float


def tuned(of: list[PublicPair], scores: list[float]) -> Tuned:
    """Return what ``scores`` are worth on the pairs that did not tune the threshold."""
    scored = list(zip(of, scores, strict=True))
    dev = [(score, pair.is_true) for pair, score in scored if pair.is_dev]
    rest = [(score, pair.is_true) for pair, score in scored if not pair.is_dev]
    best = max((at / 200 for at in range(301)), key=lambda at: macro_f1(dev, at))
    called = [is_true for score, is_true in rest if score >= best]
    true = sum(is_true for _, is_true in rest)
    return Tuned(macro_f1(rest, best), sum(called) / (len(called) or 1), sum(called) / (true or 1))


def checks(of: list[PublicPair]) -> list[Support]:
    """Return what the check says of each pair."""
    return [support(pair.claim, SourceText(pair.text)) for pair in of]


BASELINES: Mapping[str, Callable[[PublicPair], float]] = {
    "overlap of terms": by_overlap,
    "BM25": by_bm25,
}


def covered(scored: Iterable[tuple[float, bool]], precision: float = 0.95) -> float:
    """Return the largest share of pairs that one threshold calls true with ``precision`` or more.

    Pairs of one score are called true together: no order within them counts.
    """
    by_score: dict[float, list[bool]] = {}
    for score, is_true in scored:
        by_score.setdefault(score, []).append(is_true)
    called = right = best = 0
    for score in sorted(by_score, reverse=True):
        called += len(by_score[score])
        right += sum(by_score[score])
        best = called if right >= precision * called else best
    return best / (called or 1)


def last_line(of: list[PublicPair], found: list[Support]) -> str:
    """Return the figures that sum the set up.

    Accused are true claims that are told contradicted or absent, as a share of all true claims.
    The precision of a verdict that is never given is 1: none of them is wrong.
    """
    told: Counter[tuple[str, bool]] = Counter(
        (one.verdict, pair.is_true) for pair, one in zip(of, found, strict=True)
    )
    true = sum(pair.is_true for pair in of)

    def precision(verdict: str, *, label: bool) -> float:
        given = told[verdict, True] + told[verdict, False]
        return told[verdict, label] / given if given else 1.0

    return (
        f"accused {(told['contradicted', True] + told['absent', True]) / (true or 1):.3f}, "
        f"contradicted precision {precision('contradicted', label=False):.3f}, "
        f"supported precision {precision('supported', label=True):.3f}, "
        f"supported recall {told['supported', True] / (true or 1):.3f}, "
        f"score macro-F1 {tuned(of, [one.score for one in found]).macro_f1:.3f}"
    )
