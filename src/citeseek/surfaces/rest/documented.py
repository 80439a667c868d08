"""msgspec's values in FastAPI: read from bodies, written as answers, told in the OpenAPI page."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from citeseek.errors import InvalidInput
from citeseek.settings.json_file import Reason, fault
from citeseek.surfaces.web.error_formats import MEDIA_TYPE, Problem
from citeseek.surfaces.web.event_streams import STREAM
from citeseek.text import repair_surrogates

T = TypeVar("T")

# An escape that may be one: programs cut texts between the two that make a character.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_REF = "#/components/schemas/{name}"
_AS_DESCRIBED = "Send JSON as {name} of /api/openapi.json says."
# Made once for the routes of all applications.
_SCHEMAS: dict[Any, dict[str, Any]] = {}


def read(kind: type[T]) -> Callable[[Request], Awaitable[T]]:
    """Return a dependency that reads the body as ``kind``; it raises InvalidInput."""

    async def body(request: Request) -> T:
        return decode_body(await request.body(), kind, kind.__name__)

    return body


def decode_body(sent: bytes, kind: type[T], name: str) -> T:
    """Return ``sent``, or an empty object, as ``kind``; ``name`` is what the API page calls it.

    Raise InvalidInput.
    """
    try:
        whole = _whole(sent) if _HALF.search(sent) else sent
        return msgspec.json.decode(whole or b"{}", type=kind)
    except msgspec.ValidationError as error:
        reason = str(error)
        raise InvalidInput(
            f"The body is not what is expected here: {reason}",
            hint=_AS_DESCRIBED.format(name=name),
            values={"case": "body", "name": name, "reason": reason},
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        why = _why_no_json(sent)
        raise InvalidInput(
            f"The body is no JSON: {why}.",
            hint=_AS_DESCRIBED.format(name=name),
            values={"case": "body_no_json", "name": name, "why": why.code, "about": why.about},
        ) from None
    except RecursionError:
        raise InvalidInput(
            "The body is nested too deeply.", values={"case": "body_too_deep"}
        ) from None


def _why_no_json(sent: bytes) -> Reason:
    try:
        _, reason = fault(sent.decode())
    except UnicodeDecodeError:
        return Reason("json_no_utf_8")
    return reason


def _whole(sent: bytes) -> bytes:
    """Return JSON with half characters replaced; what is no JSON stays as it is."""
    try:
        text = json.dumps(json.loads(sent), ensure_ascii=False)
    except ValueError:
        return sent
    return repair_surrogates(text).encode()


def json_response(value: object, status: int = 200, **headers: str) -> Response:
    """Return ``value`` as a JSON answer."""
    return Response(
        msgspec.json.encode(value), status, headers=headers, media_type="application/json"
    )


def describe_route(
    gives: type[Any] | None,
    *,
    takes: type[Any] | None = None,
    status: int = 200,
    text: str = "",
    problem: type[Any] = Problem,
) -> dict[str, Any]:
    """Return what FastAPI needs to describe a route that takes and gives these types.

    ``problem`` is the type of its failures.
    """
    answer: dict[str, Any] = {"description": text or "The answer"}
    if gives is not None:
        answer["content"] = {"application/json": {"schema": _schema(gives)}}
    media_type = MEDIA_TYPE if problem is Problem else "application/json"
    failed = {
        "description": "What went wrong, and what to do",
        "content": {media_type: {"schema": {"$ref": _REF.format(name=problem.__name__)}}},
    }
    about: dict[str, Any] = {
        # Adds no media type of its own to those that are told here.
        "response_class": Response,
        "status_code": status,
        "responses": {status: answer, "4XX": failed, "5XX": failed},
    }
    if takes is not None:
        content = {"application/json": {"schema": _schema(takes)}}
        body = {"required": not _may_be_empty(takes), "content": content}
        about["openapi_extra"] = {"requestBody": body}
    return about


def streams_too(about: dict[str, Any], text: str) -> None:
    """Add to what :func:`describe_route` gave that events are streamed too; ``text`` says when."""
    answer = about["responses"][about["status_code"]]
    answer["description"] += f"; {text}"
    answer.setdefault("content", {})[STREAM] = {"schema": event_schema()}


def event_schema(data: str = "") -> dict[str, Any]:
    """Return the schema of a server-sent event whose data is JSON, of the type called ``data``."""
    text: dict[str, Any] = {"type": "string", "contentMediaType": "application/json"}
    if data:
        text["contentSchema"] = {"$ref": _REF.format(name=data)}
    fields = {"event": {"type": "string"}, "id": {"type": "string"}, "data": text}
    return {"type": "object", "properties": fields}


def describe(app: FastAPI, kinds: tuple[Any, ...], **unions: Any) -> None:
    """Serve a description of ``app`` in which the routes' types stand once, under their names.

    ``unions`` are types that have no name of their own.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            told_kinds = (*unions.values(), *kinds, Problem)
            roots, schemas = msgspec.json.schema_components(told_kinds, ref_template=_REF)
            schemas |= zip(unions, roots, strict=False)
            page = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            page.setdefault("components", {})["schemas"] = schemas
            app.openapi_schema = page
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _may_be_empty(kind: type[Any]) -> bool:
    """Whether nothing has to be named; :func:`read` takes no body for that."""
    try:
        msgspec.convert({}, kind)
    except msgspec.ValidationError:
        return False
    return True


def _schema(kind: type[Any]) -> dict[str, Any]:
    if kind not in _SCHEMAS:
        (_SCHEMAS[kind],), _ = msgspec.json.schema_components((kind,), ref_template=_REF)
    return _SCHEMAS[kind]
