"""One answer of ``citeseek ask``: shown while it is made, checked, as JSON, with its exit code."""

from __future__ import annotations

import argparse
import asyncio

from citeseek.assistant.answer_as_json import (
    check_answer,
    check_to_json,
    final_sentences,
    last_failure,
    to_json,
)
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import (
    Done,
    Event,
    Notice,
    SearchBroken,
    SearchDone,
)
from citeseek.i18n import Catalogue
from citeseek.settings import Settings
from citeseek.surfaces.cli import terminal
from citeseek.surfaces.cli.certificate_option import Certifying
from citeseek.surfaces.cli.live import Live
from citeseek.surfaces.cli.next_step import at_terminal
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    NOTHING,
    ReaderGone,
    catalogue_of,
    ending_with,
    print_json,
)
from citeseek.surfaces.verdict_text import found_lines, judged_markdown
from citeseek.text import without_controls


async def answer(
    conversation: Conversation,
    question: str,
    options: argparse.Namespace,
    settings: Settings,
    certificate: Certifying | None = None,
) -> int:
    """Answer ``question`` in the form of the options; return the exit code.

    Where a certificate is wanted, it is written also when nobody reads the output any more.
    """
    words = catalogue_of(settings)
    live, form = Live(words), options.format
    reader = _Reader()
    seen: list[Event] = []
    try:
        async for event in conversation.stream(question):
            seen.append(event)
            with reader:
                if isinstance(event, Notice):
                    live.show(at_terminal(event, last_failure(seen)))
                elif form == "text" and not reader.has_left:
                    live.show(event)
    except asyncio.CancelledError:
        live.break_off()
        raise
    done = seen[-1]
    assert isinstance(done, Done)  # noqa: S101 - every answer ends with one
    if form == "markdown":
        with reader:
            _print_markdown(done, seen, words)
    exit_code = _exit_code(seen, done)
    is_checked = (options.check and not reader.has_left) or certificate
    found = await check_answer(conversation, done) if is_checked else None
    if certificate and found and done.outcome != "failed":
        files = conversation.session.record.files
        certificate.answer(question, done, found.checks, files, words)
    if reader.has_left:
        raise ReaderGone(exit_code)
    shown = found if options.check else None
    with ending_with(exit_code):
        if form == "json":
            check = {"check": check_to_json(shown)} if shown else {}
            print_json({"session": conversation.id, **to_json(question, seen, done), **check})
        elif shown:
            told = list(found_lines(shown, words)) or [words("cli.nothing_cited")]
            lines = map(without_controls, told)
            terminal.print_lines("\n".join(("", words("cli.check"), *lines)))
    return exit_code


def _print_markdown(done: Done, seen: list[Event], words: Catalogue) -> None:
    print(without_controls(done.text))
    if section := judged_markdown(final_sentences(seen), words):
        print(f"\n{without_controls(section)}")


class _Reader:
    """Whoever reads the output, and may leave before its end: ``answer | head``."""

    def __init__(self) -> None:
        self.has_left = False

    def __enter__(self) -> None:
        """Begin to print."""

    def __exit__(self, sort: object, error: BaseException | None, trace: object) -> bool:
        """Take note that nobody reads what is printed, which ends nothing else."""
        is_closed = isinstance(error, BrokenPipeError)
        self.has_left |= is_closed
        return is_closed


def _exit_code(seen: list[Event], done: Done) -> int:
    is_cut = any(isinstance(event, Notice) and event.code.startswith("cut_") for event in seen)
    if done.outcome == "failed" or is_cut or any(isinstance(e, SearchBroken) for e in seen):
        return FAILED
    searched = any(isinstance(event, SearchDone) for event in seen)
    return NOTHING if searched and not done.sources else FOUND
