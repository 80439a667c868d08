"""Output that cannot be written is told as that, and not as a fault of SearXNG's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place

FULL = Path("/dev/full")
SENTENCE = "citeseek: the output could not be written: No space left on device\n"


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_each_action_tells_of_output_that_cannot_be_written(installed: Place) -> None:
    port = str(free_port())

    def to_full(*arguments: str) -> None:
        with FULL.open("w") as full:
            process = installed.start(*arguments, stdout=full)
            _, said = process.communicate(timeout=50)
        assert said.endswith(SENTENCE), said
        assert "a file of" not in said
        assert process.returncode == 4

    for action in (
        ("init", "other"),
        ("status",),
        ("status", "--json"),
        ("up", "--native", "--port", port),
        ("status",),
        ("logs",),
        ("restart",),
        ("down",),
    ):
        to_full(*action)


def test_a_reader_that_has_seen_enough_is_no_failure(place: Place) -> None:
    process = place.start("init")
    assert process.stdout
    process.stdout.close()
    process.stdout = None
    _, said = process.communicate(timeout=50)
    assert (process.returncode, said) == (0, "")


def test_a_file_that_cannot_be_written_is_named(place: Place) -> None:
    place.run("init")
    place.state.write_text("a file, where a folder has to be")
    said = place.run("up", "--native", "--yes", code=3)
    assert str(place.state) in said
    assert "the output" not in said
    place.state.unlink()
