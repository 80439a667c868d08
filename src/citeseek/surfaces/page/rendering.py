"""HTML of the page and of its parts, in one language. Everything but Markdown is escaped here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args
from zlib import crc32

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from citeseek.citations import Source, link_target
from citeseek.conversations.conversation_record import SessionFound, SessionSummary
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.health.startup import StartupReport
from citeseek.i18n import Catalogue
from citeseek.searching.engine_choice import LAST_RESORT
from citeseek.surfaces.page.markdown import Labels
from citeseek.surfaces.page.source_list import list_sources
from citeseek.surfaces.page.views import TurnView
from citeseek.surfaces.page.wording import Wording
from citeseek.surfaces.web.cursors import cursor_of
from citeseek.text import is_visible

Part: TypeAlias = Literal[
    "progress",
    "searches",
    "sources",
    "asides",
    "thinking",
    "notices",
    "answer",
    "ending",
    "judged",
    "references",
    "actions",
    "follow_ups",
    "checked",
]

PARTS: tuple[Part, ...] = get_args(Part)

# The small web of the demonstration knows each of them as well.
EXAMPLES = ("empty.example_1", "empty.example_2", "empty.example_3", "empty.example_4")

# So that nothing in it ends the element around it or begins a comment.
_IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
HEADING_CHARS = 140
HEADING_LINES = 3
LONGEST_CHARS = 1_200
HUES = 6
# A host as a number: 127.0.0.1, [::1].
_NUMBERS = re.compile(r"[\d.]+|\[.*\]")
"""How many colours of sites sources.css has."""

_GUIDES = {"zh": "searxng.zh.md", "en": "searxng.md"}
_USUAL_GUIDE = "en"


class Rendering:
    """Renders in the language of ``words``; ``labels`` are the engines' names by their ids.

    ``picture`` gives the address at which this server shows a picture of others; without it none
    is shown. ``alternatives`` are the engines that are offered where another one fails.
    """

    def __init__(
        self,
        words: Catalogue,
        labels: dict[str, str],
        picture: Callable[[str], str] | None = None,
        alternatives: Sequence[str] = (LAST_RESORT,),
    ) -> None:
        self.words = words
        self.say = Wording(words, labels, alternatives)
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
            "hue": hue,
            "site_of": site_of,
            "question_length": question_length,
            "picture": picture or _no_picture,
            "cursor_of": cursor_of,
        }

    def part(self, name: Part, view: TurnView, session_id: str) -> str:
        """Return the inside of one part of a turn other than its answer."""
        return self.fill(
            f"{name}.html",
            view=view,
            session_id=session_id,
            listing=list_sources(view) if name == "references" else None,
        )

    def turn(self, view: TurnView, parts: Mapping[Part, str]) -> str:
        """Return the whole article of a turn, made of its parts."""
        marked = [(name, Markup(parts[name])) for name in PARTS]  # noqa: S704 - our own templates
        return self.fill("turn.html", view=view, parts=marked)

    def history(
        self,
        conversations: Sequence[SessionSummary],
        current: str,
        *,
        found: Mapping[str, SessionFound] = MappingProxyType({}),
        is_older: bool = False,
    ) -> str:
        """Return the rows of the list of conversations, or of what goes on ``is_older`` below.

        ``found`` says by their ids where they mention what was searched for.
        """
        return self.fill(
            "history.html",
            conversations=conversations,
            current=current,
            found=found,
            is_older=is_older,
        )

    def report(
        self,
        report: StartupReport,
        engines: Sequence[str] = (SEARXNG.id,),
        others: Sequence[str] = (),
    ) -> str:
        """Return how ``engines`` are, of which ``report`` tells, and ``others`` to ask instead."""
        return self.fill(
            "report.html",
            report=report,
            engines=self.say.engines(engines),
            guide=guide_address,
            others=others,
        )

    def page(self, turns: str, **values: Any) -> str:
        """Return a whole page with ``turns``; see the template for the other values."""
        marked = Markup(turns)  # noqa: S704 - our own templates
        fixed = {"is_older": False, "found": {}, "examples": EXAMPLES}
        return self.fill("page.html", turns=marked, **fixed, **values)

    def guide(self, theme: str) -> str:
        """Return the guide to a SearXNG of one's own."""
        text = guide(self.words.lang)
        return self.fill("guide.html", text=text, theme=theme)

    def not_found(self, theme: str) -> str:
        """Return the page for an address that leads nowhere."""
        return self.fill("not_found.html", theme=theme)

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


def linkable(url: str) -> str:
    """Return an address that may be a link, empty for one that is none of the web."""
    return url if link_target(url) else ""


def site_of(source: Source) -> str:
    """Return what stands for the site of a source: its host; its name where that tells nothing.

    A host that is a number is the same for all pages of a machine, and nobody's name.
    """
    is_told = is_visible(source.domain) and not _NUMBERS.fullmatch(source.domain)
    return source.domain if is_told else source.name


def hue(domain: str) -> int:
    """Return which of the six colours stands for a site, from 0 on: always the same one."""
    return crc32(domain.encode("utf-8", "replace")) % HUES


def question_length(question: str) -> str:
    """Return how a question is set: a ``short`` one is a heading, the ``longest`` scrolls."""
    if len(question) > LONGEST_CHARS:
        return "longest"
    is_long = len(question) > HEADING_CHARS or question.count("\n") >= HEADING_LINES
    return "long" if is_long else "short"
