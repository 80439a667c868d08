"""Which adapter checks which op."""

from __future__ import annotations

from tools.cases import (
    Check,
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
