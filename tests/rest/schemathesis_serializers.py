"""How schemathesis sends bodies of kinds that it does not know itself (see test_rest_schema.py)."""

from __future__ import annotations

import schemathesis


@schemathesis.serializer("application/jsonl")
def send_lines(_: schemathesis.SerializationContext, value: str | bytes) -> bytes:
    """Return the lines of a batch, which are a text already."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
