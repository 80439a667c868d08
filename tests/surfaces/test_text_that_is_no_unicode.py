"""Half characters and NUL, of an engine and of a model, crash no exit and lose no answer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.assistant.chatting import result
from tests.command import run_citeseek
from tests.loopback import LoopbackServer, Reply, replies
from tests.loopback.models import ModelServer
from tests.serving.command import Process, serving

pytestmark = pytest.mark.release

# The halves of a character, NUL, and what is no character.
ODD = "\ud83d, \udf0d, \x00, \uffff"
# Of an answer, and of a search.
FORMS = (("text", "table"), ("json", "json"), ("markdown", "text"))


@contextmanager
def world() -> Iterator[dict[str, str]]:
    """Give the environment of an engine and a model that put such signs into all that they say."""
    odd = result(1, title=f"Tea{ODD} house", content=f"Steamed{ODD} leaves.")
    said = ({"reasoning_content": f"hm{ODD}"}, {"content": f"Steamed{ODD} [1]."})
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in said]
    events = [f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices]
    stream = {"Content-Type": "text/event-stream", "Connection": "close"}
    with LoopbackServer() as engine, ModelServer() as model:
        # Escaped, as servers write what no UTF-8 can hold.
        found = json.dumps({"query": "q", "results": [odd]})
        engine.on("/search", Reply(200, {"Content-Type": replies.JSON}, found))
        body = "".join([*events, "data: [DONE]\n\n"])
        model.http.on("/v1/chat/completions", Reply(200, stream, body))
        yield {**model.env, "SEARXNG_BASE_URL": engine.base_url, "CITESEEK_CHAT_ENGINE": "searxng"}


def test_every_exit_of_a_server(tmp_path: Path) -> None:
    with world() as env:
        with serving(tmp_path, **env) as server:
            session = server.call("POST", "/api/v1/sessions", {"search": True}).json()["id"]
            path = f"/api/v1/sessions/{session}/messages"
            answer = server.call("POST", path, {"text": "tea?\ud83d"})
            assert answer.status == 202, answer.text
            stream = server.call("GET", answer.json()["events"])
            assert "Steamed" in stream.text
            assert '"outcome":"answered"' in stream.text
            check_exits(server, session)
            for streamed in (False, True):
                messages = [{"role": "user", "content": "tea?\ud83d"}]
                body = {"model": "citeseek-chat", "messages": messages, "stream": streamed}
                done = server.call("POST", "/v1/chat/completions", body)
                assert done.status == 200, done.text
                assert "Steamed" in done.text
            hits = server.call("GET", "/api/v1/search?q=tea&engine=searxng")
            assert "Tea" in hits.json()["items"][0]["title"]
            server.end()
        # An old conversation, read from the file again.
        with serving(tmp_path, **env) as server:
            check_exits(server, session)
            server.end()


def check_exits(server: Process, session: str) -> None:
    api = f"/api/v1/sessions/{session}"
    for path in (api, f"{api}/export", "/api/v1/sessions", f"/c/{session}", "/"):
        answered = server.call("GET", path)
        assert answered.status == 200, (path, answered.text)
    (turn,) = server.call("GET", api).json()["turns"]
    assert turn["answer"].startswith("Steamed")
    assert "Steamed" in server.call("GET", f"{api}/export").text


@pytest.mark.parametrize(("form", "search_form"), FORMS)
def test_the_command_line_where_the_locale_is_c(
    tmp_path: Path, form: str, search_form: str
) -> None:
    trace = tmp_path / "trace.json"
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with world() as env:
        around = {**os.environ, **env, **bare}
        asking = ["ask", "tea", "-e", "searxng", "-f", form, "--trace", str(trace)]
        asked = run_citeseek(*asking, env=around)
        hits = run_citeseek("search", "tea", "-e", "searxng", "-f", search_form, env=around)
    for done, words in ((asked, "Steamed"), (hits, "Tea")):
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert words in done.stdout
    assert "Steamed" in trace.read_text(encoding="utf-8")
    if form == "json":
        assert json.loads(asked.stdout)["outcome"] == "answered"
        again = run_citeseek("replay", str(trace), env={**os.environ, **bare})
        assert again.returncode == 0, again.stderr
