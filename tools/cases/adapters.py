"""Which adapter checks which op, and how a case comes to it."""

from __future__ import annotations

from typing import Any

from tools.cases import (
    Case,
    Check,
    NotBuilt,
    agent,
    cache,
    chat,
    cite,
    config,
    engines,
    fetching,
    guarding,
    merge,
    query,
    tool,
    urls,
)

OPS: dict[str, Check] = {
    "cite.convert": cite.check,
    "cite.references": cite.check,
    "cite.stream": cite.check,
    "url.result": urls.result,
    "url.same_page": urls.same_page,
    "url.guard": guarding.check,
    "fetch.get": fetching.check,
    "query.clean": query.cleaned,
    "query.request": query.request,
    "engine.parse": engines.parse,
    "config.int": config.integer,
    "config.bool": config.boolean,
    "config.key": config.key,
    "config.resolve": config.resolve,
    "secret.leak": config.leak,
    "merge": merge.check,
    "cache.key": cache.key,
    "cache.script": cache.script,
    "chat.sse_decode": chat.decoded,
    "tool.call": tool.check,
    "agent.run": agent.check,
}

_CODE_POINTS = "_code_points"


def run(case: Case) -> list[str]:
    """Return what is wrong with ``case``; one that nobody can check is wrong, and ends no run."""
    try:
        return OPS[case["input"]["op"]]({**case, "input": _texts(case["input"])})
    except KeyError as unknown:
        return [f"the checker does not know {unknown}, or the case lacks it"]
    except NotBuilt as unknown:
        return [f"the checker does not know {unknown}"]
    except Exception as error:  # noqa: BLE001 - the other cases are still to be run
        return [f"ended by {error!r}"]


def _texts(given: Any) -> Any:
    """Make ``<name>_code_points``, in which no file can hold the text, to the text ``<name>``."""
    if isinstance(given, list):
        return [_texts(one) for one in given]
    if not isinstance(given, dict):
        return given
    return {
        name.removesuffix(_CODE_POINTS): "".join(map(chr, value))
        if name.endswith(_CODE_POINTS)
        else _texts(value)
        for name, value in given.items()
    }
