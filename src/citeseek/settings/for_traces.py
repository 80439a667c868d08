"""Settings for a trace: what was set, without secrets and without this machine's own places."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from citeseek.settings import Settings
from citeseek.settings.known_people import secrets_of
from citeseek.settings.setting import Setting
from citeseek.settings.sources import leaves
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import secret, tokens_in
from citeseek.settings.web_settings import ENGINE_SETTINGS

# A key that nobody has: an engine that needs one is asked as it was.
PLACEHOLDER = "***"

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
# What another machine has no use for, or must not use.
_OF_THIS_MACHINE = frozenset(
    {
        "assistant.sessions",
        "browser.cdp_url",
        "browser.executable",
        "cache.dir",
        "database.url",
        "evidence.dir",
        "model.base_url",
        "redis.url",
        "trace.dir",
        "verification.judge_base_url",
    }
)
_SOUNDS_SECRET = re.compile(r"key|token|passw|secret|cookie|credential", re.IGNORECASE)
# Shorter values under such names are switches, and the names of ours have numbers of tokens.
_MIN_CHARS = 6


def dump_settings(settings: Settings, engine_ids: Iterable[str]) -> dict[str, Any]:
    """Return the settings that were made, as :meth:`Settings.load` reads them."""
    sources = settings.sources
    config: dict[str, Any] = {}
    for path, setting, raw in _in_config(settings):
        if _travels(setting):
            _put(config, path, _mask(setting, raw))
    env = {
        name: _mask(setting, raw)
        for name, setting, raw in _in_env(settings, engine_ids)
        if _travels(setting)
    }
    for name in _PROXIES:
        for spelling in (name, name.lower()):
            if value := sources.env.get(spelling):
                env[spelling] = _address(value)
    fields = {"enabled", *(setting.agent for setting in SETTINGS if setting.agent)}
    agents = [
        {
            "id": agent_id,
            "webSearch": {
                name: value
                for name, value in sources.agent(agent_id).items()
                if name in fields and not isinstance(value, dict | list)
            },
        }
        for agent_id in sources.agent_ids()
    ]
    return {"config": config, "agents": {"agents": agents}, "env": env}


def secrets(settings: Settings, engine_ids: Iterable[str]) -> tuple[str, ...]:
    """Return every key, password and token that the settings hold, and what sounds like one."""
    sources = settings.sources
    found: set[str] = set()
    for _, setting, raw in (*_in_config(settings), *_in_env(settings, engine_ids)):
        if setting.is_secret and isinstance(raw, str):
            found |= {raw.strip()} if setting.read is secret else _of_address(raw)
    for name in _PROXIES:
        for spelling in (name, name.lower()):
            found |= _of_address(sources.env.get(spelling, ""))
    for tree in (sources.config, *map(sources.agent, sources.agent_ids())):
        for path in leaves(tree):
            raw = _at(tree, path)
            if isinstance(raw, str) and _sounds_secret(path, raw):
                found.add(_resolve(settings, raw).strip())
    found |= {value.strip() for name, value in sources.env.items() if _sounds_secret(name, value)}
    # Each of several tokens lets in by itself.
    found |= set(tokens_in(settings.server.token or ""))
    found |= secrets_of(settings.server.people or "")
    return tuple(sorted(filter(None, found)))


def _sounds_secret(name: str, value: str) -> bool:
    is_long = len(value.strip()) >= _MIN_CHARS and not value.strip().isdecimal()
    return is_long and bool(_SOUNDS_SECRET.search(name))


def _travels(setting: Setting[Any]) -> bool:
    return setting.name not in _OF_THIS_MACHINE and not setting.name.startswith("server.")


def _in_config(settings: Settings) -> Iterator[tuple[str, Setting[Any], Any]]:
    config = settings.sources.config
    for path in leaves(config):
        for setting in (*SETTINGS, *ENGINE_SETTINGS):
            for template in setting.config:
                if re.fullmatch(re.escape(template).replace(r"\{id\}", "[^.]+"), path):
                    yield path, setting, _resolve(settings, _at(config, path))


def _in_env(
    settings: Settings, engine_ids: Iterable[str]
) -> Iterator[tuple[str, Setting[Any], str]]:
    env = settings.sources.env
    for setting in SETTINGS:
        for name in setting.env:
            if name in env:
                yield name, setting, _resolve(settings, env[name])
    for engine_id in engine_ids:
        for setting in ENGINE_SETTINGS:
            for template in setting.env:
                name = template.replace("{ID}", engine_id.upper())
                if name in env:
                    yield name, setting, _resolve(settings, env[name])


def _resolve(settings: Settings, raw: Any) -> Any:
    """Return what ``raw`` stands for: ``$NAME`` is the value of a variable."""
    if isinstance(raw, str) and raw.startswith("$"):
        return settings.sources.env.get(raw[1:], "")
    return raw


def _mask(setting: Setting[Any], raw: Any) -> Any:
    if not setting.is_secret or not isinstance(raw, str) or not raw.strip():
        return raw
    return PLACEHOLDER if setting.read is secret else _address(raw)


def _address(raw: str) -> str:
    """Return an address without what is before its last ``@``, however it is written."""
    before, at, host = raw.rpartition("@")
    if not at:
        return raw
    scheme, separator, _ = before.partition("://")
    return f"{scheme if separator else 'http'}://{PLACEHOLDER}@{host}"


def _of_address(text: str) -> set[str]:
    """Return what is secret in an address: user, password, both as a header has them, its query."""
    head, _, query = text.strip().partition("?")
    login = head.rpartition("@")[0].rpartition("://")[2]
    user, colon, password = login.partition(":")
    found = {query, password, unquote(password)}
    if colon:
        found.add(b64encode(unquote(login).encode()).decode())
    else:
        # A token alone stands where the name of a user does.
        found |= {user, unquote(user)}
    return found


def _at(tree: Mapping[str, Any], path: str) -> Any:
    node: Any = tree
    for name in path.split("."):
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _put(tree: dict[str, Any], path: str, value: Any) -> None:
    *folders, name = path.split(".")
    for folder in folders:
        tree = tree.setdefault(folder, {})
    tree[name] = value
