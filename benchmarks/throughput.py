"""What a search costs beside a floor and beside peers, all measured in one run.

    python -m benchmarks.throughput --rounds 3

Every round measures every contender once, each in a fresh process. A ratio is taken within its
round, where both sides met the same machine; the tables show the median over the rounds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
from benchmarks.contenders import CONTENDERS
from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from benchmarks.server import engine
from benchmarks.trial import LOADS, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.trial import Load

Round: TypeAlias = dict[str, Trial]


class Measure(NamedTuple):
    """One number of a trial, and how it is written."""

    of: Callable[[Trial], float]
    form: str


LATENCY_MS = 100

CITESEEK = "citeseek ddg_html pyreqwest"
HTML_FLOOR, JSON_FLOOR = "floor html", "floor json"
# What each contender is set against first: the floor that does the same work.
FLOOR_OF = {
    name: JSON_FLOOR if "searx" in name or name == JSON_FLOOR else HTML_FLOOR for name in CONTENDERS
}
# Citeseek beside the peer that asks the same engine.
PEERS = (
    (CITESEEK, "ddgs duckduckgo"),
    ("citeseek ddg_html primp", "ddgs duckduckgo"),
    ("citeseek searxng", "langchain searx"),
)

MEASURES = {
    "CPU ms": Measure(lambda trial: trial.cpu_ms, ".2f"),
    "searches/s at 64": Measure(lambda trial: trial.loads[64].searches_per_second, ",.0f"),
    "searches/s at 256": Measure(lambda trial: trial.loads[256].searches_per_second, ",.0f"),
    "memory MB": Measure(lambda trial: trial.memory_mb, ".0f"),
}
# The rates were set on a machine where the floor gives 602 and 1,701, so they are shares of it.
GOALS = {
    "CPU ms": Goal("CPU per search, times the floor", "at most", 1.25),
    "searches/s at 64": Goal("searches/s at 64, share of the floor", "at least", 570 / 602),
    "searches/s at 256": Goal("searches/s at 256, share of the floor", "at least", 1150 / 1701),
}
MEMORY_GOAL = Goal("peak memory at 256, MB", "at most", 90)


def run_round(instant: str, delayed: str) -> Round:
    """Measure every contender once, one after the other."""
    return {name: _run_trial(name, instant, delayed) for name in CONTENDERS}


def _run_trial(name: str, instant: str, delayed: str) -> Trial:
    print(f"measuring {name}", file=sys.stderr)
    command = [sys.executable, "-m", "benchmarks.trial", name, instant, delayed]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Trial)


def results(rounds: Sequence[Round]) -> str:
    """Return what each contender gave, with the ratio to its floor in brackets."""
    rows = [
        (
            name,
            *(
                f"{median(measure.of(one[name]) for one in rounds):{measure.form}}"
                f" ({_ratio(rounds, measure, name, FLOOR_OF[name]):.2f})"
                for measure in MEASURES.values()
            ),
            *(_waits([one[name].loads[concurrency] for one in rounds]) for concurrency in LOADS),
        )
        for name in CONTENDERS
    ]
    waits = (f"p50 / p99 ms at {concurrency}" for concurrency in LOADS)
    return table(("contender (times its floor)", *MEASURES, *waits), rows)


def peers(rounds: Sequence[Round]) -> str:
    """Return Citeseek divided by each peer."""
    rows = [
        (f"{ours} / {peer}", *(f"{_ratio(rounds, m, ours, peer):.2f}" for m in MEASURES.values()))
        for ours, peer in PEERS
    ]
    return table(("Citeseek / peer", *MEASURES), rows)


def goals(rounds: Sequence[Round]) -> str:
    """Return which goals are met."""
    rows = [
        goal.row(_ratio(rounds, MEASURES[name], CITESEEK, HTML_FLOOR))
        for name, goal in GOALS.items()
    ]
    rows.append(MEMORY_GOAL.row(median(one[CITESEEK].memory_mb for one in rounds)))
    return table(GOAL_HEADER, rows)


def spread(rounds: Sequence[Round]) -> str:
    """Return how steady the machine was, as seen by the floor."""
    rates = [one[HTML_FLOOR].loads[256].searches_per_second for one in rounds]
    return (
        f"The floor at 256 gave {min(rates):,.0f} to {max(rates):,.0f} searches/s over the rounds."
    )


def _ratio(rounds: Sequence[Round], measure: Measure, name: str, base: str) -> float:
    return median(measure.of(one[name]) / measure.of(one[base]) for one in rounds)


def _waits(loads: Sequence[Load]) -> str:
    p50, p99 = median(load.p50_ms for load in loads), median(load.p99_ms for load in loads)
    return f"{p50:.0f} / {p99:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Searches per second, CPU and memory.")
    parser.add_argument("--rounds", type=int, default=3)
    number = parser.parse_args().rounds
    require("aiohttp", "ddgs", "langchain_community")
    with engine(0) as instant, engine(LATENCY_MS) as delayed:
        rounds = [run_round(instant, delayed) for _ in range(number)]
    for part in (results, spread, peers, goals):
        print(part(rounds), end="\n\n")


if __name__ == "__main__":
    main()
