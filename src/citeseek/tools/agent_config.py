"""What agents.json and config.json say of one agent, with every choice made."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from citeseek.engine import AnyEngine
from citeseek.faces import AGENT
from citeseek.registry import Registry
from citeseek.settings import Settings
from citeseek.tools.options import WebSearchOptions, resolved


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One agent's configuration, with every choice made."""

    agent_id: str
    web_search: WebSearchOptions


def load_agent_config(
    agent_id: str, *, settings: Settings | None = None, engines: Iterable[AnyEngine] = ()
) -> AgentConfig:
    """Return the configuration of the agent ``agent_id``; one that nobody wrote down is disabled.

    Only a plain ``true`` enables. For a disabled agent nothing further is resolved. ``settings``
    default to the files and the environment, ``engines`` are known beside the built-in and the
    installed ones. Raise InvalidInput for a file that cannot be read.
    """
    settings = Settings.load() if settings is None else settings
    agent = settings.agent(agent_id, AGENT)
    if not agent.enabled:
        search = WebSearchOptions(enabled=False)
    else:
        search = resolved(agent.search, settings, Registry(engines))
    return AgentConfig(agent_id=agent_id, web_search=search)
