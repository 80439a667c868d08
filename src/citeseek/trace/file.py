"""Traces as files: JSON, readable by their owner alone."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from citeseek.errors import InvalidInput
from citeseek.trace.place import put
from citeseek.trace.record import FORMAT, VERSION, Part, Trace
from citeseek.trace.secrecy import Secrecy
from citeseek.version import VERSION as CITESEEK

# A file that holds more is not one of ours.
MAX_BYTES = 1 << 30

log = logging.getLogger(__name__)


def trace_of(call: Part, settings: Mapping[str, Any], trace_id: str) -> Trace:
    """Return the trace of ``call``, which begins now."""
    return Trace(
        citeseek=CITESEEK,
        trace_id=trace_id,
        began_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        settings=dict(settings),
        call=call,
    )


def encoded(value: Any) -> bytes:
    """Return a result in the one spelling in which results are compared."""
    plain = _in_one_spelling(msgspec.to_builtins(value, enc_hook=repr))
    return json.dumps(plain, ensure_ascii=False, indent=1, sort_keys=True).encode()


def _in_one_spelling(value: Any) -> Any:
    """Return ``value`` with whole numbers as such: JSON knows no other difference."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _in_one_spelling(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_in_one_spelling(inner) for inner in value]
    return value


def write(trace: Trace, path: Path) -> None:
    """Write ``trace`` to ``path``; raise InvalidInput when it cannot be."""
    put(msgspec.json.format(msgspec.json.encode(trace), indent=1) + b"\n", path)


def keep(trace: Trace, folder: Path) -> Path | None:
    """Write ``trace`` to a file of its own in ``folder`` and return it.

    None when it cannot be written: no call fails for want of its trace.
    """
    at = trace.began_at[:23].replace(":", "").replace("-", "").replace(".", "")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{at}-{trace.call.kind}-{trace.trace_id}.json"
        write(trace, path)
    except (OSError, InvalidInput) as reason:
        log.warning("the trace was not kept: %s", reason)
        return None
    return path


def load(path: Path) -> Trace:
    """Return the trace in ``path``; raise InvalidInput for a file that holds none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{path} is too large for a trace.")
        content = path.read_bytes()
    except OSError as reason:
        raise InvalidInput(f"{path} cannot be read ({reason.strerror}).") from None
    try:
        head = msgspec.json.decode(content)
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise InvalidInput(f"{path} is not a trace of Citeseek.")
        if head.get("version") != VERSION:
            raise InvalidInput(
                f"{path} is a trace of version {head.get('version')!r:.20}, and this program reads "
                f"version {VERSION}.",
                hint=f"It was written by Citeseek {head.get('citeseek')!r:.20}.",
            )
        # An earlier program may have taken less for a secret.
        trace = msgspec.convert(Secrecy().tree(head), Trace)
        _check_bodies(trace.call)
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise InvalidInput(f"{path} is not a trace of Citeseek, or is damaged.") from None
    return trace


def _check_bodies(part: Part) -> None:
    """Raise ValueError where a body is no Base64."""
    for exchange in part.exchanges:
        _ = exchange.answer and exchange.answer.body.data
    for inner in part.parts:
        _check_bodies(inner)
