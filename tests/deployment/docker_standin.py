"""Stands in for ``docker`` on a machine without an engine: the answers that Compose v2 gives.

It reads the real docker-compose.yml, and its "container" is a process that says that it is well.
What it was called with is kept in ``calls`` beside it. Run as a program by the tests.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(sys.argv[0]).parent
CONTAINER = HERE / "container"
CALLS = HERE / "calls"
SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"OK")
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
            print(json.dumps({"services": {"searxng": {"ports": [port()]}}}))
        case ["compose", "ps", "--format", "json", "searxng"]:
            if CONTAINER.exists():
                print(json.dumps({"State": "running", "Status": "Up 2 seconds (healthy)"}))
        case ["compose", "port", "searxng", "8080"]:
            print(f"127.0.0.1:{port()['published']}")
        case ["compose", "up", "-d"]:
            start()
        case ["compose", "down"]:
            os.kill(int(CONTAINER.read_text()), signal.SIGKILL)
            CONTAINER.unlink()
        case ["compose", "restart", "searxng"]:
            pass
        case ["compose", "logs", "--no-color", "--tail", count, "searxng"]:
            print(*(f"searxng-1  | line {number}" for number in range(int(count))), sep="\n")
        case _:
            print("unknown command", file=sys.stderr)
            return 1
    return 0


def start() -> None:
    print("Container searxng Started", file=sys.stderr)
    command = [sys.executable, "-c", SERVER, str(port()["published"])]
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(
        command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    CONTAINER.write_text(str(child.pid))


def port() -> dict[str, object]:
    """Return the port as Compose prints it."""
    content = yaml.safe_load(Path("docker-compose.yml").read_text())
    host, published, target = content["services"]["searxng"]["ports"][0].split(":")
    return {"host_ip": host, "published": published, "target": int(target), "protocol": "tcp"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
