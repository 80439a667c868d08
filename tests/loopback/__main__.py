"""Serve the canned pages until interrupted: for benchmarks and for trying things out."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from .canned import PAGES, load_pages
from .server import LoopbackServer
from .standin import stand_in


def main() -> None:
    """Listen, say where, and leave on SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tests.loopback", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 takes a free one")
    parser.add_argument("--pages", type=Path, default=PAGES, help="folder with manifest.json")
    parser.add_argument("--delay-ms", type=float, default=0, help="hold every result back so long")
    options = parser.parse_args()

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with LoopbackServer(port=options.port) as server:
        stand_in(server, load_pages(options.pages), options.delay_ms / 1000)
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        stopped.wait()


if __name__ == "__main__":
    main()
