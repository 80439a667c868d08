"""What our tools are for LangChain: text for a model, a structure for programs, never an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from citeseek.extras import needing
from citeseek.tools.definitions import Definition

with needing("agent"):
    from langchain_core.tools import BaseTool
    from pydantic import PrivateAttr


class Given(Protocol):
    """What came of a call; the artifact is None when it failed."""

    @property
    def text(self) -> str:
        """What the model is given."""
        ...

    @property
    def artifact(self) -> dict[str, Any] | None:
        """The same as a structure."""
        ...


class Work(Protocol):
    """A tool that knows no framework."""

    @property
    def definition(self) -> Definition:
        """What a model is told of it."""
        ...

    async def run(self, arguments: Mapping[str, Any]) -> Given:
        """Do the work; a failure is text."""
        ...

    def run_sync(self, arguments: Mapping[str, Any]) -> Given:
        """Do the same for a caller that is not asynchronous."""
        ...


class TextTool(BaseTool):
    """``work`` behind LangChain's interface.

    A failure is text as well; only cancellation passes through. A plain text as input is the first
    required argument.
    """

    args_schema: Any
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _work: Work = PrivateAttr()

    def __init__(self, work: Work) -> None:
        definition = work.definition
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
        )
        self._work = work

    # A model may send an argument of any name, even "self".
    def _run(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        given = self._work.run_sync(arguments)
        return given.text, given.artifact

    async def _arun(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        given = await self._work.run(arguments)
        return given.text, given.artifact

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - its name
        """Do the work; a plain text is the first argument."""
        return super().invoke(self._arguments(input), config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        """Do the work; a plain text is the first argument."""
        return await super().ainvoke(self._arguments(input), config, **kwargs)

    def _arguments(self, given: Any) -> Any:
        first = self._work.definition.parameters["required"][0]
        return {first: given} if isinstance(given, str) else given
