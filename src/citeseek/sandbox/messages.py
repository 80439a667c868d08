"""What travels between the program and a worker: MessagePack in frames, and nothing else.

A worker that a page has taken over can send wrong data, though no code.
"""

from __future__ import annotations

import struct
from typing import Any, Literal

import msgspec

from citeseek.text import encodable
from citeseek.trace.trace_record import Failed

# The length of what follows.
HEADER = struct.Struct(">Q")


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is told when it starts: where modules are, and what to import at once."""

    path: tuple[str, ...]
    parent: int
    memory_mb: int
    output_bytes: int
    modules: tuple[str, ...] = ()


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A function of a module, as ``module:name``, and its arguments by name.

    Both ends read them by the function's annotations. ``seconds`` are of processor time; a long
    task lowers the priority of its worker for good.
    """

    function: str
    arguments: dict[str, msgspec.Raw]
    seconds: float
    is_long: bool = False


class TaskResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a task: a ``value``, an error of ours, or ``raised``, an exception's name.

    ``exceeded`` names the limit that ended it, ``kept_mb`` the memory that the worker keeps.
    """

    value: msgspec.Raw = msgspec.Raw()
    failure: Failed | None = None
    raised: str = ""
    exceeded: Literal["", "memory", "output"] = ""
    kept_mb: int = 0


def encode(value: Any) -> bytes:
    """Return ``value`` as MessagePack; what no UTF-8 can hold is left out of texts."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=(bytes,))
        return msgspec.msgpack.encode(_encodable(plain))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {name: _encodable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(inner) for inner in value]
    return value
