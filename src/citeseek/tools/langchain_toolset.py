"""The tools of one conversation as LangChain tools."""

from __future__ import annotations

from citeseek.tools.langchain import WebSearchTool
from citeseek.tools.langchain_fetch import WebFetchTool
from citeseek.tools.langchain_tool import TextTool
from citeseek.tools.toolset import Toolset


def langchain_tools(toolset: Toolset) -> list[TextTool]:
    """Return ``web_search`` and ``web_fetch``, whose results have the numbers of ``toolset``."""
    return [WebSearchTool(toolset.search), WebFetchTool(toolset.fetch)]
