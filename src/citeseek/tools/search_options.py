"""The options of an agent's web search: put over the settings, resolved, and obeyed by a client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from citeseek.client import Client
from citeseek.engine import AnyEngine, Engine
from citeseek.faces import AGENT, Face
from citeseek.searching.engine_choice import engine_name
from citeseek.searching.engine_registry import Registry
from citeseek.settings import FaceSettings, Settings
from citeseek.settings.setting import OPTIONS, Origin
from citeseek.settings.sources import Sources, overlaid
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import secret
from citeseek.tools.arguments import is_blank

_OF_AGENT = {setting.agent: setting for setting in SETTINGS if setting.agent}


class WebSearchOptions(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"
):
    """The ``webSearch`` of one agent. Its JSON form has camelCase names and only what is set.

    ``provider`` is an engine id or another name of it, ``api_key`` its key, never shown by
    ``repr``. ``timeout_seconds`` (0.1-120) is the deadline of a search, ``cache_ttl_minutes``
    (0-1440) how long an answer is kept, 0 for not at all, ``max_results`` (1-10) the number of
    results when the model names none, and the most that it may name. ``tool_language`` (zh, en, ja
    or auto) is the language in which the model is told of the tool. ``None`` leaves a choice to
    the settings.
    """

    enabled: bool
    provider: str | None = None
    api_key: str | None = None
    timeout_seconds: float | None = None
    cache_ttl_minutes: float | None = None
    max_results: int | None = None
    tool_language: str | None = None

    def __repr__(self) -> str:
        shown = msgspec.to_builtins(self) | ({"apiKey": "set"} if self.api_key else {})
        return (
            f"WebSearchOptions({', '.join(f'{name}={value!r}' for name, value in shown.items())})"
        )


_NAMES = tuple(field.encode_name for field in msgspec.structs.fields(WebSearchOptions))
# As the struct, or as its JSON form.
Options: TypeAlias = WebSearchOptions | Mapping[str, Any]


def is_enabled(options: Options) -> bool:
    """Whether ``options`` enable the search: only a plain ``true`` does."""
    if isinstance(options, WebSearchOptions):
        return options.enabled is True
    return options.get("enabled") is True


def without_key(options: Options) -> dict[str, Any]:
    """Return the JSON form of ``options`` without their key, for what is kept."""
    form = options if isinstance(options, Mapping) else msgspec.to_builtins(options)
    return {name: form[name] for name in _NAMES if name in form and name != "apiKey"}


def over(settings: Settings, options: Options, registry: Registry) -> Settings:
    """Return ``settings`` with what ``options`` say before everything else.

    A blank value counts as not given, one that cannot be read as well, with a warning, which a name
    that is none of an option brings too.
    """
    given = msgspec.to_builtins(options) if isinstance(options, WebSearchOptions) else options
    search: dict[str, Any] = {}
    unknown = [name for name in given if name not in _NAMES]
    reasons: list[tuple[str, str]] = []
    origins: dict[str, Origin] = {}
    for name, setting in _OF_AGENT.items():
        if is_blank(raw := given.get(name)):
            continue
        try:
            value = setting.read(raw)
        except ValueError as reason:
            reasons.append((name, f"{raw!r:.60} {reason}"))
        else:
            path = setting.config[0]
            search[path.rpartition(".")[2]] = value
            origins[path] = Origin(OPTIONS, name)
    merged = _merge(settings, {"tools": {"webSearch": search}}, origins)
    engine = registry.find(merged.face(AGENT).engine.value)
    if engine and (key := _key(given.get("apiKey"), reasons)):
        path = f"engines.{engine.id}.api_key"
        entry = {"engines": {engine.id: {"api_key": key}}}
        merged = _merge(merged, entry, {path: Origin(OPTIONS, "apiKey")})
    for name in unknown:
        known = ", ".join(_NAMES)
        merged.sources.warn(Origin(OPTIONS, f"{name!r:.60}"), "unknown_option", known)
    for name, detail in reasons:
        merged.sources.warn(Origin(OPTIONS, name), "unreadable", detail)
    return merged


def resolve(chosen: FaceSettings, settings: Settings, registry: Registry) -> WebSearchOptions:
    """Return what ``chosen`` leads to; an engine without its key has been replaced by then."""
    name = engine_name(chosen, registry, settings).value
    return WebSearchOptions(
        enabled=True,
        provider=name,
        api_key=_key_of(registry.get(name), settings),
        timeout_seconds=chosen.seconds.value,
        cache_ttl_minutes=chosen.ttl_minutes.value,
        max_results=chosen.count.value,
    )


def fitting(
    client: Client | None, settings: Settings, provider: str, engines: Iterable[AnyEngine] = ()
) -> Client:
    """Return ``client`` if it searches with ``provider`` as ``settings`` say, else a new one.

    The key of an engine and the time that answers are kept belong to a client, everything else can
    be said with each search. A new one shares what is open with ``client``, and is the caller's to
    close.
    """
    if client is None:
        return Client(settings, engines=engines)
    engine, own = client.registry.get(provider), client.settings
    same_key = _key_of(engine, own) == _key_of(engine, settings)
    if same_key and own.face(AGENT).ttl_minutes.value == settings.face(AGENT).ttl_minutes.value:
        return client
    own_engines = () if Registry().find(provider) else (engine,)
    return Client(settings, engines=own_engines, beside=client)


def limit_count(face: Face, most: int | None) -> Face:
    """Return ``face`` for callers who are given at most ``most`` results, whatever they name."""
    if most is None:
        return face
    counts = msgspec.structs.replace(face.counts, high=min(most, face.counts.high))
    return msgspec.structs.replace(face, counts=counts)


def deadline(settings: Settings, engine: AnyEngine, seconds: float) -> float:
    """Return ``seconds``, or the engine's own limit where that is shorter."""
    return min(seconds, settings.engine(engine).seconds.value or seconds)


def _merge(
    settings: Settings, config: Mapping[str, Any], origins: Mapping[str, Origin]
) -> Settings:
    """Return ``settings`` with ``config`` over config.json; what is warned of begins anew.

    ``origins`` says of each path of ``config`` where it came from.
    """
    sources = settings.sources
    merged = Sources(
        config=overlaid(sources.config, config),
        agents=sources.agents,
        env=sources.env,
        given={**sources.given, **origins},
        files=sources.files,
    )
    return Settings(merged, settings.home)


def _key(raw: Any, reasons: list[tuple[str, str]]) -> str | None:
    if is_blank(raw):
        return None
    try:
        return secret(raw)
    except ValueError as reason:
        reasons.append(("apiKey", f"its value {reason}"))
        return None


def _key_of(engine: AnyEngine, settings: Settings) -> str | None:
    keyed = isinstance(engine, Engine) and engine.key is not None
    return settings.engine(engine).api_key.value if keyed else None


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
        search = resolve(agent.search, settings, Registry(engines))
    return AgentConfig(agent_id=agent_id, web_search=search)
