"""Who reads: the language and the theme of a request, and pages as its reader gets them."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from citeseek.assistant.client_pool import Clients
from citeseek.conversations.conversation_record import Choices, Turn
from citeseek.i18n import catalogue
from citeseek.searching.engine_choice import alternatives
from citeseek.settings import Settings
from citeseek.surfaces.page.language import COOKIE, choose_language, other_than
from citeseek.surfaces.page.panel import THEMES, Option, are_examples, finds_examples, labels
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.web.accepted_language import choice
from citeseek.surfaces.web.picture_addresses import PictureAddresses

THEME_COOKIE = "citeseek_theme"
HISTORY_COOKIE = "citeseek_history"
LOGIN_COOKIE = "citeseek_login"
_USUAL = Choices()
_YEAR_SECONDS = 365 * 24 * 60 * 60
# What is said is nobody else's business, and going back to a page shows how it is now.
_HEADERS = {"Cache-Control": "no-store", "Vary": "Cookie, Accept-Language"}


class Readers:
    """Gives each reader a rendering in the language of the request.

    Those of a ``demo`` are told where results are examples.
    """

    def __init__(
        self, clients: Clients, pictures: PictureAddresses | None = None, *, demo: bool = False
    ) -> None:
        self._clients = clients
        self._pictures = pictures
        self.is_demo = demo
        self._renderings: dict[str, Rendering] = {}

    def rendering(self, request: Request) -> Rendering:
        """Return the rendering for ``request``; there is one for each language."""
        client = self._clients.current()
        lang = choose_language(
            request.query_params.get("lang"),
            request.cookies.get(COOKIE),
            client.settings.page.language,
            request.headers.get("accept-language", ""),
        )
        if lang not in self._renderings:
            names = labels(client.registry, client.settings)
            picture = self._pictures.of if self._pictures and _shows(client.settings) else None
            others = alternatives(client.registry, client.settings)
            self._renderings[lang] = Rendering(catalogue(lang), names, picture, others)
        return self._renderings[lang]

    def finds_examples(self, choices: Choices = _USUAL, agent_id: str | None = None) -> bool:
        """Whether what is found with ``choices`` is to be said to be examples."""
        client = self._clients.current()
        return self.is_demo and finds_examples(choices, agent_id, client.registry, client.settings)

    def shows_examples(self, turns: Iterable[Turn]) -> bool:
        """Whether what ``turns`` found is to be said to be examples."""
        client = self._clients.current()
        searches = (search for turn in turns for search in turn.searches)
        engines = (name for search in searches for name in search.provider.split("+") if name)
        return self.is_demo and are_examples(engines, client.registry, client.settings)

    def other(self, request: Request, rendering: Rendering) -> Option | None:
        """Return the language that the reader's browser would rather have, with its own name."""
        accepted = request.headers.get("accept-language", "")
        lang = other_than(rendering.words.lang, accepted)
        return Option(lang, catalogue(lang)("language")) if lang else None


def _shows(settings: Settings) -> bool:
    return settings.page.pictures == "on"


def theme_of(request: Request) -> str:
    """Return the theme that the reader chose, ``auto`` for none."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else THEMES[0]


def history_of(request: Request) -> str:
    """Return whether the reader ``folded`` the list of conversations away, else ``auto``."""
    return "folded" if request.cookies.get(HISTORY_COOKIE) == "folded" else "auto"


def is_signed_in(request: Request) -> bool:
    """Whether the reader came in by the login, and may want to go out again."""
    return bool(request.cookies.get(LOGIN_COOKIE))


def page_response(html: str, request: Request, status: int = 200) -> Response:
    """Return ``html``; a language that the address names is kept for what comes next."""
    response = HTMLResponse(html, status, headers=_HEADERS)
    if lang := choice(request.query_params.get("lang")):
        response.set_cookie(
            COOKIE,
            lang,
            max_age=_YEAR_SECONDS,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return response
