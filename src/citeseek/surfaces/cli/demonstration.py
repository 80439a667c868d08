"""What ``citeseek serve --demo`` does unless set otherwise: it finds examples, keeps nothing."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.engines.stub import ENGINE as STUB
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import AssistantSection
from citeseek.settings.face_settings import AgentSection, ChatSection, OpenSection
from citeseek.settings.process_settings import DatabaseSection
from citeseek.settings.setting import OPTIONS, Origin, Setting
from citeseek.settings.sources import overlaid
from citeseek.settings.web_settings import EngineSection


def with_examples(settings: Settings) -> Settings:
    """Return ``settings`` that search with the built-in examples.

    Settings that name the engine of the chat or a SearXNG come back as they are, and so does
    each other engine that they name.
    """
    sources = settings.sources
    if settings.was_given(ChatSection.engine) or sources.was_given(
        EngineSection.base_url, SEARXNG.id
    ):
        return settings
    replaced: list[Setting[str]] = [ChatSection.engine]
    if not settings.was_given(AgentSection.engine):
        replaced.append(AgentSection.engine)
    if not (settings.was_given(OpenSection.engine) or settings.was_given(OpenSection.engines)):
        replaced.append(OpenSection.engine)
    config, given = sources.config, dict(sources.given)
    for setting in replaced:
        (path,) = setting.config
        value: Any = STUB.id
        for name in reversed(path.split(".")):
            value = {name: value}
        config = overlaid(config, value)
        given[path] = Origin(OPTIONS, "--demo")
    return structs.replace(settings, sources=structs.replace(sources, config=config, given=given))


def is_store_named(settings: Settings) -> bool:
    """Whether anybody wrote down where conversations are kept."""
    return any(map(settings.was_given, (AssistantSection.sessions, DatabaseSection.url)))
