"""HTML of the page and of its parts, in one language. Everything but Markdown is escaped here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from citeseek.assistant.conversation_record import SessionSummary
from citeseek.catalogue import Catalogue
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.health.startup import StartupReport
from citeseek.surfaces.page import listing
from citeseek.surfaces.page.guide import guide
from citeseek.surfaces.page.views import TurnView
from citeseek.surfaces.page.wording import Wording
from citeseek.surfaces.web.cursors import cursor_of

Part: TypeAlias = Literal[
    "progress",
    "thinking",
    "searches",
    "notices",
    "answer",
    "references",
    "ending",
    "sources",
    "egress",
    "actions",
]

PARTS: tuple[Part, ...] = get_args(Part)

STYLESHEETS = (
    "tokens.css",
    "layout.css",
    "controls.css",
    "conversation.css",
    "searches.css",
    "answers.css",
    "sources.css",
    "egress.css",
    "panels.css",
    "print.css",
)

# So that nothing in it ends the element around it or begins a comment.
_IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


class Rendering:
    """Renders in the language of ``words``; ``labels`` are the engines' names by their ids."""

    def __init__(self, words: Catalogue, labels: dict[str, str]) -> None:
        self.words = words
        self.say = Wording(words, labels)
        self._globals = {
            "t": words,
            "say": self.say,
            "linkable": listing.linkable,
            "cursor_of": cursor_of,
        }

    def part(self, name: Part, view: TurnView, session_id: str) -> str:
        """Return the inside of one part of a turn other than its answer."""
        return self._filled(
            f"{name}.html",
            view=view,
            session_id=session_id,
            references=listing.references(view),
            sources=listing.sources(view),
        )

    def turn(self, view: TurnView, parts: Mapping[Part, str]) -> str:
        """Return the whole article of a turn, made of its parts."""
        marked = [(name, Markup(parts[name])) for name in PARTS]  # noqa: S704 - our own templates
        return self._filled("turn.html", view=view, parts=marked)

    def history(
        self, conversations: Sequence[SessionSummary], current: str, *, is_older: bool = False
    ) -> str:
        """Return the rows of the list of conversations, or of what goes on ``is_older`` below."""
        rows = {"conversations": conversations, "current": current, "is_older": is_older}
        return self._filled("history.html", **rows)

    def report(self, report: StartupReport, engines: Sequence[str] = (SEARXNG.id,)) -> str:
        """Return how ``engines`` are, of which ``report`` tells."""
        named = ", ".join(map(self.say.engine, engines))
        return self._filled("report.html", report=report, engines=named, guide=guide_address)

    def page(self, turns: str, **values: Any) -> str:
        """Return a whole page with ``turns``; see the template for the other values."""
        marked = Markup(turns)  # noqa: S704 - our own templates
        fixed = {"stylesheets": STYLESHEETS, "is_older": False}
        return self._filled("page.html", turns=marked, **fixed, **values)

    def guide(self, theme: str) -> str:
        """Return the guide to a SearXNG of one's own."""
        text = guide(self.words.lang)
        return self._filled("guide.html", text=text, stylesheets=STYLESHEETS, theme=theme)

    def not_found(self, theme: str) -> str:
        """Return the page for an address that leads nowhere."""
        return self._filled("not_found.html", stylesheets=STYLESHEETS, theme=theme)

    def _filled(self, template: str, **values: Any) -> str:
        return _environment().get_template(template).render(self._globals, **values).strip()


def guide_address(docs: str) -> str:
    """Return where the page has the guide that a finding names: ``docs/searxng.md#json``."""
    _, mark, anchor = docs.partition("#")
    return f"/guide{mark}{anchor}"


def script_json(value: Any) -> Markup:
    """Return JSON that may stand inside a ``script`` element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.translate(_IN_SCRIPT))  # noqa: S704 - nothing in it is markup any more


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["script_json"] = script_json
    return environment
