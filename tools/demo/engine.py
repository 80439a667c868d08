"""Serve the pages and their search engine until interrupted: ``python -m tools.demo.engine``."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from tests.loopback import LoopbackServer

from tools.demo.site import Site, articles


def main() -> None:
    """Listen, say where, and leave on SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo.engine", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 takes a free one")
    options = parser.parse_args()
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with LoopbackServer(port=options.port) as server:
        Site(server, articles())
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        stopped.wait()


if __name__ == "__main__":
    main()
