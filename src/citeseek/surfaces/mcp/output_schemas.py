"""What the tools give to programs: what they found, or why they failed, in one JSON schema.

A client may check a failure against the schema of the tool as well, so the schema has room for it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from citeseek.catalogue import BOTH, catalogue
from citeseek.errors import CiteseekError
from citeseek.research import RunError
from citeseek.tools.outputs import schema


class ToolFailure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a call failed: docs/errors.md has the codes. ``earlier`` engines failed before it."""

    error_code: str
    message: str
    retryable: bool
    detail_code: str = ""
    hint: str = ""
    engine: str = ""
    retry_after: float | None = None
    step: str = ""
    earlier: tuple[ToolFailure, ...] = ()

    @classmethod
    def of(cls, error: CiteseekError) -> ToolFailure:
        """Return what is safe to say of ``error``."""
        message, hint = catalogue(BOTH).explain(error)
        return cls(
            error_code=error.error_code,
            message=message,
            retryable=error.retryable,
            detail_code=error.detail_code,
            hint=hint,
            engine=error.engine,
            retry_after=error.retry_after,
            earlier=tuple(map(cls.of, error.earlier)),
        )

    @classmethod
    def of_run(cls, error: RunError) -> ToolFailure:
        """Return why a run has no report."""
        return cls(
            error_code=error.code,
            message=error.message,
            retryable=error.retryable,
            detail_code=error.detail_code,
            hint=error.hint,
            step=error.step,
        )


def or_failure(output: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what a tool gives: ``output`` whole, or an ``error``."""
    failure = schema(ToolFailure)
    defs = {**output.get("$defs", {}), **failure.pop("$defs", {}), "ToolFailure": failure}
    return {
        "type": "object",
        "properties": {**output["properties"], "error": {"$ref": "#/$defs/ToolFailure"}},
        "anyOf": [{"required": output["required"]}, {"required": ["error"]}],
        "$defs": defs,
    }
