"""How many tokens a model took and gave, when its server tells it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.tracers.context import register_configure_hook

from citeseek.surfaces.completions.openai_shapes import Usage

# LangChain looks here whenever a model is asked; registered once, since it never forgets.
_COUNTER: ContextVar[UsageMetadataCallbackHandler | None] = ContextVar("tokens", default=None)
register_configure_hook(_COUNTER, inheritable=True)


class ModelUsage:
    """The tokens of every turn of a model within :func:`counted`."""

    def __init__(self, counter: UsageMetadataCallbackHandler) -> None:
        self._counter = counter

    @property
    def usage(self) -> Usage | None:
        """The sums; None when no server told any."""
        found = list(self._counter.usage_metadata.values())
        if not found:
            return None
        taken = sum(each["input_tokens"] for each in found)
        given = sum(each["output_tokens"] for each in found)
        return Usage(prompt_tokens=taken, completion_tokens=given, total_tokens=taken + given)


@contextmanager
def counted() -> Iterator[ModelUsage]:
    """Count the tokens of the models that are asked within."""
    counter = UsageMetadataCallbackHandler()
    _COUNTER.set(counter)
    try:
        yield ModelUsage(counter)
    finally:
        # A token of before may belong to another context, when a stream was broken off.
        _COUNTER.set(None)
