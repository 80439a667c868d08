"""``citeseek ask [QUESTION]``: a cited answer, or a conversation of them."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from citeseek.concurrency.interruption import run_interruptible
from citeseek.errors import InvalidInput
from citeseek.extras import missing
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.settings.assistant_settings import GATES
from citeseek.settings.face_settings import OpenSection
from citeseek.surfaces.cli.batch_option import (
    add_batch_options,
    refuse_without_batch,
    run_batch,
)
from citeseek.surfaces.cli.certificate_option import add_certificate_options, certifying
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import BAD_INPUT, FOUND, ReaderGone, say, settings_of
from citeseek.surfaces.cli.shared_options import (
    add_engine_options,
    add_files,
    add_question,
    add_trace_option,
    trace_calls,
)

if TYPE_CHECKING:
    from citeseek.assistant.conversation import Conversation
    from citeseek.conversations.store import Store
    from citeseek.jobs.batch import Answer
    from citeseek.jobs.batch_files import Asked
    from citeseek.settings import Settings

FORMATS = ("text", "markdown", "json")
# What ends a conversation at a terminal, as other programs have it.
LEAVING = frozenset({"/quit", "/exit"})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_question(
        parser,
        "question",
        help_text=describe("ask.question"),
        may_be_missing=True,
    )
    parser.add_argument(
        "-m",
        "--mode",
        choices=("chat", "agent"),
        help=describe("ask.mode"),
    )
    parser.add_argument("--no-search", action="store_true", help=describe("ask.no_search"))
    parser.add_argument(
        "--read",
        action=argparse.BooleanOptionalAction,
        help=describe("ask.read"),
    )
    parser.add_argument(
        "--gate",
        choices=GATES,
        help=describe("ask.gate"),
    )
    add_files(parser)
    parser.add_argument("--agent", metavar="ID", dest="agent_id", help=describe("ask.agent"))
    parser.add_argument("--session", metavar="ID", help=describe("ask.session"))
    parser.add_argument("--model", metavar="NAME", help=describe("model"))
    parser.add_argument(
        "--check",
        action="store_true",
        help=describe("ask.check"),
    )
    add_certificate_options(parser)
    add_engine_options(parser)
    add_trace_option(parser)
    add_batch_options(parser)
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help=describe("format", usual="text")
    )


def run(options: argparse.Namespace) -> int:
    """Answer one question, or one after the other."""
    from importlib.util import find_spec  # noqa: PLC0415 - imported when run

    if find_spec("langchain_core") is None:
        say(locale_catalogue()("cli.needs_agent", how=missing("agent")))
        return BAD_INPUT
    if options.batch:
        return run_batch(options, "question", _answering, _usual)
    refuse_without_batch(options, "out", "at_once", "retry_failed", "spread")
    with trace_calls(options):
        return run_interruptible(_converse(options))


@asynccontextmanager
async def _answering(options: argparse.Namespace) -> AsyncIterator[Answer]:
    """Give what answers the lines of a batch, each as a conversation of its own."""
    from citeseek.assistant.answer_as_json import answer_as_json  # noqa: PLC0415 - when run
    from citeseek.assistant.assistant import Assistant  # noqa: PLC0415 - imported when run
    from citeseek.conversations.store import Nowhere  # noqa: PLC0415 - imported when run
    from citeseek.jobs.batch_answering import FIELDS, fields_of  # noqa: PLC0415 - likewise

    _refuse_for_batch(options)
    settings = settings_of(options)
    async with Assistant(lambda: settings, store=Nowhere()) as assistant:

        async def answer(asked: Asked) -> Any:
            fields_of(asked, FIELDS["ask"])
            conversation = await assistant.open(mode=options.mode, agent_id=options.agent_id)
            try:
                await _prepare(conversation, options, settings)
                return await answer_as_json(conversation, asked.text, check=options.check)
            finally:
                assistant.end(conversation.id)

        yield answer


def _refuse_for_batch(options: argparse.Namespace) -> None:
    for name in ("certificate", "session", "files"):
        if getattr(options, name):
            raise InvalidInput(
                f"--{name.removesuffix('s')} is for one question, not for a batch.",
                values={"case": "not_for_batch", "option": name.removesuffix("s")},
            )


def _usual(options: argparse.Namespace) -> dict[str, Any]:
    """Return what workers are told of the options; raise InvalidInput for what they cannot be."""
    _refuse_for_batch(options)
    for name in ("agent_id", "no_search", "gate"):
        if getattr(options, name):
            option = name.removesuffix("_id").replace("_", "-")
            raise InvalidInput(
                f"--{option} is not for workers: leave it or --spread out.",
                values={"case": "not_for_workers", "option": option},
            )
    return {
        "mode": options.mode,
        "results": options.count,
        "seconds": options.timeout,
        "engines": options.engines,
        "model": options.model,
        "read": options.read,
        "check": options.check,
    }


async def _converse(options: argparse.Namespace) -> int:
    from citeseek.assistant.assistant import Assistant  # noqa: PLC0415 - imported when run
    from citeseek.assistant.citation_judge import check_judge  # noqa: PLC0415 - imported when run
    from citeseek.conversations.store import Nowhere, open_store  # noqa: PLC0415 - imported when run
    from citeseek.fetching.own_file import load_file  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.answer_output import answer  # noqa: PLC0415 - rich costs 40 ms

    if options.certificate and options.question is None:
        raise InvalidInput(
            "--certificate is for one answer: put the question on the command line.",
            values={"case": "certificate_of_conversation"},
        )
    settings = settings_of(options)
    if options.check or options.certificate:
        await check_judge(settings)
    # A conversation is kept; a single question without one is over with its answer.
    is_kept = options.question is None or options.session
    store: Store = open_store(settings) if is_kept else Nowhere()
    async with Assistant(lambda: settings, store=store) as assistant:
        conversation = await assistant.open(
            options.session, mode=options.mode, agent_id=options.agent_id
        )
        await _prepare(conversation, options, settings)
        try:
            with certifying(options, settings) as certificate:
                for path in options.files:
                    body = await asyncio.to_thread(load_file, path, settings)
                    file = await conversation.add_file(body, name=path.name)
                    if certificate:
                        certificate.reads.keep_file(file, body)
                if options.question is not None:
                    return await answer(
                        conversation, options.question, options, settings, certificate
                    )
            return await _answer_in_turn(conversation, options, settings)
        finally:
            if is_kept and conversation.session.record.turns:
                from citeseek.surfaces.cli.output import catalogue_of  # noqa: PLC0415 - when run

                say(catalogue_of(settings)("cli.go_on", id=conversation.id))


async def _answer_in_turn(
    conversation: Conversation, options: argparse.Namespace, settings: Settings
) -> int:
    """Answer what is typed, as one conversation; return the worst exit code."""
    from citeseek.surfaces.cli import terminal  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.answer_output import answer  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.output import catalogue_of  # noqa: PLC0415 - imported when run

    worst = None
    terminal.greet(catalogue_of(settings))
    while (question := await terminal.next_question()) is not None:
        if question.lower() in LEAVING:
            return worst or FOUND
        try:
            code = await _until_interrupted(answer(conversation, question, options, settings))
        except InvalidInput as error:
            say(str(error))
            code = BAD_INPUT
        except ReaderGone as gone:
            raise ReaderGone(max(worst or FOUND, gone.exit_code)) from None
        if code is None:
            say(catalogue_of(settings)("cli.answer_stopped"))
            worst = worst or FOUND
            continue
        worst = max(worst or FOUND, code)
    if worst is None and not terminal.is_watched():
        say(catalogue_of(settings)("cli.no_question"))
        return BAD_INPUT
    return worst or FOUND


async def _until_interrupted(answer: Coroutine[Any, Any, int]) -> int | None:
    """Return the exit code of ``answer``, None if Ctrl-C ended it; a second one ends everything."""
    loop, conversing = asyncio.get_running_loop(), asyncio.current_task()
    answering = asyncio.create_task(answer)
    before = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        ended = conversing if answering.cancelling() else answering
        assert ended is not None  # noqa: S101 - this runs in a task
        ended.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except NotImplementedError:  # Windows
        return await answering
    try:
        return await answering
    except asyncio.CancelledError:
        if conversing is None or conversing.cancelling():
            answering.cancel()
            raise
        return None
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)


async def _prepare(
    conversation: Conversation, options: argparse.Namespace, settings: Settings
) -> None:
    """Set what the options say; a conversation that was kept has the rest as it was."""
    from msgspec import structs  # noqa: PLC0415 - imported when run

    record = conversation.session.record
    if options.session and options.mode:
        await conversation.set_mode(options.mode)
    if options.no_search and record.mode == "agent":
        raise InvalidInput(
            "--no-search is for chat mode: in agent mode the model decides.",
            values={"case": "only_in_chat", "option": "--no-search"},
        )
    asked: dict[str, Any] = {
        "results": options.count,
        "seconds": options.timeout,
        "engines": tuple(options.engines),
        "model": options.model,
    }
    if not options.session and not options.engines:
        asked["engines"] = _engines(settings, is_agent=bool(record.agent_id))
    given = {name: value for name, value in asked.items() if value}
    await conversation.choose(structs.replace(record.choices, **given))
    if options.no_search or not options.session:
        # For the way back from agent mode as well.
        record.switch = not options.no_search
        await conversation.kept.keep()
    if options.read is not None:
        if record.mode == "agent":
            raise InvalidInput(
                "--read is for chat mode: in agent mode the model decides.",
                values={"case": "only_in_chat", "option": "--read"},
            )
        await conversation.set_reading(on=options.read)
    if options.gate is not None:
        await conversation.set_gate(options.gate)


def _engines(settings: Settings, *, is_agent: bool) -> tuple[str, ...]:
    """Return whom to ask without any word on it: as a search does, unless the chat app is set up.

    An agent of agents.json has an engine of its own. Where nothing at all is set, the conversation
    sees to it itself.
    """
    from citeseek.faces import AUTO, CHAT, OPEN  # noqa: PLC0415 - imported when run
    from citeseek.settings.sources import DEFAULT  # noqa: PLC0415 - imported when run

    if is_agent or settings.face(CHAT).engine.origin != DEFAULT:
        return ()
    several = settings.open.engines
    if (
        several
        or settings.was_given(OpenSection.engine)
        or settings.was_given(OpenSection.fallback)
    ):
        return several or (settings.face(OPEN).engine.value,)
    return (AUTO,) if _has_searxng(settings) else ()


def _has_searxng(settings: Settings) -> bool:
    from citeseek.engines.searxng import ENGINE  # noqa: PLC0415 - imported when run
    from citeseek.settings.sources import DEFAULT  # noqa: PLC0415 - imported when run

    return settings.engine(ENGINE).base_url.origin != DEFAULT
