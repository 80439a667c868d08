"""The chat page over a search engine of our own: ``python -m tools.demo [serve options]``.

The engine is a process of its own, so that it can be ended to see how a failing search is told.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from citeseek.surfaces.cli import main as citeseek

# Where the engine and its pages listen.
HOST = "127.0.0.1"


def main() -> int:
    """Start the engine, then the page over it; both end together."""
    # By itself a signal ends the program at once, and nobody would end the engine.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    engine = subprocess.Popen(
        [sys.executable, "-m", "tools.demo.engine"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert engine.stdout is not None  # noqa: S101 - it is a pipe
        address = engine.stdout.readline().strip()
        print(f"Example engine: {address} (end it with: kill {engine.pid})", file=sys.stderr)
        os.environ |= {
            "SEARXNG_BASE_URL": address,
            # Nobody else is asked, whoever asks.
            "CITESEEK_CHAT_ENGINE": "searxng",
            "CITESEEK_AGENT_ENGINE": "searxng",
            "CITESEEK_ENGINE": "searxng",
            # Its pages are on this machine, where else nothing is read from.
            "WEB_FETCH_ALLOW": ",".join(filter(None, (os.environ.get("WEB_FETCH_ALLOW"), HOST))),
            # What is typed first is answered; the built-in model can but quote results.
            "CITESEEK_CHAT_SEARCH": os.environ.get("CITESEEK_CHAT_SEARCH", "on"),
        }
        return citeseek(["serve", "--demo", *sys.argv[1:]])
    except KeyboardInterrupt:
        return 130  # as shells count a program that SIGINT ends
    finally:
        engine.terminate()
        engine.wait()


if __name__ == "__main__":
    sys.exit(main())
