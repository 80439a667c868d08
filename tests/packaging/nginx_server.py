"""A real nginx with the configuration that is deployed, and the name server that it asks."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.packaging.deployment import DEPLOY

SECONDS = 20
# An address of IPv4, of the class of the Internet, that holds for as long as nginx likes.
_TYPE_A = b"\x00\x01\x00\x01"
_NO_ERROR = b"\x81\x80"


def find_nginx() -> str:
    """Return the path of nginx, which is beside those of ordinary users."""
    path = shutil.which("nginx") or "/usr/sbin/nginx"
    assert Path(path).exists(), "tools/nginx installs it"
    return path


def written(folder: Path, **changes: str) -> Path:
    """Write the configuration for this machine, with ``changes`` of directives."""
    text = (DEPLOY / "nginx.conf").read_text()
    text = re.sub(r"/tmp/(?=\w)", f"{folder}/", text)  # noqa: S108 - it is replaced
    text = re.sub(r"/dev/std(?=err|out)", f"{folder}/", text)
    for directive, value in changes.items():
        text, count = re.subn(rf"\b({directive.replace('_', ' ')}) [^;]+;", rf"\1 {value};", text)
        assert count == 1, directive
    path = folder / "nginx.conf"
    path.write_text(text)
    return path


class NameServer:
    """Says of every name that it has all of ``addresses``, as that of a container engine does."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._answer, name="name server")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # An empty question is the last one.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join(SECONDS)
        self._socket.close()

    def _answer(self) -> None:
        while True:
            asked, whom = self._socket.recvfrom(512)
            if not asked:
                return
            question = asked[12 : asked.index(b"\x00", 12) + 5]
            head = asked[:2] + _NO_ERROR + b"\x00\x01" + len(self.addresses).to_bytes(2) + bytes(4)
            found = (
                b"\xc0\x0c" + _TYPE_A + (1).to_bytes(4) + b"\x00\x04" + socket.inet_aton(address)
                for address in self.addresses
            )
            self._socket.sendto(head + question + b"".join(found), whom)


class Nginx:
    """Listens on loopback in front of port ``port`` of whatever ``names`` says."""

    def __init__(self, folder: Path, names: NameServer, port: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "out"
        self._config = written(
            folder,
            listen=f"127.0.0.1:{self.port}",
            resolver=f"127.0.0.1:{names.port} valid=1s ipv6=off",
            **{r"set_\$servers": f"web.test:{port}"},
        )

    def __enter__(self) -> Self:
        command = [find_nginx(), "-c", str(self._config), "-g", "daemon off;"]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        until = time.monotonic() + SECONDS
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return self
            assert time.monotonic() < until, "nginx does not listen"
            time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(SECONDS)
