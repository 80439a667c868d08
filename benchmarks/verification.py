"""The citation check over claims that are labelled by hand, beside an overlap of terms.

    python -m benchmarks.verification

The overlap is what is mostly done without a model: a claim is supported when nearly all its terms
stand in the source. Its threshold is the best one for this set. The set and its labels are ours
(tests/verification/claims.json); of the sources that are held out none was looked at while the
check was built.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.report import GOAL_HEADER, Goal, table
from tests.verification.labelled import Confusion, Pair, by_overlap, checked, pairs

from citeseek.verification import SourceText, support

VERDICTS = ("supported", "partial", "unsupported")
JUDGES: dict[str, Callable[[Pair], str]] = {"citeseek": checked, "overlap of terms": by_overlap}
LONG_CHARS = 200_000

GOALS = {
    "precision": Goal("held out: precision of supported", "at least", 0.95),
    "recall": Goal("held out: recall of supported", "at least", 0.85),
    "forged": Goal("held out: recall of unsupported", "at least", 0.95),
    "first": Goal("a source of 200,000 characters, its first claim, s", "at most", 1.0),
    "next": Goal("a further claim to it, s", "at most", 0.2),
}


def confusion(of: list[Pair]) -> str:
    """Return a table of labels and verdicts."""
    rows = []
    for name, judge in JUDGES.items():
        found = Confusion(of, judge)
        rows += [
            (name, label, *(str(found.counts[label, verdict]) for verdict in VERDICTS))
            for label in VERDICTS
        ]
    return table(("judge", "label", *(f"says {verdict}" for verdict in VERDICTS)), rows)


def quality(of: list[Pair]) -> str:
    """Return a table of precision and recall."""
    rows = []
    for name, judge in JUDGES.items():
        found = Confusion(of, judge)
        rows += [
            (name, verdict, f"{found.precision(verdict):.3f}", f"{found.recall(verdict):.3f}")
            for verdict in ("supported", "unsupported")
        ]
    return table(("judge", "verdict", "precision", "recall"), rows)


def times(of: list[Pair]) -> tuple[float, float]:
    """Return the seconds for the first and for a further claim to a long source."""
    rest = "\n\n".join(dict.fromkeys(pair.source.text for pair in of))
    # Each sentence differs, so that nothing is remembered from one like it.
    copies = (
        rest.replace("。", f"（{at}）。").replace(". ", f" ({at}). ")
        for at in range(LONG_CHARS // len(rest) + 1)
    )
    source = SourceText("\n\n".join(copies)[:LONG_CHARS])
    first, following = [pair.claim for pair in of if pair.label == "unsupported"][:2]
    began = time.process_time()
    support(first, source)
    between = time.process_time()
    support(following, source)
    return between - began, time.process_time() - between


def main() -> None:
    """Measure and print all tables."""
    every = list(pairs())
    held_out = [pair for pair in every if pair.held_out]
    for title, of in (("all", every), ("held out", held_out)):
        print(f"{title}: {len(of)} pairs\n")
        print(confusion(of))
        print()
        print(quality(of))
        print()
    found = Confusion(held_out, checked)
    first, following = times(every)
    measured = {
        "precision": found.precision("supported"),
        "recall": found.recall("supported"),
        "forged": found.recall("unsupported"),
        "first": first,
        "next": following,
    }
    print(table(GOAL_HEADER, [goal.row(measured[name]) for name, goal in GOALS.items()]))


if __name__ == "__main__":
    main()
