"""HTML of the page and of its parts, in one language. Everything but Markdown is escaped here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from citeseek.catalogue import Catalogue
from citeseek.citations import Source, link_target
from citeseek.conversations.conversation_record import SessionSummary
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.health.startup import StartupReport
from citeseek.surfaces.page.markdown import Labels
from citeseek.surfaces.page.views import TurnView
from citeseek.surfaces.page.wording import Wording
from citeseek.surfaces.web.cursors import cursor_of

Part: TypeAlias = Literal[
    "progress",
    "thinking",
    "searches",
    "notices",
    "answer",
    "judged",
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
    "bar.css",
    "composer.css",
    "conversation.css",
    "searches.css",
    "answers.css",
    "code.css",
    "sources.css",
    "egress.css",
    "panels.css",
    "reports.css",
    "print.css",
)

# So that nothing in it ends the element around it or begins a comment.
_IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_GUIDES = {"zh": "searxng.zh.md", "en": "searxng.md"}
_USUAL_GUIDE = "en"


class Rendering:
    """Renders in the language of ``words``; ``labels`` are the engines' names by their ids.

    ``picture`` gives the address at which this server shows a picture of others; without it none
    is shown.
    """

    def __init__(
        self,
        words: Catalogue,
        labels: dict[str, str],
        picture: Callable[[str], str] | None = None,
    ) -> None:
        self.words = words
        self.say = Wording(words, labels)
        self.labels = Labels(
            table=words("answer.table"),
            found=words("source.found"),
            done=words("answer.task_done"),
            to_do=words("answer.task_to_do"),
        )
        self._globals = {
            "t": words,
            "say": self.say,
            "linkable": linkable,
            "picture": picture or _no_picture,
            "cursor_of": cursor_of,
        }

    def part(self, name: Part, view: TurnView, session_id: str) -> str:
        """Return the inside of one part of a turn other than its answer."""
        return self.fill(
            f"{name}.html",
            view=view,
            session_id=session_id,
            references=references(view),
            sources=sources(view),
        )

    def turn(self, view: TurnView, parts: Mapping[Part, str]) -> str:
        """Return the whole article of a turn, made of its parts."""
        marked = [(name, Markup(parts[name])) for name in PARTS]  # noqa: S704 - our own templates
        return self.fill("turn.html", view=view, parts=marked)

    def history(
        self, conversations: Sequence[SessionSummary], current: str, *, is_older: bool = False
    ) -> str:
        """Return the rows of the list of conversations, or of what goes on ``is_older`` below."""
        rows = {"conversations": conversations, "current": current, "is_older": is_older}
        return self.fill("history.html", **rows)

    def report(self, report: StartupReport, engines: Sequence[str] = (SEARXNG.id,)) -> str:
        """Return how ``engines`` are, of which ``report`` tells."""
        named = ", ".join(map(self.say.engine, engines))
        return self.fill("report.html", report=report, engines=named, guide=guide_address)

    def page(self, turns: str, **values: Any) -> str:
        """Return a whole page with ``turns``; see the template for the other values."""
        marked = Markup(turns)  # noqa: S704 - our own templates
        fixed = {"stylesheets": STYLESHEETS, "is_older": False}
        return self.fill("page.html", turns=marked, **fixed, **values)

    def guide(self, theme: str) -> str:
        """Return the guide to a SearXNG of one's own."""
        text = guide(self.words.lang)
        return self.fill("guide.html", text=text, stylesheets=STYLESHEETS, theme=theme)

    def not_found(self, theme: str) -> str:
        """Return the page for an address that leads nowhere."""
        return self.fill("not_found.html", stylesheets=STYLESHEETS, theme=theme)

    def fill(self, template: str, **values: Any) -> str:
        """Return a template with ``values``, which it has to have all."""
        return _environment().get_template(template).render(self._globals, **values).strip()


def _no_picture(_: str) -> str:
    return ""


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


@cache
def guide(lang: str) -> Markup:
    """Return the guide as HTML. It is our own text: its anchors are HTML and stay."""
    folder = resources.files("citeseek.searxng_host") / "guide"
    text = (folder / _GUIDES.get(lang, _GUIDES[_USUAL_GUIDE])).read_text(encoding="utf-8")
    for other, name in _GUIDES.items():
        text = text.replace(f"]({name})", f"](/guide?lang={other})")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    # What is wide scrolls by itself, also by keyboard.
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<th></th>", "<td></td>")  # the corner of a table heads nothing
    html = html.replace("<table>", '<div class="table" tabindex="0"><table>')
    return Markup(html.replace("</table>", "</table></div>"))  # noqa: S704 - our own text


class Row(msgspec.Struct, frozen=True):
    """A source in a list, and whether the answer cites it."""

    source: Source
    is_cited: bool


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The sources that one search brought first.

    ``place`` is the search's 1-based place among those of the answer; 0 stands for what earlier
    answers had found, and for Chat mode, where all sources are one group. ``found`` says whether
    the search found anything, be it listed before.
    """

    place: int = 0
    query: str = ""
    rows: tuple[Row, ...] = ()
    found: bool = True
    is_read: bool = False


def references(view: TurnView) -> tuple[Group, ...]:
    """Return the list 参考文献, empty while the answer is made and when it cites nothing.

    In Chat mode it lists what is cited. In Agent mode it lists everything that the searches of the
    answer found, and what it cites of earlier ones.
    """
    if not view.is_over or not view.cited:
        return ()
    if view.mode == "agent":
        return _by_round(view, set(view.cited))
    rows = _rows(view, set(view.cited))
    return (Group(rows=rows),) if rows else ()


def sources(view: TurnView) -> tuple[Group, ...]:
    """Return all sources of an answer that is over, by round in Agent mode."""
    if not view.is_over or not view.sources:
        return ()
    numbers = {source.number for source in view.sources}
    if view.mode == "agent":
        return tuple(group for group in _by_round(view, numbers) if group.rows)
    return (Group(rows=_rows(view, numbers)),)


def linkable(url: str) -> str:
    """Return an address that may be a link, empty for one that is none of the web."""
    return url if link_target(url) else ""


def _by_round(view: TurnView, others: set[int]) -> tuple[Group, ...]:
    """Return a group for each round, and further ones for those of ``others`` that none found.

    Pages that were read for this answer stand before the sources of earlier ones.
    """
    groups = []
    listed: set[int] = set()
    for place, search in enumerate(view.rounds, 1):
        rows = _rows(view, set(search.numbers) - listed)
        listed |= set(search.numbers)
        groups.append(Group(place=place, query=search.query, rows=rows, found=bool(search.numbers)))
    read = {each.source.number for each in view.reads if each.source}
    opened, earlier = others & read - listed, others - read - listed
    if opened:
        groups.append(Group(rows=_rows(view, opened), is_read=True))
    if earlier:
        groups.append(Group(rows=_rows(view, earlier)))
    return tuple(groups)


def _rows(view: TurnView, numbers: set[int]) -> tuple[Row, ...]:
    return tuple(
        Row(source, source.number in view.cited)
        for source in view.sources
        if source.number in numbers
    )
