"""Traces whose members are there and are not what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from citeseek.errors import CiteseekError, InvalidInput

_READING = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    msgspec.MsgspecError,
)


@contextmanager
def reading() -> Iterator[None]:
    """Raise InvalidInput where what is done with a trace stumbles over what stands in it."""
    try:
        yield
    except CiteseekError:
        raise
    except _READING as error:
        raise _damage_error(error) from error
    except ExceptionGroup as group:
        mismatch, rest = group.split(_READING)
        if mismatch is None or rest is not None:
            raise
        raise _damage_error(_first(mismatch)) from group


def _damage_error(error: Exception) -> InvalidInput:
    return InvalidInput(
        "Something in the trace is missing, or is not what it is called "
        f"({type(error).__name__}: {error!s:.200}).",
        hint="A trace that was changed cannot always be read. "
        "If nobody changed it, this is a fault of the program.",
    )


def _first(group: ExceptionGroup[Exception]) -> Exception:
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
