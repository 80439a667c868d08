"""What workers do in tests: work that is well, and work that is not."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from citeseek.errors import WebBlocked
from citeseek.models import Hit

KEPT: list[bytes] = []


class Weight(msgspec.Struct, frozen=True):
    """A value with a type of its own."""

    grams: int
    hits: list[Hit] = []


def doubled(weight: Weight) -> Weight:
    """Return twice as much."""
    return Weight(weight.grams * 2, [*weight.hits, *weight.hits])


def half_an_emoji() -> list[Hit]:
    """Return what no UTF-8 can hold."""
    return [Hit(title="tea \ud83c", url="https://tea.example/")]


def hold_the_lock() -> bool:
    """Hold the interpreter's lock for longer than anybody lives."""
    return re.match(r"(a+)+$", "a" * 64 + "b") is not None


def wait_for_ever(note: str) -> None:
    """Write the process id into the file ``note``, and go on until somebody ends it."""
    Path(note).write_text(str(os.getpid()))
    time.sleep(3600)


def count_for_ever(note: str) -> None:
    """Do likewise, and hold the lock."""
    Path(note).write_text(str(os.getpid()))
    hold_the_lock()


def fill(megabytes: int) -> int:
    """Return the length of a text that takes so much."""
    return len(b"x" * (megabytes << 20))


def keep(megabytes: int) -> None:
    """Take so much memory and do not give it back."""
    KEPT.append(b"x" * (megabytes << 20))


def long_text(letters: int) -> str:
    """Return so much text."""
    return "x" * letters


def leave(code: int) -> None:
    """End the process."""
    os._exit(code)


def step_beside() -> None:
    """Read where no memory is."""
    ctypes.string_at(0)


def refuse() -> None:
    """Raise an error of ours with all that it holds."""
    raise WebBlocked("No.", hint="Ask.", engine="tea", detail_code="http_429", retry_after=2.5)


def break_down(word: str) -> None:
    """Raise an error of nobody's."""
    raise KeyError(word)


def speak() -> int:
    """Print to both outputs, in Python and below it, and return the process id."""
    print("out")
    print("err", file=sys.stderr)
    os.write(1, b"out")
    os.write(2, b"err")
    return os.getpid()


def process_id() -> int:
    """Return the id of the process that this is done in."""
    return os.getpid()


def environment() -> dict[str, str]:
    """Return what is known of the environment."""
    return dict(os.environ)


def sockets() -> int:
    """Return how many sockets the process has."""
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += str(link.readlink()).startswith("socket:")
    return found
