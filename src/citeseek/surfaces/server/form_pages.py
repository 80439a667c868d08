"""Pages with a form and without scripts, in the language of their reader.

What their forms send is taken only from a page of ours that the same browser was shown: beside the
checks of ``Origin`` and the cookie of the login, a form brings what only the page could say.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from citeseek.i18n import Catalogue, catalogue
from citeseek.person import current_person
from citeseek.surfaces.page.language import COOKIE as LANGUAGE_COOKIE
from citeseek.surfaces.page.language import choose_language

COOKIE = "citeseek_form"
# What the forms of these pages call it.
FIELD = "form_token"
_SECONDS = 3_600
_COOKIE_VALUE = re.compile(r"[0-9a-f]{64}")
_FIELDS = 8
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class FormPages:
    """Renders pages; ``language`` is that of the settings, ``auto`` for that of the browser."""

    def __init__(self, language: str) -> None:
        self._language = language

    def words(self, request: Request) -> Catalogue:
        """Return the sentences in the language of a reader."""
        return catalogue(
            choose_language(
                request.query_params.get("lang"),
                request.cookies.get(LANGUAGE_COOKIE),
                self._language,
                request.headers.get("accept-language", ""),
            )
        )

    def render(
        self,
        request: Request,
        template: str,
        *,
        status: HTTPStatus = HTTPStatus.OK,
        about: str = "",
        **values: Any,
    ) -> HTMLResponse:
        """Return the page ``template``; what its form sends counts for ``about`` alone."""
        secret = request.cookies.get(COOKIE, "")
        if _COOKIE_VALUE.fullmatch(secret) is None:
            secret = secrets.token_hex(32)
        words = self.words(request)
        body = _TEMPLATES.get_template(template).render(
            words=words, form_field=FIELD, form_token=_token(secret, about), **values
        )
        response = HTMLResponse(body, status, headers={"Vary": "Cookie, Accept-Language"})
        response.set_cookie(
            COOKIE,
            secret,
            max_age=_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def is_own_form(self, request: Request, fields: Mapping[str, str], *, about: str = "") -> bool:
        """Whether ``fields`` come from a page that this browser was shown about the same."""
        secret = request.cookies.get(COOKIE, "")
        if _COOKIE_VALUE.fullmatch(secret) is None:
            return False
        given = fields.get(FIELD, "").encode()
        return hmac.compare_digest(given, _token(secret, about).encode())


async def read_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form, none when it is no form."""
    try:
        body = (await request.body()).decode()
        found = parse_qs(body, keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}


def _token(secret: str, about: str) -> str:
    said = f"{current_person().name}\n{about}"
    return hmac.digest(secret.encode(), said.encode(), hashlib.sha256).hex()
