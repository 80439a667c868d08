"""One question, one search, one cited answer; when the search fails, an answer that says so."""

from __future__ import annotations

from typing import Any, Unpack

import msgspec

from citeseek.assistant.extractive import Extract, Phrases, extract, phrases_for
from citeseek.citations import CitationRegistry, Source, convert, escaped, references
from citeseek.client import Client, SearchFields
from citeseek.errors import SearchFailed
from citeseek.models import Failure, SearchResponse
from citeseek.urls import same_page_key

# Most questions are answered by the first results; more would only be listed.
DEFAULT_COUNT = 5


class Answer(msgspec.Struct, frozen=True):
    """An answer and what it stands on.

    ``sources`` are all results of the search with their numbers, ``extracts`` the sentences of the
    answer, each with the number of its source. ``failure`` is set when the search failed.
    """

    question: str
    sources: tuple[Source, ...]
    extracts: tuple[Extract, ...]
    phrases: Phrases
    response: SearchResponse | None = None
    failure: SearchFailed | None = None

    @property
    def notice(self) -> str:
        """What a reader must know before the answer; empty when all went well."""
        return f"搜索失败 (search failed): {self.failure}" if self.failure else ""

    @property
    def text(self) -> str:
        """The answer with [n], without its references."""
        lines = [f"- {extract.text} [{extract.number}]" for extract in self.extracts]
        return "\n".join((self._lead, *lines, *self._label))

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources that the answer cites, in the order of their numbers."""
        numbers = {extract.number for extract in self.extracts}
        return tuple(source for source in self.sources if source.number in numbers)

    @property
    def markdown(self) -> str:
        """The answer as Markdown: [n] are links, and the references stand at its end."""
        lines = [f"- {escaped(extract.text)} [{extract.number}]" for extract in self.extracts]
        parts = [self._lead, "\n".join(lines), *self._label]
        if self.notice:
            parts.insert(0, f"> {escaped(self.notice)}")
        text = "\n\n".join(part for part in parts if part)
        registry = CitationRegistry.of(self.sources)
        return convert(text, registry) + references(text, registry)

    def as_json(self) -> dict[str, Any]:
        """Return the answer for programs."""
        shown = ("number", "title", "url", "domain", "snippet")
        cited = {source.number for source in self.cited}
        return {
            "question": self.question,
            "answer": self.text,
            "markdown": self.markdown,
            "model": "extractive",
            "sources": [
                {name: getattr(source, name) for name in shown} | {"cited": source.number in cited}
                for source in self.sources
            ],
            "provider": self.response.provider if self.response else None,
            "error": msgspec.to_builtins(Failure.of(self.failure)) if self.failure else None,
        }

    @property
    def _label(self) -> tuple[str, ...]:
        """Say what kind of answer this is, where the lead does not."""
        return (self.phrases.label,) if self.sources else ()

    @property
    def _lead(self) -> str:
        if self.failure:
            return self.phrases.search_failed
        if not self.sources:
            return self.phrases.nothing_found
        return self.phrases.lead if self.extracts else self.phrases.no_answer


async def ask(client: Client, question: str, **asked: Unpack[SearchFields]) -> Answer:
    """Search for ``question`` and answer it from the results.

    ``asked`` is what :meth:`Client.search` takes. A failed search gives an answer that says so.
    Raise InvalidInput for what cannot be asked.
    """
    asked.setdefault("count", DEFAULT_COUNT)
    phrases = phrases_for(question)
    try:
        response = await client.search(question, **asked)
    except SearchFailed as failure:
        return Answer(question, (), (), phrases, failure=failure)
    registry = CitationRegistry(same_page_key=same_page_key)
    sources = registry.add(response.items)
    return Answer(question, sources, tuple(extract(question, sources)), phrases, response)
