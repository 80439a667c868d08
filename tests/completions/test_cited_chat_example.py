"""The example for clients of OpenAI, as somebody runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.assistant.chatting import found, result
from tests.rest.serving import served

EXAMPLE = Path(__file__).parents[2] / "examples/clients/cited_chat.py"


@pytest.mark.release
def test_the_example_prints_the_answer_and_its_pages() -> None:
    with served(found(result(1), result(2))) as at:
        at.model.says("Tea is a leaf [2].")
        done = subprocess.run(
            [sys.executable, EXAMPLE, "tea"],
            env={**os.environ, "CITESEEK_URL": at.http.base_url},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Tea is a leaf [[2]](https://site2.example/page).")
    assert done.stdout.endswith("\n- Title 2: https://site2.example/page\n")
