"""Settings: single values, layers, and keys that must not show."""

from __future__ import annotations

import asyncio
import io
import logging
import traceback
from typing import Any

from tests.loopback import LoopbackServer, Reply, refused_port

from citeseek import Client, Settings
from citeseek.errors import CiteseekError
from citeseek.faces import AGENT, OPEN
from citeseek.i18n import catalogue
from citeseek.searching.engine_choice import engine_name
from citeseek.settings.setting import Setting
from citeseek.settings.sources import Sources
from citeseek.settings.values import Reader, flag, secret, whole
from citeseek.tools.search_formats import failure_text
from tools.cases import Case, NotBuilt
from tools.cases.expectations import differences, missing
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
    value = _value(case["input"]["raw"], secret, None)
    seen = {
        "value": value,
        "no_header_injection": value is None or value.isprintable(),
        # Whatever is raised ends the case.
        "no_exception_escapes": True,
        "raises": False,
    }
    return differences(case["expect"], seen)


def resolve(case: Case) -> list[str]:
    """Check ``config.resolve``: the layers call, agent, config and environment."""
    layers = case["input"]["layers"]
    match case["input"]["setting"]:
        case "engine":
            return _engine(layers, case["expect"])
        case "brave_key":
            env = {"BRAVE_API_KEY": layers["env"]}
            providers = {"brave": {"apiKey": layers["config"]}}
            config = {"tools": {"webSearch": {"providers": providers}}}
            settings = Settings.load(config=config, agents={}, env=env)
            got = settings.engine(engine_named("brave")).api_key.value
            return differences(case["expect"], {"value": got})
        case "count":
            return _count(layers, case["expect"])
        case other:
            raise NotBuilt(other)


def leak(case: Case) -> list[str]:
    """Check ``secret.leak``: the key shows nowhere after a failure."""
    given = case["input"]
    engine_id = engine_named(given["engine"]).id
    with LoopbackServer() as server, refused_port() as port:
        server.otherwise(Reply(500))
        refused = given["failure"] == "connection refused"
        address = f"http://127.0.0.1:{port}" if refused else server.base_url
        if "base_url" in given:
            address = address.replace("://", f"://user:{given['key']}@")
        seen = asyncio.run(_failed_search(engine_id, address, given["key"]))
    checks = {
        "key_absent_in": lambda places: [
            f"the key shows in the {place}" for place in places if given["key"] in seen[place]
        ]
    }
    return differences(case["expect"], {}, checks)


def _single(case: Case, read: Reader[Any]) -> list[str]:
    given = case["input"]
    value = _value(given["raw"], read, given["default"])
    # Whatever is raised ends the case.
    return differences(case["expect"], {"value": value, "raises": False})


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
    seen = {"value": name, "value_is_known_engine": REGISTRY.find(name) is not None}
    checks = {
        "warning_names": lambda named: missing("warning of", [named], " ".join(settings.warnings)),
        "config_error_names": lambda named: missing("error of", [named], " ".join(errors)),
    }
    return differences(expect, seen, checks)


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

    seen = {
        "value": asyncio.run(count_of(AGENT_ID)),
        "other_agent_value": asyncio.run(count_of("other")),
    }
    return differences(expect, seen)


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
            "tool text": failure_text(error, catalogue("en")),
            "exception text": "".join(traceback.format_exception(error)) + repr(vars(error)),
            "log": heard.getvalue(),
            "repr of config": repr(settings) + repr(shown) + repr(settings.sources),
        }
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    raise AssertionError("the search did not fail")
