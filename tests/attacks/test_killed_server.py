"""A server that is killed without a word: what it has taken is kept."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.loopback.models import HANG, ModelServer
from tests.serving.command import serving

pytestmark = pytest.mark.release

QUESTIONS = 8


def test_each_question_that_was_accepted_is_there_after_kill_9(tmp_path: Path) -> None:
    with ModelServer() as model:
        model.says(HANG, always=True)
        with serving(tmp_path, alone=True, **model.env) as server:
            begun = [server.call("POST", "/api/v1/sessions", {}).json() for _ in range(QUESTIONS)]
            accepted = [
                server.call("POST", f"/api/v1/sessions/{each['id']}/messages", {"text": "tea?"})
                for each in begun
            ]
            os.kill(server.pid, signal.SIGKILL)
            assert {answer.status for answer in accepted} == {202}
        with serving(tmp_path, alone=True, **model.env) as server:
            listed = server.call("GET", "/api/v1/sessions").json()["sessions"]
            assert {each["id"] for each in listed} == {each["id"] for each in begun}
            for each in begun:
                (turn,) = server.call("GET", f"/api/v1/sessions/{each['id']}").json()["turns"]
                assert turn["message"] == "tea?"
