"""The option ``--trace FILE`` of every command that searches, reads or answers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citeseek import trace


def add_trace_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--trace",
        metavar="FILE",
        type=Path,
        help="record the call in this file, without secrets, for `replay` and `bundle`",
    )


@contextmanager
def traced(options: argparse.Namespace) -> Iterator[None]:
    """Record what is called within, if the option is given; raise InvalidInput if it cannot be."""
    if options.trace is None:
        yield
        return
    with trace.into(options.trace):
        yield
