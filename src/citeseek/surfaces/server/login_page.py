"""The page of the login, in the reader's language, and the paths that it may lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import Scope

from citeseek.i18n import Catalogue, catalogue
from citeseek.surfaces.page.language import COOKIE, choose_language
from citeseek.surfaces.server.rules import Rules

HOME = "/"
# Two slashes begin a host, browsers read \ as /, and they leave tabs and line ends out.
_LOCAL = re.compile(r"/(?!/)[!-\[\]-~]{0,8000}")
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class LoginPage:
    """Shows the ways in that ``rules`` have, and says what was wrong."""

    def __init__(self, rules: Rules) -> None:
        self._has_tokens = bool(rules.holders)
        self._sign_in = rules.sign_in
        self._language = rules.language

    def show(
        self,
        request: Request,
        next_path: str,
        *,
        note: str = "",
        status: HTTPStatus = HTTPStatus.OK,
        headers: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> HTMLResponse:
        """Return the page; ``note`` is a key of the catalogue, with its ``values``."""
        words = self._words(request)
        chosen = self._sign_in
        label = chosen.label if chosen else ""
        html = _TEMPLATES.get_template("login.html").render(
            words=words,
            next_path=next_path,
            note=words(f"login.{note}", issuer=label, **(values or {})) if note else "",
            is_wrong=note == "wrong",
            has_tokens=self._has_tokens,
            issuer=label,
            start=chosen.start_address(next_path) if chosen else "",
        )
        return HTMLResponse(html, status, headers=headers)

    def lead(self, request: Request, said: str, address: str) -> HTMLResponse:
        """Return a page that says ``said``, a key of the catalogue, and leads on to ``address``."""
        words = self._words(request)
        label = self._sign_in.label if self._sign_in else ""
        html = _TEMPLATES.get_template("onward.html").render(
            words=words, said=words(f"login.{said}", issuer=label), address=address
        )
        return HTMLResponse(html)

    def _words(self, request: Request) -> Catalogue:
        accepted = request.headers.get("accept-language", "")
        kept = request.cookies.get(COOKIE)
        return catalogue(choose_language(None, kept, self._language, accepted))


def local(path: str) -> str:
    """Return ``path`` if it is surely a path of this server, else the first page."""
    return path if _LOCAL.fullmatch(path) else HOME


def login_for(scope: Scope) -> str:
    """Return the address of the login that leads back to what was asked for."""
    path = quote(scope["path"], safe="/:@!$&'()*+,;=~")
    query = scope["query_string"].decode("latin-1")
    wanted = local(f"{path}?{query}" if query else path)
    return "/login" if wanted == HOME else f"/login?next={quote(wanted, safe='/')}"
