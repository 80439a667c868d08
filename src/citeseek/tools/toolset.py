"""The tools of one conversation, called by name with the arguments that a model wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Unpack

import msgspec

from citeseek.citations import CitationRegistry, Source
from citeseek.concurrency import portal
from citeseek.errors import CiteseekError, InvalidInput, ToolNotFound
from citeseek.faces import AGENT, OPEN
from citeseek.i18n import Catalogue, catalogue
from citeseek.searching.planning import SearchFields
from citeseek.tools import schemas, search_formats
from citeseek.tools.tool_definitions import FILTERED_WEB_SEARCH, WEB_FETCH, Language, translate
from citeseek.tools.tool_language import tool_language
from citeseek.tools.web_fetch import FetchCall, FetchService, WebFetch
from citeseek.tools.web_search import Call, SearchService, WebSearch

# The settings of the library, and a number of results that forgives what a model asks for.
FACE = msgspec.structs.replace(OPEN, counts=AGENT.counts)


class WebService(SearchService, FetchService, Protocol):
    """What the tools need of a :class:`~citeseek.client.Client`."""


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a call.

    ``text`` is for the model, ``artifact`` the same as JSON for programs, None for a failure.
    ``sources`` are the results or the page in it, with the numbers that the model sees. ``error``
    is set for a failure, of which ``text`` tells the model.
    """

    text: str
    artifact: dict[str, Any] | None = None
    sources: tuple[Source, ...] = ()
    error: CiteseekError | None = None


class Toolset:
    """``web_search`` and ``web_fetch`` for a loop of one's own over the API of a model.

    ``service`` does the work, ``asked`` are choices for its searches (engine, language, …).
    ``registry`` numbers results and pages through the whole conversation, by default from 1.
    With ``named_in``, the texts that the user wrote, a page is opened only if its address stands
    there, in a result or in a page that was read: so no page can make the model carry out what it
    knows in an address. A page is given in at most ``page_tokens`` tokens (an estimate). ``lang``
    is the language in which a model is told of the tools and of what they give, by default that of
    :func:`~citeseek.tools.tool_language.tool_language`.
    """

    def __init__(
        self,
        service: WebService,
        *,
        registry: CitationRegistry | None = None,
        named_in: Iterable[str] | None = None,
        page_tokens: int | None = None,
        lang: Language | None = None,
        **asked: Unpack[SearchFields],
    ) -> None:
        told_in = lang or tool_language(getattr(service, "settings", None))
        self._say = catalogue(told_in)
        fields: SearchFields = {"face": FACE, **asked}
        self.search = WebSearch(
            service,
            translate(told_in, FILTERED_WEB_SEARCH),
            registry=registry,
            lang=told_in,
            max_results=AGENT.counts.high,
            **fields,
        )
        self.registry = self.search.registry
        self.fetch = WebFetch(
            service,
            translate(told_in, WEB_FETCH),
            registry=self.registry,
            lang=told_in,
            named_in=named_in,
            page_tokens=page_tokens,
        )

    def schemas(self, form: str) -> list[dict[str, Any]]:
        """Return what a model is told of the tools: ``openai``, ``responses`` or ``anthropic``.

        Raise InvalidInput for any other form.
        """
        if form == "contract":
            raise InvalidInput("The tools of the contract are answered by its providers.")
        return schemas.write_tools(form, (self.search.definition, self.fetch.definition))

    async def answer(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolAnswer:
        """Do what the tool ``name`` does; ``arguments`` are an object, or JSON of one.

        Every failure but cancellation becomes text that the model can go on with.
        """
        try:
            tool, given = self._tool(name), _object(arguments)
        except CiteseekError as error:
            return _refusal(error, self._say)
        return _answer(await tool.run(given))

    def answer_sync(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolAnswer:
        """Do the same for a caller that is not asynchronous."""
        return portal.call(self.answer(name, arguments))

    def _tool(self, name: str) -> WebSearch | WebFetch:
        if name == FILTERED_WEB_SEARCH.name:
            return self.search
        if name == WEB_FETCH.name:
            return self.fetch
        known = ", ".join(tool.name for tool in schemas.FOR_MODELS)
        raise ToolNotFound(f"There is no tool {name!r:.60}.", hint=f"Known: {known}.")


def _object(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    """Return the arguments of a call; raise InvalidInput for what is no object."""
    if isinstance(arguments, str):
        try:
            # A model that gives no arguments may write nothing at all.
            arguments = msgspec.json.decode(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            reason = error if isinstance(error, msgspec.DecodeError) else "it cannot be read"
            raise InvalidInput(f"The arguments are no JSON: {reason}.") from None
    if arguments is not None and not isinstance(arguments, Mapping):
        raise InvalidInput(f"The arguments must be an object, not {type(arguments).__name__}.")
    return arguments or {}


def _answer(done: Call | FetchCall) -> ToolAnswer:
    found = done.sources if isinstance(done, Call) else (done.source,)
    sources = tuple(source for source in found if source)
    return ToolAnswer(text=done.text, artifact=done.artifact, sources=sources, error=done.error)


def _refusal(error: CiteseekError, say: Catalogue) -> ToolAnswer:
    return ToolAnswer(text=search_formats.failure_text(error, say), error=error)
