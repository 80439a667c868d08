"""Stands in for ``docker`` on a machine without an engine: the answers that Compose v2 gives.

It reads the real docker-compose.yml, and its "container" is a process that answers as a SearXNG
does. What it was called with is kept in ``calls`` beside it, the state of the container in
``state``; ``printed-ps`` and ``printed-config`` replace what it prints. Run as a program by the
tests.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(sys.argv[0]).parent
CONTAINER = HERE / "container"
STATE = HERE / "state"
CALLS = HERE / "calls"
PORT = re.compile(r'^ +- "?([\d.]+):(\d+):(\d+)\b', re.MULTILINE)
STATUS = {
    "running": "Up 2 seconds (healthy)",
    "paused": "Up 2 hours (Paused)",
    "restarting": "Restarting (1) 5 seconds ago",
    "created": "Created",
    "exited": "Exited (1) 3 minutes ago",
}
SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
CONFIG = {"engines": [{"name": "one", "enabled": True, "categories": ["general"]}]}
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        search = self.path.startswith("/search")
        body = b"OK"
        if search: body = json.dumps({"error": "No query"}).encode()
        if self.path == "/config": body = json.dumps(CONFIG).encode()
        self.send_response(400 if search else 200)
        self.end_headers()
        self.wfile.write(body)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def main(arguments: list[str]) -> int:  # noqa: C901 - one case for each command
    with CALLS.open("a") as calls:
        calls.write(f"{' '.join(arguments)}\n")
    match arguments:
        case ["version", *_]:
            print("28.2.2")
        case ["compose", "version"]:
            print("Docker Compose version v2.36.2")
        case ["compose", "config", "--format", "json"]:
            print(config())
        case ["compose", "ps", "--all", "--format", "json"]:
            print(ps(), end="")
        case ["compose", "port", "searxng", "8080"]:
            print(f"127.0.0.1:{port()['published']}")
        case ["compose", "up", "-d"]:
            start()
        case ["compose", "down"]:
            stop()
            STATE.unlink(missing_ok=True)
        case ["compose", "restart", "searxng"]:
            start()
        case ["compose", "unpause", _]:
            STATE.write_text("running")
        case ["compose", "logs", "--no-color", "--tail", count, "searxng"]:
            print(*(f"searxng-1  | line {number}" for number in range(int(count))), sep="\n")
        case _:
            print("unknown command", file=sys.stderr)
            return 1
    return 0


def ps() -> str:
    if (printed := HERE / "printed-ps").exists():
        return printed.read_text()
    if not STATE.exists():
        return ""
    state = STATE.read_text()
    line = {"Service": "searxng", "State": state, "Status": STATUS[state]}
    return f"{json.dumps(line)}\n"


def config() -> str:
    if (printed := HERE / "printed-config").exists():
        return printed.read_text()
    return json.dumps({"services": {"searxng": {"ports": [port()]}}})


def start() -> None:
    print("Container searxng Started", file=sys.stderr)
    if STATE.exists() and STATE.read_text() == "paused":
        return
    stop()
    command = [sys.executable, "-IS", "-c", SERVER, str(port()["published"])]
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(
        command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    CONTAINER.write_text(str(child.pid))
    STATE.write_text("running")


def stop() -> None:
    if CONTAINER.exists():
        os.kill(int(CONTAINER.read_text()), signal.SIGKILL)
        CONTAINER.unlink()


def port() -> dict[str, object]:
    """Return the port as Compose prints it."""
    found = PORT.search(Path("docker-compose.yml").read_text())
    assert found
    host, published, target = found.groups()
    return {"host_ip": host, "published": published, "target": int(target), "protocol": "tcp"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
