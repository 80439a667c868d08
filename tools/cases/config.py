"""Settings: single values, layers, and keys that must not show."""

from __future__ import annotations

import asyncio
import io
import logging
import traceback
from typing import Any

from tests.loopback import LoopbackServer, Reply, refused_port

from citeseek import Client, Settings
from citeseek.choosing import engine_name
from citeseek.errors import CiteseekError
from citeseek.faces import AGENT, OPEN
from citeseek.formats import failure_text
from citeseek.settings.setting import Setting
from citeseek.settings.sources import Sources
from citeseek.settings.values import Reader, flag, secret, whole
from tools.cases import Case, NotBuilt, unequal, unknown_keys
from tools.cases.names import REGISTRY, engine_named

AGENT_ID = "one"


def integer(case: Case) -> list[str]:
    """Check ``config.int``."""
    return _single(case, whole(case["input"]["min"], case["input"]["max"]))


def boolean(case: Case) -> list[str]:
    """Check ``config.bool``."""
    return _single(case, flag)


def key(case: Case) -> list[str]:
    """Check ``config.key``: what is left can be sent in a header, or counts as not set."""
    expect = case["expect"]
    value = _value(case["input"]["raw"], secret, None)
    found = unknown_keys(expect, {"value", "no_header_injection", "no_exception_escapes"})
    if "value" in expect:
        found += unequal("value", expect["value"], value)
    if value is not None and not value.isprintable():
        found.append(f"{value!r} would break a header")
    return found


def resolve(case: Case) -> list[str]:
    """Check ``config.resolve``: the layers call, agent, config and environment."""
    given, expect = case["input"], dict(case["expect"])
    if any_of := expect.pop("any_of", None):
        return min((resolve({**case, "expect": one}) for one in any_of), key=len)
    layers = given["layers"]
    match given["setting"]:
        case "engine":
            return _engine(layers, expect)
        case "brave_key":
            env = {"BRAVE_API_KEY": layers["env"]}
            providers = {"brave": {"apiKey": layers["config"]}}
            config = {"tools": {"webSearch": {"providers": providers}}}
            settings = Settings.load(config=config, agents={}, env=env)
            got = settings.engine(engine_named("brave")).api_key.value
            return unequal("value", expect["value"], got)
        case "count":
            return _count(layers, expect)
        case other:
            raise NotBuilt(other)


def leak(case: Case) -> list[str]:
    """Check ``secret.leak``: the key shows nowhere after a failure."""
    given, expect = case["input"], case["expect"]
    engine_id = engine_named(given["engine"]).id
    with LoopbackServer() as server, refused_port() as port:
        server.otherwise(Reply(500))
        refused = given["failure"] == "connection refused"
        address = f"http://127.0.0.1:{port}" if refused else server.base_url
        if "base_url" in given:
            address = address.replace("://", f"://user:{given['key']}@")
        seen = asyncio.run(_failed_search(engine_id, address, given["key"]))
    known = {"key_absent_in": True}
    found = unknown_keys(expect, set(known))
    return found + [
        f"the key shows in the {place}"
        for place in expect["key_absent_in"]
        if given["key"] in seen[place]
    ]


def _single(case: Case, read: Reader[Any]) -> list[str]:
    given, expect = case["input"], case["expect"]
    value = _value(given["raw"], read, given["default"])
    found = unknown_keys(expect, {"value", "value_any", "raises"})
    if "value" in expect:
        found += unequal("value", expect["value"], value)
    if "value_any" in expect and value not in expect["value_any"]:
        found.append(f"expected one of {expect['value_any']}, got {value!r}")
    return found


def _value(raw: str | None, read: Reader[Any], default: object) -> Any:
    setting = Setting(name="x", env=("X",), read=read, default=default, meaning="")
    return Sources(env={} if raw is None else {"X": raw}).value(setting).value


def _engine(layers: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    env = {"WEB_SEARCH_BACKEND": layers["env"], "CITESEEK_ENGINE": layers["env"]}
    settings = Settings.load(config={}, agents={}, env=env)
    errors: list[str] = []
    name = ""
    try:
        name = engine_name(settings.face(OPEN), REGISTRY, settings).value
    except CiteseekError as error:
        errors.append(str(error))
    found = unknown_keys(
        expect, {"value", "value_is_known_engine", "warning_names", "config_error_names"}
    )
    if "value" in expect:
        found += unequal("value", expect["value"], name)
    if "value_is_known_engine" in expect:
        found += unequal("known", expect["value_is_known_engine"], REGISTRY.find(name) is not None)
    if named := expect.get("warning_names"):
        found += [] if any(named in text for text in settings.warnings) else ["no warning"]
    if named := expect.get("config_error_names"):
        found += [] if any(named in text for text in errors) else ["no error names it"]
    return found


def _count(layers: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    search = {"enabled": True, "maxResults": layers["agent"]}
    agents = {"agents": [{"id": AGENT_ID, "webSearch": search}, {"id": "other"}]}
    env = {"CITESEEK_AGENT_RESULTS": layers["env"]}
    settings = Settings.load(config={}, agents=agents, env=env)

    async def count_of(agent_id: str) -> int:
        async with Client(settings) as client:
            call = {"count": layers["call"]} if "call" in layers else {}
            response = await client.search(
                "x", face=AGENT, engine="stub", agent_id=agent_id, **call
            )
            return response.query.count

    found = unequal("value", expect["value"], asyncio.run(count_of(AGENT_ID)))
    if "other_agent_value" in expect:
        found += unequal("other", expect["other_agent_value"], asyncio.run(count_of("other")))
    return found


async def _failed_search(engine_id: str, address: str, key: str) -> dict[str, str]:
    entry = {"base_url": address, "api_key": key}
    settings = Settings.load(config={"engines": {engine_id: entry}}, agents={}, env={})
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        async with Client(settings) as client:
            await client.search("x", engine=engine_id)
    except CiteseekError as error:
        shown = settings.engine(engine_named(engine_id))
        return {
            "tool text": failure_text(error),
            "exception text": "".join(traceback.format_exception(error)) + repr(vars(error)),
            "log": heard.getvalue(),
            "repr of config": repr(settings) + repr(shown) + repr(settings.sources),
        }
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    raise AssertionError("the search did not fail")
