"""What the settings of the chat offer, and what is chosen there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import msgspec

from citeseek.conversations.conversation_record import Choices
from citeseek.engine import AnyEngine, Engine
from citeseek.engines.stub import ENGINE as STUB
from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, AUTO, CHAT
from citeseek.i18n import Catalogue, catalogue, languages
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.query import CATEGORIES, PERIODS
from citeseek.searching.engine_choice import engine_name, groups
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.searching.planning import MAX_SECONDS, MIN_SECONDS
from citeseek.settings import Settings
from citeseek.surfaces import overview
from citeseek.surfaces.server.rules import is_loopback

THEMES = ("auto", "light", "dark")
# Languages by their own names.
_LANGUAGES = {
    "zh-CN": "简体中文",
    "zh-TW": "繁體中文",
    "en": "English",
    "ja": "日本語",
    "ko": "한국어",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "pt": "Português",
    "ru": "Русский",
}


class Option(msgspec.Struct, frozen=True):
    """One of several things to choose. An empty ``value`` leaves it to the settings."""

    value: str
    label: str
    is_chosen: bool = False
    is_disabled: bool = False


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """The controls of the panel, as they stand."""

    results: list[Option]
    seconds: str
    min_seconds: str
    max_seconds: str
    default_seconds: str
    languages: list[Option]
    engines: list[Option]
    freshness: list[Option]
    categories: list[Option]
    default_model: str
    model_label: str
    themes: list[Option]
    ui_languages: list[Option]


def labels(registry: Registry, settings: Settings) -> dict[str, str]:
    """Return what to call each engine, by its id and its other names."""
    rows = overview.engines(registry, settings)
    return {name: row["label"] for row in rows for name in (row["id"], *row.get("aliases", ()))}


def panel(
    choices: Choices,
    registry: Registry,
    settings: Settings,
    words: Catalogue,
    theme: str,
    *,
    demo: bool = False,
) -> Panel:
    """Return the panel of a conversation in which ``choices`` were made.

    The engine that makes up its results is offered in a ``demo`` alone, and where it is set.
    """
    face = settings.face(CHAT)
    counts = [str(count) for count in range(CHAT.counts.low, CHAT.counts.high + 1)]
    default = words("settings.default", value=CHAT.counts.apply(face.count.value, CHAT.count))
    return Panel(
        results=_options([("", default), *zip(counts, counts, strict=True)], choices.results),
        seconds="" if choices.seconds is None else f"{choices.seconds:g}",
        min_seconds=f"{MIN_SECONDS:g}",
        max_seconds=f"{MAX_SECONDS:g}",
        default_seconds=f"{face.seconds.value:g}",
        languages=_languages(choices, settings, words),
        engines=_engines(choices, registry, settings, words, demo=demo),
        freshness=_options(
            [("", words("picks.any_time")), *((each, words(f"picks.{each}")) for each in PERIODS)],
            choices.freshness,
        ),
        categories=_options(
            [
                ("", words("picks.web")),
                *((each, words(f"picks.{each}")) for each in CATEGORIES if each != "web"),
            ],
            choices.category,
        ),
        default_model=settings.model.name,
        model_label=_shortened(choices.model or settings.model.name, words),
        themes=_options([(each, words(f"settings.theme_{each}")) for each in THEMES], theme),
        ui_languages=_options(
            [(lang, catalogue(lang)("language")) for lang in languages()], words.lang
        ),
    )


def _shortened(model: str, words: Catalogue) -> str:
    """Return how a model is called below the composer, as ``static/picks.js`` has it."""
    if model == EXTRACTIVE:
        return words("js.modelBuiltIn")
    return re.sub("^[a-z_]+:", "", model.rpartition("/")[2])


def agents(chosen: str | None, settings: Settings, words: Catalogue) -> list[Option]:
    """Return whom a new conversation can be opened with, empty when agents.json names nobody."""
    ids = settings.sources.agent_ids()
    if not ids and not chosen:
        return []
    return _options(
        [("", words("agent.own")), *((id_, _agent(id_, settings, words)) for id_ in ids)], chosen
    )


class AgentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers, and what that agent may do; without an ``engine`` it has no search."""

    name: str
    engine: str = ""
    results: int = 0
    seconds: str = ""
    cache_minutes: str = ""
    searches: int = 0


def finds_examples(
    choices: Choices, agent_id: str | None, registry: Registry, settings: Settings
) -> bool:
    """Whether every engine of a conversation is built in, or at an address of this machine."""
    face = settings.face(CHAT) if agent_id is None else settings.agent(agent_id, AGENT).search
    try:
        names = choices.engines or (engine_name(face, registry, settings).value,)
        asked = groups(names, (), registry, settings)
    except InvalidInput:
        return False
    return all(_is_here(engine, settings) for group in asked for _, engine in group)


def are_examples(engines: Iterable[str], registry: Registry, settings: Settings) -> bool:
    """Whether some engines answered, and all of them are built in or at this machine."""
    names = list(engines)
    return bool(names) and all(
        (engine := registry.find(name)) is not None and _is_here(engine, settings) for name in names
    )


def _is_here(engine: AnyEngine, settings: Settings) -> bool:
    if not isinstance(engine, Engine):
        return False
    address = settings.engine(engine).base_url.value or ""
    return engine.via == "local" or is_loopback(urlsplit(address).hostname or "")


def agent_facts(agent_id: str | None, registry: Registry, settings: Settings) -> AgentFacts | None:
    """Return the facts of an agent of agents.json, None for Citeseek itself."""
    if agent_id is None:
        return None
    name, agent = settings.sources.agent_name(agent_id), settings.agent(agent_id, AGENT)
    if not agent.enabled:
        return AgentFacts(name=name)
    return AgentFacts(
        name=name,
        engine=registry.label(engine_name(agent.search, registry, settings).value),
        results=agent.search.count.value,
        seconds=f"{agent.search.seconds.value:g}",
        cache_minutes=f"{agent.search.ttl_minutes.value:g}",
        searches=settings.assistant.max_searches,
    )


def _agent(agent_id: str, settings: Settings, words: Catalogue) -> str:
    name = settings.sources.agent_name(agent_id)
    has_search = settings.agent(agent_id, AGENT).enabled
    return name if has_search else words("agent.no_search", name=name)


def _options(pairs: Sequence[tuple[str, str]], chosen: object) -> list[Option]:
    """Return the options; what was chosen is one of them, whatever it is."""
    value = "" if chosen is None else str(chosen)
    if value not in dict(pairs):
        pairs = [*pairs, (value, value)]
    return [Option(each, label, is_chosen=each == value) for each, label in pairs]


def _languages(choices: Choices, settings: Settings, words: Catalogue) -> list[Option]:
    automatic = words("settings.language_auto")
    names = {AUTO: automatic, **_LANGUAGES}
    code = settings.chat.language
    default = words("settings.default", value=names.get(code, code))
    return _options([("", default), *names.items()], choices.language)


def _engines(
    choices: Choices, registry: Registry, settings: Settings, words: Catalogue, *, demo: bool
) -> list[Option]:
    name = settings.face(CHAT).engine.value
    set_here = {fold_name(each) for each in (name, *choices.engines)}
    rows = [
        row
        for row in overview.engines(registry, settings)
        if demo or row["id"] != STUB.id or row["id"] in set_here
    ]
    names = {AUTO: words("settings.engine_auto"), **{row["id"]: row["label"] for row in rows}}
    without_key = {row["id"] for row in rows if not row.get("ready", True)}
    default = words("settings.default", value=names.get(name, name))
    offered = [("", default), *names.items()]
    if len(choices.engines) > 1:
        together = words("search.joint").join(names.get(each, each) for each in choices.engines)
        offered.append((",".join(choices.engines), together))
    options = _options(offered, ",".join(choices.engines))
    return [
        msgspec.structs.replace(
            option,
            label=words("settings.engine_no_key", label=option.label),
            is_disabled=not option.is_chosen,
        )
        if option.value in without_key
        else option
        for option in options
    ]
