"""Parameters of an interface that is another's: each is obeyed, or refused by its name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, TypeVar

import msgspec
from fastapi import Request

from citeseek.errors import InvalidInput
from citeseek.surfaces.rest.documented import decode_body

T = TypeVar("T")


class Fixed(msgspec.Struct, frozen=True):
    """A parameter that has one meaning here: ``values`` that say so, and ``why`` no others do."""

    why: str
    values: tuple[Any, ...] = ()


def refuse(name: str, why: str, hint: str = "") -> InvalidInput:
    """Return the error for the parameter ``name``."""
    return InvalidInput(why, hint=hint, values={"param": name})


def read_parameters(
    kind: type[T], fixed: Mapping[str, Fixed], beside: Collection[str] = ()
) -> Callable[[Request], Awaitable[T]]:
    """Return a dependency that reads the body as ``kind``; it raises InvalidInput.

    Parameters that are not in ``kind`` must be ``fixed``, and have one of their values or null.
    Those ``beside`` may have any value, since no answer depends on them.
    """
    fields = {field.name: field for field in msgspec.structs.fields(kind)}  # type: ignore[arg-type]

    async def parameters(request: Request) -> T:
        body = decode_body(await request.body(), dict[str, Any], kind.__name__)
        given: dict[str, Any] = {}
        for name, value in body.items():
            if name in fields:
                given[name] = _convert(name, value, fields[name].type)
            elif name in fixed:
                if value is not None and value not in fixed[name].values:
                    raise refuse(name, fixed[name].why)
            elif name not in beside:
                raise refuse(name, f"There is no parameter {name!r:.60} here.")
        for name, field in fields.items():
            if field.required and name not in given:
                raise refuse(name, f"The parameter {name} is missing.")
        return kind(**given)

    return parameters


def _convert(name: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise refuse(name, f"The parameter {name} is not what is expected here: {error}") from None
