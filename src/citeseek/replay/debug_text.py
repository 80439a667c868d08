"""The debug text: what somebody who helps needs to see of a trace, and the pages that failed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from citeseek.errors import SearchFailed
from citeseek.searching.failed_pages import keep_failed_page
from citeseek.trace.trace_file import reject_damage
from citeseek.trace.trace_record import Failed, Part, RecordedExchange, Trace, error_of

_ABOUT_A_PAGE = frozenset({"WebParseError", "WebBlocked", "AuthError", "BadGateway"})


@reject_damage()
def bundle(trace: Trace) -> str:
    """Return the text; where a failure has a ``detail_code``, it goes before the ``error_code``.

    Raise InvalidInput for a trace that is damaged.
    """
    call = trace.call
    blocks = [
        list(_head(trace)),
        list(_settings(trace)),
        [_search_summary(part) for part in _all(call, "search")],
        [_engine(part) for part in _all(call, "engine")],
        [_fetch(part) for part in _all(call, "fetch")],
        [_model(part) for part in _all(call, "model")],
        list(_steps(call)),
        [
            f"page: {error.engine}-{hashlib.sha256(error.page.body).hexdigest()[:12]} "
            f"({error.detail_code or error.error_code}, HTTP {error.page.status}, "
            f"{len(error.page.body):,} bytes)"
            for error in unread(trace)
            if error.page is not None
        ],
        list(_hints(trace)),
        [f"error: {_describe(call.failure)}"] if call.failure else [],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(trace: Trace) -> Iterator[str]:
    call = trace.call
    run = (call.result or {}).get("trace_id", "") if isinstance(call.result, dict) else ""
    yield f"run: {run or trace.trace_id}"
    yield f"trace: {trace.trace_id}"
    yield f"type: {call.kind}"
    yield f"asked: {call.name}"
    yield f"status: {_status(call)}"
    yield f"began: {trace.began_at}"
    yield f"took: {call.took_ms:.0f} ms"
    yield f"citeseek: {trace.citeseek}"


def _status(part: Part) -> str:
    if part.was_stopped:
        return "stopped"
    if isinstance(part.result, dict) and part.result.get("error"):
        return "failed"
    if isinstance(part.result, dict) and part.result.get("outcome") in ("failed", "stopped"):
        return str(part.result["outcome"])
    return "failed" if part.failure else "ok"


def _settings(trace: Trace) -> Iterator[str]:
    """Tell of the network settings; addresses are without passwords, keys are stars."""
    for origin in ("config", "env"):
        for name, value in _leaves(trace.settings.get(origin, {})):
            yield f"setting: {name} = {value}"
    yield f"proxy: {'set' if _has_proxy(trace) else 'not set'}"


def _leaves(tree: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from _leaves(value, f"{prefix}.{name}" if prefix else name)
    else:
        yield prefix, tree


def _has_proxy(trace: Trace) -> bool:
    names = [n for o in ("config", "env") for n, _ in _leaves(trace.settings.get(o, {}))]
    return any("proxy" in name.lower() and name.lower() != "no_proxy" for name in names)


def _search_summary(part: Part) -> str:
    result = part.result or {}
    failure = part.failure
    shown = {
        "backend": result.get("provider") or (failure.engine if failure else ""),
        "result_count": len(result.get("items", ())),
        "ok": str(failure is None and not part.was_stopped).lower(),
        **_codes(failure),
        "duration_ms": f"{part.took_ms:.0f}",
    }
    cached = " cached" if result.get("cached") else ""
    return f"search_summary: {_pairs(shown)}{cached} {part.name!r:.80}"


def _engine(part: Part) -> str:
    hits = sum(len(note["hits"]) for note in part.notes_of("hits"))
    dropped = len(part.notes_of("dropped"))
    shown = {
        "ok": str(part.failure is None and not part.was_stopped).lower(),
        **_codes(part.failure),
        "requests": len(part.exchanges),
        "hits": hits,
        **({"dropped": dropped} if dropped else {}),
        "duration_ms": f"{part.took_ms:.0f}",
    }
    return "\n".join([f"engine: {part.name} {_pairs(shown)}", *map(_exchange, part.exchanges)])


def _fetch(part: Part) -> str:
    result = part.result or {}
    shown = {
        "ok": str(part.failure is None and not part.was_stopped).lower(),
        **_codes(part.failure),
        "final_url": result.get("final_url", ""),
        "status_code": result.get("status_code", ""),
        "truncated": str(result.get("truncated", "")).lower(),
        "cache_hit": str(result.get("cache_hit", "")).lower(),
        "duration_ms": f"{part.took_ms:.0f}",
    }
    return "\n".join([f"fetch: {part.name} {_pairs(shown)}", *map(_exchange, part.exchanges)])


def _exchange(exchange: RecordedExchange) -> str:
    answer = exchange.answer
    if answer:
        came = f"HTTP {answer.status}, {len(answer.body.data):,} bytes"
    elif exchange.failure:
        came = exchange.failure.code
    else:
        came = exchange.raised or "not waited for"
    request = exchange.request
    return f"    {request.method} {request.url} → {came} ({exchange.took_ms:.0f} ms)"


def _model(part: Part) -> str:
    shown = {**_codes(part.failure), "duration_ms": f"{part.took_ms:.0f}"}
    return f"model: {part.asked.get('model', '')} {_pairs(shown)}"


def _steps(call: Part) -> Iterator[str]:
    steps = call.result.get("steps", ()) if isinstance(call.result, dict) else ()
    for step in steps:
        meta = step.get("meta") or {}
        how = "ok" if step["ok"] else meta.get("detail_code") or step.get("error_code")
        yield f"step: {step['name']} {how} {step['duration_ms']} ms"


def _hints(trace: Trace) -> Iterator[str]:
    parts = [trace.call, *trace.call.inner("engine"), *trace.call.inner("fetch")]
    failures = [part.failure for part in parts if part.failure]
    if any(failure.type == "NetworkError" for failure in failures):
        proxy = "a proxy is set" if _has_proxy(trace) else "no proxy is set"
        yield (
            f"hint: there was a network error, and {proxy}: look whether the host can be reached "
            "from this machine, and whether a proxy is needed (HTTPS_PROXY)."
        )
    for hint in dict.fromkeys(failure.hint for failure in failures if failure.hint):
        yield f"hint: {hint}"


def _codes(failure: Failed | None) -> dict[str, str]:
    """Return the code of a failure: the narrower one, and only without it the wider one."""
    return {"code": failure.code} if failure else {}


def _describe(failure: Failed) -> str:
    where = f"{failure.engine}: " if failure.engine else ""
    return f"{failure.code}: {where}{failure.message}"


def _pairs(shown: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in shown.items() if value != "")


def _all(call: Part, kind: str) -> list[Part]:
    return [*([call] if call.kind == kind else []), *call.inner(kind)]


def unread(trace: Trace) -> Iterator[SearchFailed]:
    """Yield each failure that came with a page, and the page with it."""
    for part in (trace.call, *trace.call.inner("engine"), *trace.call.inner("fetch")):
        if part.kind not in ("engine", "fetch") or part.failure is None:
            continue
        error = error_of(part.failure)
        answers = [exchange.answer for exchange in part.exchanges if exchange.answer]
        if part.failure.type in _ABOUT_A_PAGE and answers and isinstance(error, SearchFailed):
            error.page = answers[-1].page
            error.engine = error.engine or _name(part)
            yield error


@reject_damage()
def write_pages(trace: Trace, folder: Path) -> list[Path]:
    """Write those pages into ``folder``, each with what is known of it, and return their paths."""
    return [
        path for error in unread(trace) if (path := keep_failed_page(error, folder)) is not None
    ]


def _name(part: Part) -> str:
    return "page" if part.kind == "fetch" else part.name
