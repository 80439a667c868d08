"""The README's example is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

from tests.loopback import LoopbackServer
from tests.loopback.canned import load_pages
from tests.loopback.standin import stand_in
from tests.test_cli import run

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_example_answer_is_real_output() -> None:
    example = re.search(
        r"<!-- example: ask -->\n```console\n(.*?)```\n<!-- end -->", README, re.DOTALL
    )
    assert example
    command, _, shown = example[1].partition("\n")
    question = re.search(r'ask "([^"]+)"', command)
    assert question
    with LoopbackServer() as server:
        stand_in(server, load_pages())
        done = run("ask", question[1], "-e", "ddg_html", CITESEEK_DDG_HTML_URL=server.base_url)
    assert done.stdout == shown
    assert done.returncode == 0
