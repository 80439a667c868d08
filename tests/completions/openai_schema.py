"""What OpenAI publishes of its answers: the types of its own package, which are made from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydantic
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent

# What is said beside: none of these is a name of OpenAI's with another meaning.
OURS = frozenset({"egress", "was_read", "detail_code", "hint", "store", "annotations"})
COMPLETION: Any = pydantic.TypeAdapter(ChatCompletion)
PIECE: Any = pydantic.TypeAdapter(ChatCompletionChunk)
RESPONSE: Any = pydantic.TypeAdapter(Response)
EVENT: Any = pydantic.TypeAdapter(ResponseStreamEvent)


def check(kind: Any, sent: bytes | str) -> Any:
    """Return what was ``sent`` as ``kind``; fail for what is not as it is published."""
    told = kind.validate_json(sent, strict=True)
    assert set(_extras(told)) <= OURS
    return told


def _extras(value: object) -> Iterator[str]:
    """Yield the names of all fields that the published types do not know."""
    if isinstance(value, pydantic.BaseModel):
        yield from value.model_extra or ()
        for name in type(value).model_fields:
            yield from _extras(getattr(value, name))
    elif isinstance(value, list):
        for each in value:
            yield from _extras(each)
