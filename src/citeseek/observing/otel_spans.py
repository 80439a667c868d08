"""Operations as OpenTelemetry spans, one within the other."""

from __future__ import annotations

from typing import Any

from opentelemetry import trace as otel
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from citeseek.observing.operation import Kind, Operation
from citeseek.version import VERSION

# Where somebody else is asked. What is asked is in no span: it may hold anything.
_CLIENTS: frozenset[Kind] = frozenset({"model", "request"})


class Spans:
    """A watcher that makes spans by ``provider``, by default the one of the program."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._tracer = otel.get_tracer("citeseek", VERSION, provider)

    def began(self, operation: Operation) -> None:
        """Begin a span, within that of the operation around it."""
        outer = operation.outer and operation.outer.marks.get(id(self))
        named = operation.kind in ("engine", "model") and operation.name
        operation.marks[id(self)] = self._tracer.start_span(
            f"citeseek.{operation.kind} {operation.name}"
            if named
            else f"citeseek.{operation.kind}",
            # None is what the program itself has under way.
            context=otel.set_span_in_context(outer) if outer else None,
            kind=SpanKind.CLIENT if operation.kind in _CLIENTS else SpanKind.INTERNAL,
        )

    def ended(self, operation: Operation) -> None:
        """End its span."""
        span: Span = operation.marks.pop(id(self))
        if span.is_recording():
            span.set_attributes(
                {k: v for k, v in _attributes(operation).items() if v not in ("", None)}
            )
            if operation.code:
                span.set_status(Status(StatusCode.ERROR, operation.detail_code or operation.code))
        span.end()


def _attributes(operation: Operation) -> dict[str, Any]:
    """Return the attributes, by the conventions of OpenTelemetry where there are any."""
    attributes: dict[str, Any] = {
        "error.type": operation.code,
        "citeseek.detail_code": operation.detail_code,
        "citeseek.stopped": operation.was_stopped or None,
        "citeseek.cached": operation.is_cached or None,
        "citeseek.shared": operation.is_shared or None,
        "citeseek.cooling": operation.is_cooling or None,
    }
    match operation.kind:
        case "engine":
            attributes["citeseek.engine"] = operation.name
        case "fetch":
            attributes["server.address"] = operation.name
        case "model":
            attributes["gen_ai.operation.name"] = "chat"
            attributes["gen_ai.request.model"] = operation.name
            attributes["gen_ai.usage.input_tokens"] = operation.input_tokens
            attributes["gen_ai.usage.output_tokens"] = operation.output_tokens
            attributes["server.address"] = operation.host
        case "request":
            attributes["http.request.method"] = operation.method
            attributes["http.response.status_code"] = operation.status or None
            attributes["server.address"] = operation.host
            attributes["citeseek.transport"] = operation.via
            attributes["citeseek.sent_bytes"] = operation.sent_bytes
            attributes["citeseek.received_bytes"] = operation.received_bytes
    return attributes
