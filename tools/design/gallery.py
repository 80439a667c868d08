"""The page ``/design``: colours, type, icons, and a turn in every state, around the app itself."""

from __future__ import annotations

import re
from html import escape
from importlib import resources
from pathlib import Path
from urllib.parse import parse_qs

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.i18n import catalogue
from citeseek.surfaces.page.live_turn import LiveTurn
from citeseek.surfaces.page.rendering import Rendering
from tools.design.states import states

PATH = "/design"
STYLES = "/design.css"
COLOURS = (
    "paper surface sunken ink quiet faint line edge accent on-accent tint warning warning-tint "
    "danger danger-tint mark"
).split()
SIZES = ("2xs", "xs", "s", "m", "l", "xl")
_SYMBOL = re.compile(r'<symbol id="([^"]+)"')
# Where the page has its turns.
_TURNS = re.compile(r'(<h2 class="visually-hidden">[^<]*</h2>)\s*</main>')


class DesignPage:
    """Answers ``/design`` with the page of ``app`` in which every state is a turn."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is not ours."""
        path = scope.get("path")
        if path == STYLES:
            styles = Path(__file__).with_name("design.css").read_text(encoding="utf-8")
            await Response(styles, media_type="text/css")(scope, receive, send)
        elif path == PATH:
            start = await self._read({**scope, "path": "/"}, receive)
            lang = parse_qs(scope["query_string"].decode()).get("lang", ["en"])[0]
            html = await filled(start, lang)
            await Response(html, media_type="text/html")(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> str:
        parts: list[bytes] = []

        async def keep(message: Message) -> None:
            parts.append(message.get("body", b""))

        await self._app(scope, receive, keep)
        return b"".join(parts).decode()


async def filled(start: str, lang: str) -> str:
    """Return the start page ``start`` with the gallery and all states in it."""
    rendering = Rendering(catalogue(lang), {"searxng": "SearXNG"})
    shown = [_gallery()]
    for name, view in states():
        turn = LiveTurn(view, "design", 1)
        await turn.prepare(rendering, 1)
        shown.append(f'<h2 class="state-name" id="{name}">{name}</h2>{turn.html(rendering)}')
    html = _TURNS.sub(lambda found: f"{found[1]}{''.join(shown)}</main>", start, count=1)
    return html.replace("</head>", f'<link rel="stylesheet" href="{STYLES}"></head>')


def _gallery() -> str:
    sprite = resources.files("citeseek.surfaces.page") / "static" / "icons.svg"
    icons = "".join(
        f'<li><svg class="glyph" aria-hidden="true"><use href="/static/icons.svg#{name}"/></svg>'
        f"{escape(name)}</li>"
        for name in _SYMBOL.findall(sprite.read_text(encoding="utf-8"))
    )
    colours = "".join(f'<li class="colour" data-colour="{each}">{each}</li>' for each in COLOURS)
    sizes = "".join(f'<p data-size="{each}">Ag 国 {each}</p>' for each in SIZES)
    return (
        f'<section class="gallery"><ul class="colours">{colours}</ul>'
        f'<div class="sizes">{sizes}</div><ul class="icons">{icons}</ul></section>'
    )
