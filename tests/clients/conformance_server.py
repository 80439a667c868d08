"""The server that the protocol's conformance suite asks for: its tools, resources and prompts.

They are what its SERVER_REQUIREMENTS.md names, and stand over the transport that Citeseek has.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext

Context = ServerRequestContext[Any]
Given = dict[str, Any]
Tool = Callable[[Context, Given], Awaitable[types.CallToolResult]]

STATIC = "test://static-text"
BINARY = "test://static-binary"
WATCHED = "test://watched-resource"
TEMPLATE = "test://template/{id}/data"
_OF_TEMPLATE = re.compile(r"test://template/([^/]+)/data")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# One red pixel, and one sample of silence.
PICTURE = base64.b64encode(
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
).decode()
SOUND = base64.b64encode(
    b"RIFF"
    + struct.pack("<I", 38)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
    + b"data"
    + struct.pack("<Ih", 2, 0)
).decode()


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _picture() -> types.ImageContent:
    return types.ImageContent(type="image", data=PICTURE, mime_type="image/png")


def _embedded(uri: str, media_type: str, text: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=media_type, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


def _giving(*content: types.ContentBlock, is_error: bool = False) -> Tool:
    async def give(_: Context, __: Given) -> types.CallToolResult:
        return types.CallToolResult(content=list(content), is_error=is_error)

    return give


async def _log(context: Context, _: Given) -> types.CallToolResult:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message(
            "info", said, "conformance", related_request_id=context.request_id
        )
    return types.CallToolResult(content=[_text("Three messages were logged.")])


async def _progress(context: Context, _: Given) -> types.CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return types.CallToolResult(content=[_text("It is done.")])


async def _sample(context: Context, given: Given) -> types.CallToolResult:
    said = await context.session.create_message(
        messages=[types.SamplingMessage(role="user", content=_text(given["prompt"]))],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    assert said.content.type == "text"
    return types.CallToolResult(content=[_text(f"LLM response: {said.content.text}")])


def _eliciting(properties: Given, *, required: list[str] | None = None) -> Tool:
    async def elicit(context: Context, given: Given) -> types.CallToolResult:
        schema = {"type": "object", "properties": properties, "required": required or []}
        said = await context.session.elicit_form(
            given.get("message", "Please answer."), schema, context.request_id
        )
        told = f"User response: action={said.action}, content={json.dumps(said.content)}"
        return types.CallToolResult(content=[_text(told)])

    return elicit


async def _close_stream(context: Context, _: Given) -> types.CallToolResult:
    """Close the stream of the call; a transport that cannot be resumed has nothing to close."""
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    return types.CallToolResult(content=[_text("Reconnection test completed")])


_NAMED = {"type": "string", "description": "What is to be said"}
_CHOICES = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
_OPTIONS = ["option1", "option2", "option3"]
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _CHOICES},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _CHOICES}},
}
_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
_PERSON = {"username": {"type": "string"}, "email": {"type": "string"}}
_MODERN = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
# Each with the one argument that it takes, if any.
TOOLS: dict[str, tuple[Tool, str]] = {
    "test_simple_text": (_giving(_text("This is a simple text response for testing.")), ""),
    "test_image_content": (_giving(_picture()), ""),
    "test_audio_content": (
        _giving(types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")),
        "",
    ),
    "test_embedded_resource": (
        _giving(
            _embedded("test://embedded-resource", "text/plain", "This is an embedded resource.")
        ),
        "",
    ),
    "test_multiple_content_types": (
        _giving(
            _text("Multiple content types test:"),
            _picture(),
            _embedded("test://mixed-content-resource", "application/json", '{"test":"data"}'),
        ),
        "",
    ),
    "test_error_handling": (
        _giving(_text("This tool intentionally returns an error for testing"), is_error=True),
        "",
    ),
    "test_tool_with_logging": (_log, ""),
    "test_tool_with_progress": (_progress, ""),
    "test_sampling": (_sample, "prompt"),
    "test_elicitation": (_eliciting(_PERSON, required=["username", "email"]), "message"),
    "test_elicitation_sep1034_defaults": (_eliciting(_DEFAULTS), ""),
    "test_elicitation_sep1330_enums": (_eliciting(_ENUMS), ""),
    "test_reconnection": (_close_stream, ""),
    "json_schema_2020_12_tool": (_giving(_text("It was called.")), ""),
}
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def conformance_server() -> Server[Any]:
    """Return the server, of the class that :mod:`citeseek.surfaces.mcp.server` makes."""
    return Server(
        "conformance",
        version="1",
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_take,
        on_unsubscribe_resource=_take,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
        on_set_logging_level=_take,
    )


async def _list_tools(_: Context, __: Any) -> types.ListToolsResult:
    tools = []
    for name, (_tool, argument) in TOOLS.items():
        schema: Given = {"type": "object", "properties": {}}
        if argument:
            schema |= {"properties": {argument: _NAMED}, "required": [argument]}
        if name == "json_schema_2020_12_tool":
            schema = _MODERN
        tools.append(types.Tool(name=name, description=f"The suite's {name}", input_schema=schema))
    return types.ListToolsResult(tools=tools)


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no tool {params.name!r}.")
    tool, _ = TOOLS[params.name]
    return await tool(context, params.arguments or {})


async def _list_resources(_: Context, __: Any) -> types.ListResourcesResult:
    kinds = {STATIC: "text/plain", BINARY: "image/png", WATCHED: "text/plain"}
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=uri, name=uri, description="A resource", mime_type=kind)
            for uri, kind in kinds.items()
        ]
    )


async def _list_templates(_: Context, __: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template=TEMPLATE, name="template", description="One for each id", mime_type="text/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(
    _: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    contents: types.TextResourceContents | types.BlobResourceContents
    if uri == BINARY:
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PICTURE)
    elif found := _OF_TEMPLATE.fullmatch(uri):
        data = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        contents = types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(data)
        )
    elif uri in {STATIC, WATCHED}:
        text = "This is the content of the static text resource."
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    else:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no resource {uri!r}.")
    return types.ReadResourceResult(contents=[contents])


async def _list_prompts(_: Context, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=f"The suite's {name}",
                arguments=[
                    types.PromptArgument(name=argument, description=argument, required=True)
                    for argument in arguments
                ],
            )
            for name, arguments in PROMPTS.items()
        ]
    )


async def _get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    told: list[types.ContentBlock]
    if params.name == "test_simple_prompt":
        told = [_text("This is a simple prompt for testing.")]
    elif params.name == "test_prompt_with_arguments":
        told = [_text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'".format(**given))]
    elif params.name == "test_prompt_with_embedded_resource":
        told = [_embedded(given["resourceUri"], "text/plain", "Embedded content"), _text("Read it")]
    elif params.name == "test_prompt_with_image":
        told = [_picture(), _text("Please analyze the image above.")]
    else:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {params.name!r}.")
    messages = [types.PromptMessage(role="user", content=content) for content in told]
    return types.GetPromptResult(messages=messages)


async def _complete(_: Context, __: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


async def _take(_: Context, __: Any) -> types.EmptyResult:
    return types.EmptyResult()
