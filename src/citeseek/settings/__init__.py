"""Settings: agents.json, config.json, the environment and defaults, resolved to frozen values.

This is the only place that reads the environment. Every value knows where it came from.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from citeseek.engine import AnyEngine, Engine, TransportKind
from citeseek.errors import InvalidInput
from citeseek.faces import FACES, Face
from citeseek.settings.json_file import read_json
from citeseek.settings.process_settings import DatabaseSection, LogSection
from citeseek.settings.setting import (
    AGENTS,
    CONFIG,
    ENVIRONMENT,
    Origin,
    Setting,
    Value,
    as_written,
)
from citeseek.settings.sources import DEFAULT, Sources, leaves
from citeseek.settings.table import SETTINGS, Table
from citeseek.settings.values import RECEIVERS, Choice, UnreadableValue, proxy_address
from citeseek.settings.web_settings import EngineSection, WebFetchSection, WebSearchSection

__all__ = ["AgentSettings", "EngineSettings", "FaceSettings", "Settings", "Value"]

# What a busy person might do; html engines block clients that ask much faster.
HTML_RATE_PER_MINUTE = 20

log = logging.getLogger(__name__)

_BY_NAME = {setting.name: setting for setting in SETTINGS}

T = TypeVar("T")


class FaceSettings(msgspec.Struct, frozen=True):
    """A face's choices: engine name, number of results, deadline (s), cache time (minutes)."""

    face: Face
    engine: Value[str]
    count: Value[int]
    seconds: Value[float]
    ttl_minutes: Value[float]


class AgentSettings(msgspec.Struct, frozen=True):
    """What agents.json says of one agent's ``webSearch``: only a plain ``true`` enables it."""

    agent_id: str
    enabled: bool
    search: FaceSettings


class EngineSettings(msgspec.Struct, frozen=True):
    """How one engine is reached. Keys, and addresses that may hold a password, never show."""

    engine_id: str
    base_url: Value[str | None]
    api_key: Value[str | None]
    seconds: Value[float | None]
    transport: Value[TransportKind]
    proxy: Value[str | None]
    user_agent: Value[str | None]
    top_k_default: Value[int | None]
    rate_per_minute: Value[int]

    def __repr__(self) -> str:
        key = "set" if self.api_key.value else "not set"
        return f"EngineSettings({self.engine_id}, key {key})"


class Settings(Table, msgspec.Struct, frozen=True):
    """All settings of one process: ``web_fetch.max_bytes`` is the value of one."""

    sources: Sources
    home: Path

    @classmethod
    def load(
        cls,
        *,
        config: Mapping[str, Any] | Path | str | None = None,
        agents: Mapping[str, Any] | Path | str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Settings:
        """Read the settings once.

        ``config`` and ``agents`` are the content or the path of the files; by default they are
        looked for in the folder that ``CITESEEK_HOME`` names, else ``~/.config/citeseek``. ``env``
        stands for the environment. Raise InvalidInput for a file that cannot be read.
        """
        env = os.environ if env is None else env
        home = _home(env)
        sources = Sources(
            config=_content("config", config, home),
            agents=_content("agents", agents, home),
            env=dict(env),
            files=name_files(config, agents),
        )
        sources.warn_of_unknown_keys()
        settings = cls(sources, home)
        settings.log_values()
        return settings

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was not understood so far, a sentence each."""
        return tuple(map(str, self.sources.problems))

    def check_words(self) -> None:
        """Raise InvalidInput for a variable of ours that holds none of the words that it may be.

        Nothing else stands for it: a person who wrote it meant one of them. Variables that other
        programs share, and values of files, keep their defaults with a warning.
        """
        for setting in SETTINGS:
            if not isinstance(setting.read, Choice):
                continue
            for name in setting.env:
                raw = self.sources.env.get(name, "").strip()
                if not (name.startswith("CITESEEK_") and raw) or raw.startswith("$"):
                    continue
                try:
                    setting.read(raw)
                except UnreadableValue as reason:
                    raise InvalidInput(
                        f"{name}: {raw!r:.60} {reason}.",
                        values={
                            "case": "word_of_variable",
                            "name": str(name),
                            "value": f"{raw!r:.60}",
                            "why": reason.code,
                            **reason.values,
                        },
                    ) from None

    def log_values(self) -> None:
        """Log each value that is not the default, secrets only as set."""
        for setting in SETTINGS:
            value = self.get(setting)
            if value.origin != DEFAULT:
                shown = "set" if setting.is_secret else as_written(value.value)
                log.info("%s = %s (%s)", setting.name, shown, value.origin)

    def get(self, setting: Setting[T]) -> Value[T]:
        """Return the value of ``setting`` and where it came from."""
        return self.sources.value(setting)

    def was_given(self, setting: Setting[Any]) -> bool:
        """Whether anybody wrote something for ``setting``, readable or not."""
        return self.sources.was_given(setting)

    def face(self, face: Face, *, agent_id: str | None = None) -> FaceSettings:
        """Return the choices of ``face``, for one agent when ``agent_id`` is given."""

        def of(name: str, default: Any) -> Value[Any]:
            setting = _BY_NAME.get(f"{face.id}.{name}")
            if setting is None:
                return Value(default, DEFAULT)
            return self.sources.value(setting, agent_id=agent_id)

        return FaceSettings(
            face=face,
            engine=of("engine", face.engine),
            count=of("count", face.count),
            seconds=of("seconds", face.seconds),
            ttl_minutes=of("ttl_minutes", face.ttl_minutes),
        )

    def faces(self) -> tuple[FaceSettings, ...]:
        """Return the choices of every face."""
        return tuple(self.face(face) for face in FACES)

    def agent(self, agent_id: str, face: Face) -> AgentSettings:
        """Return what agents.json says of ``agent_id``, over the choices of ``face``."""
        search = self.sources.agent(agent_id)
        if any("key" in path.lower() for path in leaves(search)):
            self.sources.warn(self.sources.origin(AGENTS, f"{agent_id}.webSearch"), "key")
        enabled = search.get("enabled") is True
        return AgentSettings(agent_id, enabled, self.face(face, agent_id=agent_id))

    def check_agent(self, agent_id: str | None) -> None:
        """Raise InvalidInput when agents.json has no agent ``agent_id``; None is nobody's."""
        known = self.sources.agent_ids()
        if agent_id is not None and agent_id not in known:
            raise InvalidInput(
                f"There is no agent {agent_id!r:.60} in agents.json.",
                hint=f"Known: {', '.join(known) or 'none'}.",
                values={
                    "case": "no_agent" if known else "no_agents",
                    "id": f"{agent_id!r:.60}",
                    "known": ", ".join(known),
                },
            )

    def same_as(self, other: Settings) -> bool:
        """Whether both were read from the same content."""
        mine, theirs = self.sources, other.sources
        return (mine.config, mine.agents, mine.env) == (theirs.config, theirs.agents, theirs.env)

    def engine(self, engine: AnyEngine) -> EngineSettings:
        """Return how ``engine`` is reached."""
        contract = engine if isinstance(engine, Engine) else None
        is_html = contract is not None and contract.kind == "html"

        def of(setting: Setting[T]) -> Value[T]:
            return self.sources.value(setting, engine_id=engine.id)

        base_url = of(EngineSection.base_url)
        if contract and base_url.origin == DEFAULT:
            base_url = Value(contract.base_url, DEFAULT)
        usual: TransportKind = "primp" if is_html else "pyreqwest"
        transport = _else(of(EngineSection.transport), usual)
        if contract and contract.via == "browser":
            transport = Value("browser", DEFAULT)
        milliseconds = of(EngineSection.timeout_ms)
        if not milliseconds.value:
            shared = WebFetchSection if is_html else WebSearchSection
            milliseconds = self.get(shared.timeout_ms)
        proxy = of(EngineSection.proxy)
        if is_html and proxy.origin == DEFAULT:
            proxy = self.get(WebFetchSection.proxy)
        return EngineSettings(
            engine_id=engine.id,
            base_url=base_url,
            api_key=of(EngineSection.api_key),
            seconds=Value(
                milliseconds.value / 1000 if milliseconds.value else None, milliseconds.origin
            ),
            transport=transport,
            proxy=proxy,
            user_agent=self.get(WebFetchSection.user_agent) if is_html else Value(None, DEFAULT),
            top_k_default=of(EngineSection.top_k_default),
            rate_per_minute=_else(
                of(EngineSection.rate_per_minute), HTML_RATE_PER_MINUTE if is_html else 0
            ),
        )

    @property
    def sessions_file(self) -> Path:
        """Where conversations are kept."""
        file = self.assistant.sessions
        return Path(file) if file else self.home / "sessions.sqlite3"

    @property
    def database_url(self) -> str | None:
        """The address of the Postgres that keeps conversations instead of the file.

        Raise InvalidInput where what somebody wrote cannot be used.
        """
        return self.get(DatabaseSection.url).required()

    @property
    def evidence_folder(self) -> Path:
        """Where pages that were refused or not understood are kept."""
        folder = self.evidence.dir
        return Path(folder) if folder else self.home / "evidence"

    def system_proxies(self) -> tuple[str | None, str | None, str | None]:
        """Return the http proxy, the https proxy and the exceptions that the environment names."""
        http, https = (self.system_proxy(scheme).value for scheme in ("http", "https"))
        return http, https, self._variable("NO_PROXY")

    def system_proxy(self, scheme: str) -> Value[str | None]:
        """Return the proxy that the environment names for ``scheme``, http or https."""
        own = self._proxy(f"{scheme.upper()}_PROXY")
        return self._proxy("ALL_PROXY") if own.origin == DEFAULT else own

    def __repr__(self) -> str:
        return f"Settings({len(self.warnings)} warnings)"

    def _proxy(self, name: str) -> Value[str | None]:
        if (raw := self._variable(name)) is None:
            return Value(None, DEFAULT)
        origin = Origin(ENVIRONMENT, name)
        try:
            return Value(proxy_address(raw), origin)
        except UnreadableValue as reason:
            example = RECEIVERS[proxy_address]
            return self.sources.unusable(
                None, origin, f"its value {reason}", example, reason=reason
            )

    def _variable(self, name: str) -> str | None:
        """Return the variable ``name`` in small letters or capitals, as other programs read it."""
        env = self.sources.env
        return env.get(name.lower(), "").strip() or env.get(name, "").strip() or None


def _else(value: Value[T | None], default: T) -> Value[T]:
    """Return ``value``, or ``default`` where nobody gave one."""
    return Value(default, DEFAULT) if value.value is None else Value(value.value, value.origin)


def log_format(env: Mapping[str, str] | None = None) -> str:
    """Return the setting ``log.format``, which is needed before any file is read."""
    (name,) = LogSection.format.env
    try:
        return str(LogSection.format.read((os.environ if env is None else env)[name]))
    except (KeyError, ValueError):
        # What is wrong with it is said when the settings are read.
        return str(LogSection.format.default)


def name_files(config: object, agents: object) -> dict[str, str]:
    """Return the names of the files that somebody named, by those of the usual ones.

    Their folders are left out: what is wrong with a setting is told to readers of a server too.
    """
    given = {CONFIG: config, AGENTS: agents}
    return {name: Path(path).name for name, path in given.items() if isinstance(path, str | Path)}


def _home(env: Mapping[str, str]) -> Path:
    if home := env.get("CITESEEK_HOME", "").strip():
        return Path(home)
    base = env.get("XDG_CONFIG_HOME", "").strip()
    return (Path(base) if base else Path(env.get("HOME", ".")) / ".config") / "citeseek"


def _content(
    name: str, source: Mapping[str, Any] | Path | str | None, home: Path
) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    given = "" if source is None else f" --{name} {shlex.quote(str(source))}"
    return read_json(
        Path(source or home / f"{name}.json"),
        required=source is not None,
        mending=f"citeseek doctor config{given}",
    )
