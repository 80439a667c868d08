"""The scripts, styles and pictures of the page, from the package itself and from nowhere else."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from citeseek.surfaces.page.joined_scripts import join_scripts

_MEDIA_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "webmanifest": "application/manifest+json",
}


STYLESHEETS = (
    "tokens.css",
    "layout.css",
    "controls.css",
    "bar.css",
    "composer.css",
    "picks.css",
    "start.css",
    "conversation.css",
    "searches.css",
    "answers.css",
    "code.css",
    "citations.css",
    "sources.css",
    "answer_actions.css",
    "egress.css",
    "follow_ups.css",
    "panels.css",
    "history.css",
    "reports.css",
)
"""The style sheets of the page on a screen, in their order: a browser asks for them as one."""

SCRIPTS = ("main.js", "reports.js", "server_status.js")
"""The scripts of the pages: each comes with all that it needs."""

_JOINED = "page.css"
_ON_PAPER = "print.css"
# What is drawn is compressed in itself.
_TEXTS = frozenset(("js", "css", "svg", "webmanifest"))


class _File(msgspec.Struct, frozen=True):
    """``compressed`` is ``body`` by gzip, empty where that would save nothing."""

    body: bytes
    compressed: bytes
    media_type: str
    digest: str


def respond(request: Request, name: str) -> Response | None:
    """Return the file ``name``, or 304 to who has it already; None when there is none.

    Who accepts gzip gets it so. What is secret never stands in these files, so that their lengths
    tell nothing.
    """
    file = _files().get(name)
    if file is None:
        return None
    is_compressed = bool(file.compressed) and _accepts_gzip(request)
    etag = f'"{file.digest}-gzip"' if is_compressed else f'"{file.digest}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    known = {each.strip().removeprefix("W/") for each in _read_known(request)}
    if etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    if is_compressed:
        headers["Content-Encoding"] = "gzip"
    body = file.compressed if is_compressed else file.body
    return Response(body, headers=headers, media_type=file.media_type)


def _accepts_gzip(request: Request) -> bool:
    for each in request.headers.get("accept-encoding", "").lower().split(","):
        coding, _, weight = each.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False


def _read_known(request: Request) -> list[str]:
    return request.headers.get("if-none-match", "").split(",")


@cache
def _files() -> dict[str, _File]:
    """Return all files by their paths; they are few and small."""
    files = dict(_read(resources.files(__package__) / "static", ""))
    on_paper = b"@media print {\n" + files[_ON_PAPER].body + b"}\n"
    joined = b"\n".join([*(files[name].body for name in STYLESHEETS), on_paper])
    texts = {name: file.body.decode() for name, file in files.items() if name.endswith(".js")}
    scripts = {name: _file(join_scripts(name, texts).encode(), "js") for name in SCRIPTS}
    return {**files, **scripts, _JOINED: _file(joined, "css")}


def _read(folder: Traversable, path: str) -> Iterator[tuple[str, _File]]:
    for each in folder.iterdir():
        name = f"{path}{each.name}"
        if each.is_dir():
            yield from _read(each, f"{name}/")
        elif (kind := name.rpartition(".")[2]) in _MEDIA_TYPES:
            yield name, _file(each.read_bytes(), kind)


def _file(body: bytes, kind: str) -> _File:
    compressed = gzip.compress(body, mtime=0) if kind in _TEXTS else b""
    if len(compressed) >= len(body):
        compressed = b""
    return _File(body, compressed, _MEDIA_TYPES[kind], hashlib.sha256(body).hexdigest()[:32])
