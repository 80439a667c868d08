"""The ends of lines that a stream of events must not hold, whatever application makes it."""

from __future__ import annotations

import json

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from citeseek.surfaces.web.event_streams import EventLines

SAID = "茶 one\u2028two\u2029three\x85four"


@pytest.mark.parametrize("media_type", ["text/event-stream", "text/event-stream; charset=utf-8"])
def test_a_stream_has_them_escaped_and_says_the_same(media_type: str) -> None:
    body = f"event: message\ndata: {json.dumps(SAID, ensure_ascii=False)}\n\n"
    with _serving(body, media_type) as call:
        (kind, data) = call.get("/").text.splitlines()[:2]
    assert kind == "event: message"
    assert json.loads(data.removeprefix("data: ")) == SAID


@pytest.mark.parametrize("media_type", ["application/json", "text/html"])
def test_other_answers_are_left_as_they_are(media_type: str) -> None:
    with _serving(SAID, media_type) as call:
        assert call.get("/").content == SAID.encode()


def _serving(body: str, media_type: str) -> TestClient:
    async def answer(_: object) -> Response:
        return Response(body.encode(), media_type=media_type)

    return TestClient(EventLines(Starlette(routes=[Route("/", answer)])))
