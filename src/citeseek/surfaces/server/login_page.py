"""The page that asks for the token: one form, in Chinese and in English, without a script."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Literal, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

Note: TypeAlias = Literal["", "wrong", "wait"]

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def login_page(
    next_path: str,
    *,
    note: Note = "",
    seconds: int = 0,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Return the page; ``note`` says what was wrong, ``seconds`` how long to wait."""
    template = _TEMPLATES.get_template("login.html")
    body = template.render(next_path=next_path, note=note, seconds=seconds)
    return HTMLResponse(body, status, headers=headers)
