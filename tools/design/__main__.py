"""Serve ``/design`` until interrupted: ``python -m tools.design [--port PORT]``."""

from __future__ import annotations

import argparse

import uvicorn

from citeseek import Settings
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app
from tools.design.gallery import PATH, DesignPage


def main() -> None:
    """Serve the page with every part in every state; nothing is searched and nothing is kept."""
    parser = argparse.ArgumentParser(prog="python -m tools.design", description=__doc__)
    parser.add_argument("--port", type=int, default=8001, help="port to listen on")
    port = parser.parse_args().port
    settings = Settings.load(config={}, agents={}, env={})
    app = DesignPage(create_app(lambda: settings, store=MemoryStore(), looks=False))
    print(f"http://127.0.0.1:{port}{PATH}")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
