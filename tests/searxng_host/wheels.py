"""A small package of the name and version that ``up --native`` installs, from a folder."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from citeseek.searxng_host.searxng_program import PACKAGE, VERSION

SERVER = """
import json, os
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

address = os.environ["SEARXNG_BIND_ADDRESS"], int(os.environ["SEARXNG_PORT"])
HTTPServer(address, Handler).serve_forever()
"""


def write(folder: Path) -> None:
    """Write the package into ``folder``."""
    folder.mkdir(exist_ok=True)
    name = f"{PACKAGE.replace('-', '_')}-{VERSION}"
    about = f"{name}.dist-info"
    files = {
        "searx/__init__.py": "",
        "searx/webapp.py": SERVER,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(
        f"{path},,{len(text.encode())}\n" for path, text in files.items()
    )
    files[f"{about}/RECORD"] += f"{about}/RECORD,,\n"
    with ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
