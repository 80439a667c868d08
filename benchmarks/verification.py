"""The citation check over claims that are labelled by hand, beside an overlap of terms.

    python -m benchmarks.verification
    python -m benchmarks.verification --set PATH

The overlap is what is mostly done without a model: a claim is supported when nearly all its terms
stand in the source. Its threshold is the best one for the short texts. The sets and their labels
are ours (tests/verification/*claims.json); of the sources that are held out none was looked at
while the check was built. With ``--set`` it is a file of a public data set instead, in a format of
benchmarks/public_pairs.py, or of questions with answers as in benchmarks/public_answers.py.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.public_answers import is_answers, public_questions, table_of
from benchmarks.public_pairs import BASELINES, checks, covered, last_line, public_pairs, tuned
from benchmarks.report import GOAL_HEADER, Goal, table
from tests.verification.labelled import (
    NEWCOMER,
    PAGES,
    Confusion,
    Pair,
    by_overlap,
    checked,
    pairs,
    pairs_of_pages,
)

from citeseek.verification import SourceText, support

LABELS = ("supported", "partial", "contradicted", "unsupported")
VERDICTS = ("supported", "contradicted", "absent", "unclear", "unsupported")
JUDGES: dict[str, Callable[[Pair], str]] = {"citeseek": checked, "overlap of terms": by_overlap}
LONG_CHARS = 200_000

GOALS = {
    "precision": Goal("held out: precision of supported", "at least", 0.95),
    "recall": Goal("held out: recall of supported", "at least", 0.85),
    "passed": Goal("held out: unsupported claims called supported", "at most", 0),
    "accused": Goal("held out: true claims called contradicted or absent", "at most", 0.02),
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
            for label in LABELS
        ]
    return table(("judge", "label", *(f"says {verdict}" for verdict in VERDICTS)), rows)


def quality(of: list[Pair]) -> str:
    """Return a table of precision and recall of ``supported``."""
    rows = []
    for name, judge in JUDGES.items():
        found = Confusion(of, judge)
        worth = found.precision("supported"), found.recall("supported")
        rows.append(
            (name, *(f"{one:.3f}" for one in (*worth, found.accused(), found.contradicted())))
        )
    return table(
        ("judge", "precision of supported", "recall", "accused", "precision of contradicted"), rows
    )


def measure_set(path: Path) -> None:
    """Measure a public data set and print its tables."""
    of = public_pairs(path)
    began = time.process_time()
    found = checks(of)
    each_ms = (time.process_time() - began) * 1000 / len(of)
    told = Counter((one.verdict, pair.is_true) for pair, one in zip(of, found, strict=True))
    verdicts = dict.fromkeys(one.verdict for one in found)
    print(f"{path.name}: {len(of)} pairs, {each_ms:.1f} ms each\n")
    print(
        table(
            ("verdict", "true claims", "others"),
            [(one, str(told[one, True]), str(told[one, False])) for one in verdicts],
        )
    )
    true = sum(pair.is_true for pair in of)
    scores = {"citeseek": [one.score for one in found]} | {
        name: [judge(pair) for pair in of] for name, judge in BASELINES.items()
    }
    majority = [float(2 * true >= len(of))] * len(of)
    rows = []
    for name, each in {"majority": majority, **scores}.items():
        worth = tuned(of, each)
        share = covered((score, pair.is_true) for score, pair in zip(each, of, strict=True))
        rows.append((name, *(f"{figure:.3f}" for figure in (*worth, share))))
    header = (
        "judge, tuned on a third",
        "macro-F1",
        "precision",
        "recall",
        "told at 95 % precision",
    )
    print()
    print(table(header, rows))
    print()
    print(last_line(of, found))


def measure_answers(path: Path) -> None:
    """Measure a public data set of questions and print its table."""
    of = public_questions(path)
    began = time.process_time()
    rows = table_of(of)
    each_ms = (time.process_time() - began) * 1000 / len(of)
    print(f"{path.name}: {len(of)} questions, {each_ms:.1f} ms each\n")
    print(table(("figure", "share"), rows))


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
    parser = ArgumentParser(description="Measure the check of citations.")
    parser.add_argument(
        "--set", type=Path, help="a file of AttributionBench, Factcheck-GPT or RAMDocs"
    )
    path = parser.parse_args().set
    if path:
        try:
            has_answers = is_answers(path)
        except (OSError, ValueError) as error:
            parser.error(f"{path} cannot be read as lines of JSON: {error}")
        (measure_answers if has_answers else measure_set)(path)
        return
    every = list(pairs())
    held_out = [pair for pair in every if pair.held_out]
    pages, newcomer = list(pairs_of_pages(PAGES)), list(pairs_of_pages(NEWCOMER))
    sets = {
        "short texts": every,
        "of these, held out": held_out,
        "pages": pages,
        "pages of somebody who had not read the code": newcomer,
        "all": [*every, *pages, *newcomer],
    }
    for title, of in sets.items():
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
        "passed": found.counts["unsupported", "supported"],
        "accused": found.accused(),
        "first": first,
        "next": following,
    }
    print(table(GOAL_HEADER, [goal.row(measured[name]) for name, goal in GOALS.items()]))


if __name__ == "__main__":
    main()
