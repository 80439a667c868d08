"""The tools that a model has for one answer of a session: search, and reading of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.choices import search_fields
from citeseek.assistant.file_reading import FilesAndWeb
from citeseek.assistant.session import OpenSession
from citeseek.client import Client
from citeseek.conversations.conversation_record import Choices
from citeseek.faces import AGENT, CHAT
from citeseek.tools.configured_search import create_web_search_tool
from citeseek.tools.search_options import limit_count
from citeseek.tools.tool_definitions import (
    CONFIGURED_WEB_SEARCH,
    WEB_FETCH,
    WEB_SEARCH,
    Language,
    translate,
)
from citeseek.tools.web_search import WHOLE_SUMMARY, WebSearch

if TYPE_CHECKING:
    from citeseek.assistant.agent_run import Listener
    from citeseek.tools.langchain import WebFetchTool, WebSearchTool

# What the options of a search decide, whatever a person chose for the conversation.
_OF_OPTIONS = frozenset({"face", "engines"})


def search_tool_of(
    session: OpenSession, client: Client, listener: Listener, choices: Choices, draft: Draft
) -> WebSearchTool:
    """Return the tool that searches for ``draft``, with numbers and cache of ``session``.

    The model is told of it in the language of the draft, as of the other one.
    """
    from citeseek.tools.langchain import WebSearchTool  # noqa: PLC0415 - with LangChain

    record, settings = session.record, client.settings
    lang = cast("Language", draft.say.lang)
    asked = search_fields(choices, settings.chat.language)
    if session.is_retry(draft.message, draft.versions):
        asked["retry"] = True
    if (options := session.web_search) is not None:
        tool = create_web_search_tool(
            options,
            client=client,
            registry=session.registry,
            call_tokens=settings.assistant.call_tokens,
            cited=session.cited,
            listener=listener,
            lang=lang,
            **{name: asked[name] for name in asked.keys() - _OF_OPTIONS},  # type: ignore[literal-required]
        )
        assert tool is not None  # noqa: S101 - asked for where it is enabled
        return tool
    configured = record.agent_id is not None
    if configured:
        most = settings.face(AGENT, agent_id=record.agent_id).count.value
        asked |= {"face": limit_count(AGENT, most), "agent_id": record.agent_id}
    return WebSearchTool(
        WebSearch(
            client,
            translate(lang, CONFIGURED_WEB_SEARCH if configured else WEB_SEARCH),
            registry=session.registry,
            cache=None if configured else session.cache,
            max_results=AGENT.counts.high if configured else CHAT.counts.high,
            summary_chars=WHOLE_SUMMARY if configured else settings.chat.summary_chars,
            call_tokens=settings.assistant.call_tokens,
            cited=session.cited,
            listener=listener,
            lang=lang,
            **asked,
        )
    )


def read_tool_of(
    session: OpenSession, client: Client, listener: Listener, draft: Draft
) -> WebFetchTool:
    """Return the tool that reads pages which the message of ``draft``, or a result, has named."""
    from citeseek.tools.langchain import web_fetch_tool  # noqa: PLC0415 - with LangChain

    lang = cast("Language", draft.say.lang)

    return web_fetch_tool(
        FilesAndWeb(client, session.record.files),
        definition=translate(lang, WEB_FETCH),
        lang=lang,
        registry=session.registry,
        page_tokens=client.settings.assistant.call_tokens,
        named_in=[*(turn.message for turn in session.record.turns), draft.message],
        listener=listener,
    )
