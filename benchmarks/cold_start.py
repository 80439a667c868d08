"""How long a first result takes, from nothing: a new process for each measurement.

    python -m benchmarks.cold_start --runs 20

The commands take turns, so that a busy moment of the machine meets all of them; the tables show
medians, and of the processor time, which no other work can lower, the least. One run of each goes
first, unmeasured: it compiles the modules, into a folder that is thrown away afterwards, as any
second use of a command finds them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import replace
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from benchmarks.server import engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

IMPORT_GOAL = Goal("import citeseek, ms above the bare interpreter", "at most", 10)
COMMAND_GOAL = Goal("first result of the command, times ddgs' command", "at most", 0.9)
LOCAL_GOAL = Goal("processor time of {}, ms above the bare interpreter", "at most", 60)
PROCESSOR_GOAL = Goal("processor time of the command, times ddgs' command", "at most", 0.6)

# The console scripts as an installer writes them, ddgs with its engine at the loopback server.
CITESEEK = "from citeseek.__main__ import run; run()"
DDGS = """
import os, sys
from ddgs.cli import safe_entry_point
from ddgs.engines.duckduckgo import Duckduckgo
Duckduckgo.search_url = os.environ["BENCHMARK_DDGS_URL"]
sys.exit(safe_entry_point())
"""


class Command(NamedTuple):
    """Arguments of the interpreter, and a text that proves that the command did its work."""

    arguments: tuple[str, ...]
    proof: bytes = b""


class Run(NamedTuple):
    """Seconds from the start of the process to its first output, to its end, of processor time."""

    first_output: float
    end: float
    processor: float


RESULT = b"docs.example.net"
BARE = "python -c pass"
IMPORT = "import citeseek"
LIBRARIES = "import primp, msgspec, argparse"
CITESEEK_SEARCH = "citeseek search"
CITESEEK_JSON = "citeseek search --format json"
# What sends nothing, and a proof of each.
LOCAL = {"citeseek --help": b"--version", "citeseek settings": b"duck-duck", "citeseek tools": b"{"}
DDGS_SEARCH = "ddgs text"
_SEARCH = ("-c", CITESEEK, "search", "benchmark", "--engine", "ddg_html")
COMMANDS = {
    BARE: Command(("-c", "pass")),
    IMPORT: Command(("-c", "import citeseek")),
    # What a search loads of others: primp loads asyncio by itself.
    LIBRARIES: Command(("-c", LIBRARIES)),
    CITESEEK_SEARCH: Command(_SEARCH, RESULT),
    CITESEEK_JSON: Command((*_SEARCH, "--format", "json"), RESULT),
    **{
        name: Command(("-c", CITESEEK, name.partition(" ")[2]), proof)
        for name, proof in LOCAL.items()
    },
    DDGS_SEARCH: Command(("-c", DDGS, "text", "-q", "benchmark", "-b", "duckduckgo"), RESULT),
}


def run(command: Command, environment: Mapping[str, str]) -> Run:
    """Run ``command`` once in a new process."""
    before = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-P", *command.arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        output = process.stdout.read1()
        first_output = time.perf_counter() - before
        output += process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    end = time.perf_counter() - before
    if process.returncode or command.proof not in output:
        raise RuntimeError(f"{command.arguments} did not do its work: {output.decode()}")
    return Run(first_output, end, used.ru_utime + used.ru_stime)


def report(runs: Mapping[str, Sequence[Run]]) -> str:
    """Return the table of medians and the goals."""
    first_output = {name: _median_ms(one.first_output for one in runs[name]) for name in runs}
    end = {name: _median_ms(one.end for one in runs[name]) for name in runs}
    processor = {name: min(one.processor for one in runs[name]) * 1000 for name in runs}
    rows = [
        (
            name,
            f"{first_output[name]:.0f}" if COMMANDS[name].proof else "",
            f"{end[name]:.0f}",
            f"{processor[name]:.0f}",
        )
        for name in runs
    ]
    goals = [
        IMPORT_GOAL.row(end[IMPORT] - end[BARE]),
        COMMAND_GOAL.row(first_output[CITESEEK_SEARCH] / first_output[DDGS_SEARCH]),
        PROCESSOR_GOAL.row(processor[CITESEEK_SEARCH] / processor[DDGS_SEARCH]),
        *(
            replace(LOCAL_GOAL, text=LOCAL_GOAL.text.format(name)).row(
                processor[name] - processor[BARE]
            )
            for name in LOCAL
        ),
    ]
    times = table(("command", "first result, ms", "end, ms", "processor, ms"), rows)
    return f"{times}\n\n{table(GOAL_HEADER, goals)}"


def _median_ms(seconds: Iterable[float]) -> float:
    return median(seconds) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="Import time and time to a first result.")
    parser.add_argument("--runs", type=int, default=20)
    number = parser.parse_args().runs
    require("ddgs")
    with engine(0) as url, TemporaryDirectory() as compiled:
        environment = {
            **os.environ,
            "CITESEEK_DDG_HTML_URL": url,
            "BENCHMARK_DDGS_URL": f"{url}/html/",
            "PYTHONPYCACHEPREFIX": compiled,
            "PYTHONDONTWRITEBYTECODE": "",
        }
        turns = [
            {name: run(command, environment) for name, command in COMMANDS.items()}
            for _ in range(number + 1)
        ]
    print(report({name: [turn[name] for turn in turns[1:]] for name in COMMANDS}))


if __name__ == "__main__":
    main()
