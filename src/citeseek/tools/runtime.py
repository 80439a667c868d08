"""Where a run calls its tools: finds the provider, checks what it gives, writes down each step."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from citeseek.errors import CiteseekError, ToolNotFound, WebProviderError
from citeseek.text import plain_line, shorten
from citeseek.tools.contract import ToolProvider
from citeseek.tools.outputs import check_output
from citeseek.urls import without_password

PREVIEW_CHARS = 200
CANCELLED = "Cancelled"

log = logging.getLogger(__name__)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a run did, and how it went.

    Steps of tools are named ``tool.web.search`` and ``tool.web.fetch``; their ``meta`` has
    ``tool_name``, ``provider_id``, ``args_preview`` and ``result_preview`` (at most 200 characters
    each, the last empty when there is no result). ``error_code`` is empty for what went well,
    ``Cancelled`` for what was cut off; ``meta`` has a ``detail_code`` when the error has one.
    """

    name: str
    ok: bool
    duration_ms: int
    error_code: str = ""
    meta: Mapping[str, Any] = {}


class Runtime:
    """The tools of ``providers`` for one run; of two with the same tool the first one answers.

    ``steps`` are what was done so far, in the order in which it ended, ``trace_id`` names the run.
    """

    def __init__(self, *providers: ToolProvider) -> None:
        self.trace_id = uuid.uuid4().hex
        self.steps: list[Step] = []
        self._providers = {
            tool.name: provider for provider in reversed(providers) for tool in provider.tools()
        }

    def provider_id(self, name: str) -> str:
        """Return the id of who answers the tool ``name``, empty when nobody does."""
        provider = self._providers.get(name)
        return provider.id if provider else ""

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do what the tool ``name`` does, and write it down.

        Raise ToolNotFound, InvalidInput or SearchFailed: WebParseError with ``bad_output`` when
        a provider gives something else than the tool does, WebProviderError when it breaks.
        """
        provider = self._providers.get(name)
        with self.step(f"tool.{name}") as meta:
            meta |= {
                "tool_name": name,
                "provider_id": self.provider_id(name),
                "args_preview": _preview(arguments),
                "result_preview": "",
            }
            if provider is None:
                known = ", ".join(self._providers) or "none"
                raise ToolNotFound(f"There is no tool {name!r:.60}.", hint=f"Known: {known}.")
            result = check_output(name, await _ask(provider, name, arguments), provider.id)
            meta["result_preview"] = _preview(result)
        return result

    @contextmanager
    def step(self, name: str) -> Iterator[dict[str, Any]]:
        """Write down what is done inside as one step; yield its ``meta``, to be filled."""
        meta: dict[str, Any] = {}
        began = time.perf_counter()
        error_code = ""
        try:
            yield meta
        except BaseException as error:
            error_code = _code(error)
            if isinstance(error, CiteseekError) and error.detail_code:
                meta["detail_code"] = error.detail_code
            raise
        finally:
            self.steps.append(
                Step(
                    name=name,
                    ok=not error_code,
                    duration_ms=round((time.perf_counter() - began) * 1000),
                    error_code=error_code,
                    meta=meta,
                )
            )


async def _ask(provider: ToolProvider, name: str, arguments: Mapping[str, Any]) -> Any:
    """Return what ``provider`` gives; what it raises is one of our errors."""
    try:
        return await provider.invoke(name, arguments)
    except CiteseekError:
        raise
    except Exception as error:
        log.exception("%s failed in %s", name, provider.id)
        # The exception's own text may hold a key or a page.
        raise WebProviderError(
            f"The tool failed unexpectedly ({type(error).__name__}).",
            hint="This is a fault of the provider's code.",
            engine=provider.id,
            values={"case": "tool_broke", "type": type(error).__name__},
        ) from error


def _code(error: BaseException) -> str:
    if isinstance(error, CiteseekError):
        return error.error_code
    return CANCELLED if isinstance(error, asyncio.CancelledError) else type(error).__name__


def _preview(value: Mapping[str, Any]) -> str:
    shown = {k: without_password(v) if isinstance(v, str) else v for k, v in value.items()}
    line = plain_line(json.dumps(shown, ensure_ascii=False, default=str))
    return shorten(line, PREVIEW_CHARS)
