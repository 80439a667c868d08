"""No event has a line end within its data, for clients that know more of them than the standard."""

from __future__ import annotations

from tests.rest.serving import PREFIX, served

SAID = "one\u2028two\u2029three\x85four"


def test_every_line_of_a_stream_is_a_line_for_python_too() -> None:
    completion = {
        "model": "citeseek-chat",
        "messages": [{"role": "user", "content": SAID}],
        "stream": True,
    }
    with served() as api:
        api.model.says(SAID, always=True)
        session = api.begin(search=False)
        told = "".join(e.data["text"] for e in api.ask(session, "tea") if e.kind == "token")
        assert told == SAID
        asked = {"Accept": "text/event-stream"}
        for path, body in (
            (f"{PREFIX}{session}/messages", {"text": SAID}),
            ("/v1/chat/completions", completion),
        ):
            with api.http.opened("POST", path, body, asked) as response:
                text = response.read().decode()
            assert "\\u2028" in text
            assert text.splitlines() == text.removesuffix("\n").split("\n")
