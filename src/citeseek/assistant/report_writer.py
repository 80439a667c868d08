"""A language model at the desk of a report: it plans queries and writes the summary."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import date
from typing import Any

from citeseek.assistant.citation_judge import judge_of
from citeseek.assistant.prompts import before_question
from citeseek.citations.own_list import without_own_list
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.language_model.model import Model, load_model
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.language_model.streaming.answer import complete
from citeseek.language_model.streaming.python_calls import python_value
from citeseek.research import Evidence, ReportSource
from citeseek.settings import Settings
from citeseek.text import plain_line
from citeseek.tools.fence import new_id, put_in_fence, rule
from citeseek.verification import Judge

MAX_QUERY_CHARS = 200
# A model that goes on for longer is not listened to any further. It may think aloud first, which
# only the end of that tells.
MAX_PLAN_CHARS = 20_000
MAX_SUMMARY_CHARS = 40_000
_MARKER = re.compile(
    r"^\s*(?:[-–—+•·>|①-⑳]|\*(?!\*)|(?:\*\*)?(?:\d+[.．)、](?!\d)|[(（\[]\d{1,2}[)）\]]|[a-e]\)))\s*"
)
_LABEL = re.compile(
    r"^[\s*]*(?:(?:search\s+)?(?:query|queries)|q|第.{1,3}个查询|查询|搜索(?:查询|词)?|关键[词字]|检索词)"
    r"\s*\d*\s*[:：]",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^\s*```\w*\s*$\n?(.*?)^\s*```\s*$", re.DOTALL | re.MULTILINE)
_AROUND = " *`'\"“”‘’「」,|"
_AROUND_LINE = _AROUND.replace('"', "").replace("'", "")
_BEGIN = re.compile(r"[\s,]*+(?=[\[{])")
# A query as the argument of a call, or in a tag of its own.
_WRAPPED = re.compile(r"""\w+\(\s*(["'])(?P<called>.*)\1\s*\)|<(\w+)>(?P<tagged>.*)</\3>""")
_NONE = re.compile(
    r"^\W*(无|なし|没有|不需要|无需(再?搜索)?|n/?a|null|none|nothing|(search\s+)?queries|查询"
    r"|no\s+(more\s+|further\s+|additional\s+)?(queries|query|search(es)?)(\s+(are|is))?"
    r"(\s+(needed|required|necessary))?)\W*$",
    re.IGNORECASE,
)


def _words_of(question: str) -> Catalogue:
    return catalogue(language_of(question))


class ReportWriter:
    """Writes with ``model``; ``today`` is told to it, and ``judge`` judges its citations."""

    def __init__(self, model: Model, today: date, judge: Judge | None = None) -> None:
        self.judge = judge
        self._model = model
        self._today = today
        self._fence = new_id()

    @property
    def name(self) -> str:
        """The model's name, to show to people."""
        return self._model.name

    async def plan(self, question: str, limit: int) -> list[str]:
        """Return at most ``limit`` queries beside ``question``; raise ModelFailed."""
        instructions = _words_of(question)("prompt.plan", today=self._today, limit=limit)
        return _queries(await self._complete(instructions, question), limit)

    async def follow_up(
        self, question: str, evidence: Sequence[Evidence], asked: Sequence[str], limit: int
    ) -> list[str]:
        """Return at most ``limit`` queries for what is still open; raise ModelFailed."""
        say = _words_of(question)
        instructions = say("prompt.follow_up", today=self._today, limit=limit, rule=rule(say))
        quotes = "\n".join(f"[{quote.source_index}] {quote.quote}" for quote in evidence)
        found = put_in_fence(quotes, self._fence)
        searched = "\n".join(f"- {query}" for query in asked)
        told = f"{found}\n\n{say('prompt.searched')}\n{searched}"
        asked_again = before_question(told, question, say)
        return _queries(await self._complete(instructions, asked_again), limit)

    async def write(
        self, question: str, sources: Sequence[ReportSource], evidence: Sequence[Evidence]
    ) -> str:
        """Return the summary in Markdown; raise ModelFailed."""
        titles = {source.number: plain_line(source.title) for source in sources}
        quotes = "\n\n".join(
            f"[{quote.source_index}] {titles[quote.source_index]}\n{quote.quote}"
            for quote in evidence
        )
        say = _words_of(question)
        instructions = say("prompt.write", today=self._today, rule=rule(say))
        asked = before_question(put_in_fence(quotes, self._fence), question, say)
        said = await self._complete(instructions, asked, MAX_SUMMARY_CHARS)
        return without_own_list(said, titles.__contains__)

    async def close(self) -> None:
        """Close the model's connections."""
        await self._model.close()

    async def _complete(self, system: str, human: str, most: int = MAX_PLAN_CHARS) -> str:
        from langchain_core.messages import (  # noqa: PLC0415 - only with a model
            HumanMessage,
            SystemMessage,
        )

        return await complete(self._model, [SystemMessage(system), HumanMessage(human)], most)


def writer_of(settings: Settings, name: str | None = None) -> ReportWriter | None:
    """Return the writer with the model ``name``, by default that of ``settings``.

    None for the built-in model, which only quotes, as a report does without a writer. Raise
    ModelFailed when the model cannot be made.
    """
    if (name or settings.model.name).strip() == EXTRACTIVE:
        return None
    model = load_model(settings, name)
    judge = judge_of(settings, model.name, lambda: nullcontext(model))
    return ReportWriter(model, date.today(), judge)  # noqa: DTZ011 - the user's day


def _queries(said: str, limit: int) -> list[str]:
    """Return the queries that a model wrote, in whatever form it did."""
    body = _FENCED.sub(r"\1", said).strip()
    listed = _in_json(body)
    if listed is None:
        lines = [line for line in body.splitlines() if line.strip()]
        # Beside lines of a list, others are words about it.
        marked = [line for line in lines if _MARKER.match(line) or _LABEL.match(line)]
        listed = marked or [line for line in lines if not line.rstrip().endswith((":", "："))]
    queries = map(_bare, listed)
    return [
        query
        for query in queries
        if query and not _NONE.match(query) and len(query) <= MAX_QUERY_CHARS
    ][:limit]


def _in_json(body: str) -> list[str] | None:
    """Return the queries of a list, or of an object with one, None for what is neither."""
    begin = min((at for sign in "[{" if (at := body.find(sign)) >= 0), default=len(body))
    found = list(_values(body[begin:]))
    if not found:
        return None
    while len(found) == 1 and isinstance(found[0], list | dict):
        (only,) = found
        found = only if isinstance(only, list) else _list_queries(only)
    texts = [text for each in found if isinstance(text := _text_of(each), str)]
    return texts if texts or not found else None


def _list_queries(value: dict[str, Any]) -> list[Any]:
    values = list(value.values())
    return next((each for each in values if isinstance(each, list)), values)


def _text_of(query: Any) -> Any:
    if isinstance(query, dict):
        return query.get("query", next(iter(query.values()), None))
    return query[0] if isinstance(query, list) and len(query) == 1 else query


def _values(text: str) -> Iterator[Any]:
    """Yield the values that follow each other in ``text``, as JSON or else as Python."""
    at = 0
    while begun := _BEGIN.match(text, at):
        try:
            value, at = json.JSONDecoder().raw_decode(text, begun.end())
        except (ValueError, RecursionError):
            value, at = python_value(text[begun.end() :].strip()), len(text)
        if value is not None:
            yield value


def _bare(line: str) -> str:
    """Return a line without its marker, its label, emphasis and quotes."""
    text = plain_line(_LABEL.sub("", _MARKER.sub("", line), count=1)).strip(_AROUND_LINE)
    if wrapped := _WRAPPED.fullmatch(text):
        text = wrapped["called"] or wrapped["tagged"] or ""
    return text.strip(_AROUND)
