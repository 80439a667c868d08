"""What a search costs beside bare clients and beside peers, all measured in one run.

    python -m benchmarks.throughput --turns 9

Each contender has a process of its own, and they take turns, so that a busy moment of the machine
meets all of them. A ratio is taken within its turn; the tables show medians over the turns, and in
brackets the quartiles. It fails when a ratio is more than 15 % worse than the one that is committed
in ``expected.toml``; ``--accept`` commits what was measured instead.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
from benchmarks import expected
from benchmarks.contenders import CONTENDERS
from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from benchmarks.server import engine
from benchmarks.trial import LOADS, Measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LATENCY_MS = 100
# Processor time is short to measure, and a turn of it soon over.
CPU_TURNS = 3
MEASURES = ("cpu", *map(str, LOADS))

# What each turn gave, by contender and measure.
Turns: TypeAlias = dict[tuple[str, str], list[Measured]]


class Ratio(NamedTuple):
    """One contender beside another, and what is wanted of that."""

    ours: str
    base: str
    measure: str
    wanted: float
    is_share: bool = False

    @property
    def name(self) -> str:
        """What it is called in ``expected.toml``."""
        what = "CPU" if self.measure == "cpu" else f"searches/s at {self.measure}"
        return f"{what}: {self.ours} / {self.base}"

    @property
    def goal(self) -> Goal:
        """Less processor time is better, and more searches."""
        return Goal(self.name, "at least" if self.is_share else "at most", self.wanted)

    def of(self, turns: Turns) -> list[float]:
        """Return the ratio of each turn."""
        pairs = zip(turns[self.ours, self.measure], turns[self.base, self.measure], strict=True)
        return [_value(ours, self.measure) / _value(base, self.measure) for ours, base in pairs]


RATIOS = (
    Ratio("citeseek primp", "bare primp", "cpu", 1.4),
    Ratio("citeseek pyreqwest", "bare pyreqwest", "cpu", 1.4),
    Ratio("citeseek google", "bare google", "cpu", 1.4),
    Ratio("citeseek primp", "bare primp", "64", 0.97, is_share=True),
    Ratio("citeseek primp", "bare primp", "256", 0.8, is_share=True),
    Ratio("citeseek pyreqwest", "bare pyreqwest", "64", 0.97, is_share=True),
    Ratio("citeseek pyreqwest", "bare pyreqwest", "256", 0.8, is_share=True),
    Ratio("citeseek searxng", "bare json", "cpu", 1.4),
    Ratio("citeseek searxng", "langchain searx", "256", 2, is_share=True),
    Ratio("citeseek sync", "ddgs", "cpu", 0.4),
    Ratio("citeseek five", "ddgs five", "cpu", 8 / 15),
)


class Child:
    """A process that measures one contender when it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def measure(self, what: str) -> Measured:
        """Return what one turn of the measure gave."""
        print(what, file=self._process.stdin, flush=True)
        return msgspec.json.decode(self._process.stdout.readline(), type=Measured)


@contextmanager
def child(name: str, instant: str, delayed: str) -> Iterator[Child]:
    """Give the process of the contender ``name``, which is warm when it first answers."""
    command = [sys.executable, "-m", "benchmarks.trial", name, instant, delayed]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Child(process)
        process.stdin.close()


def take_turns(number: int) -> Turns:
    """Measure every contender ``number`` times, one after the other each time."""
    turns: Turns = {}
    with engine(0) as instant, engine(LATENCY_MS) as delayed, ExitStack() as stack:
        children: dict[str, Child] = {}
        for name in CONTENDERS:
            print(f"warming {name}", file=sys.stderr)
            children[name] = stack.enter_context(child(name, instant, delayed))
            children[name].measure("cpu")
        for measure in MEASURES:
            for turn in range(number * CPU_TURNS if measure == "cpu" else number):
                print(f"measuring {measure}, turn {turn + 1}", file=sys.stderr)
                for name, one in children.items():
                    if measure == "cpu" or CONTENDERS[name].under_load:
                        turns.setdefault((name, measure), []).append(one.measure(measure))
    return turns


def results(turns: Turns) -> str:
    """Return what each contender gave."""
    rows = [
        (
            name,
            *(
                _spread([_value(one, measure) for one in turns[name, measure]], form)
                if (name, measure) in turns
                else ""
                for measure, form in zip(MEASURES, (".2f", ",.0f", ",.0f"), strict=True)
            ),
            *(_waits(turns.get((name, str(concurrency)), ())) for concurrency in LOADS),
            f"{max(one.memory_mb for key in turns if key[0] == name for one in turns[key]):.0f}",
        )
        for name in CONTENDERS
    ]
    loads = (f"searches/s at {concurrency}" for concurrency in LOADS)
    waits = (f"p50 / p99 ms at {concurrency}" for concurrency in LOADS)
    return table(("contender", "CPU ms", *loads, *waits, "memory MB"), rows)


def goals(turns: Turns) -> str:
    """Return which goals are met."""
    rows = [
        (*ratio.goal.row(median(ratio.of(turns))), _spread(ratio.of(turns), ".2f"))
        for ratio in RATIOS
    ]
    return table((*GOAL_HEADER, "median (quartiles)"), rows)


def _value(one: Measured, measure: str) -> float:
    return one.cpu_ms if measure == "cpu" else one.searches_per_second


def _spread(values: Sequence[float], form: str) -> str:
    low, middle, high = quantiles(values, n=4) if len(values) > 1 else values * 3
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


def _waits(loads: Sequence[Measured]) -> str:
    if not loads:
        return ""
    p50, p99 = median(load.p50_ms for load in loads), median(load.p99_ms for load in loads)
    return f"{p50:.0f} / {p99:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Searches per second, CPU and memory.")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--accept", action="store_true", help="write the ratios to expected.toml")
    arguments = parser.parse_args()
    require("aiohttp", "ddgs", "langchain_community", "psutil")
    turns = take_turns(arguments.turns)
    for part in (results, goals):
        print(part(turns), end="\n\n")
    ratios = {
        ratio.name: expected.Expected(round(median(ratio.of(turns)), 3), ratio.goal.bound)
        for ratio in RATIOS
    }
    if arguments.accept:
        expected.write(ratios)
    elif regressions := expected.regressions(ratios, expected.read()):
        sys.exit("\n".join(regressions))


if __name__ == "__main__":
    main()
