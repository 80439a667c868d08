"""The scripts, styles and pictures of the page, from the package itself and from nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec
from starlette.requests import Request
from starlette.responses import Response

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

_JOINED = "page.css"


class _File(msgspec.Struct, frozen=True):
    body: bytes
    media_type: str
    etag: str


def respond(request: Request, name: str) -> Response | None:
    """Return the file ``name``, or 304 to who has it already; None when there is none."""
    file = _files().get(name)
    if file is None:
        return None
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    known = {each.strip().removeprefix("W/") for each in _read_known(request)}
    if file.etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(file.body, headers=headers, media_type=file.media_type)


def _read_known(request: Request) -> list[str]:
    return request.headers.get("if-none-match", "").split(",")


@cache
def _files() -> dict[str, _File]:
    """Return all files by their paths; they are few and small."""
    files = dict(_read(resources.files(__package__) / "static", ""))
    joined = b"\n".join(files[name].body for name in STYLESHEETS)
    return {**files, _JOINED: _file(joined, "css")}


def _read(folder: Traversable, path: str) -> Iterator[tuple[str, _File]]:
    for each in folder.iterdir():
        name = f"{path}{each.name}"
        if each.is_dir():
            yield from _read(each, f"{name}/")
        elif (kind := name.rpartition(".")[2]) in _MEDIA_TYPES:
            yield name, _file(each.read_bytes(), kind)


def _file(body: bytes, kind: str) -> _File:
    return _File(body, _MEDIA_TYPES[kind], f'"{hashlib.sha256(body).hexdigest()[:32]}"')
