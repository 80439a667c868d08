"""``citeseek watch``: read the sources of kept answers again, and say which no longer agree."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    NOTHING,
    catalogue_of,
    ending_with,
    finish,
    print_json,
    say,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import add_trace_option, not_blank, trace_calls
from citeseek.surfaces.cli.written_dates import write_moment
from citeseek.text import plain_line, shorten, without_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from citeseek.i18n import Catalogue
    from citeseek.settings import Settings
    from citeseek.source_watch import KeptAnswer, WatchedAnswer, WatchedSource

FORMATS = ("text", "json")
_CHARS = 200
# The id of a conversation, or the address of its page on this machine.
_CONVERSATION = re.compile(
    r"(?:https?://(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?/c/)?([A-Za-z0-9_-]{1,64})/?"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "kept",
        metavar="ANSWER|REPORT",
        nargs="+",
        type=not_blank,
        help=describe("watch.kept"),
    )
    add_trace_option(parser)
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help=describe("format", usual="text")
    )


def run(options: argparse.Namespace) -> int:
    """Read and compare; the exit code says whether every source still says the same."""
    settings = settings_of(options)
    words = catalogue_of(settings)
    with trace_calls(options):
        found = finish(_watch(options.kept, settings), words("cli.watching"))
    every = [source for one in found for source in one.sources]
    sources = [source for source in every if source.state != "own_file"]
    amber = [source for source in sources if source.is_amber]
    unread = [source for source in sources if source.state == "unread"]
    key = "cli.watch_amber" if amber else "cli.watch_same"
    # What was not read may say anything.
    read = len(sources) - len(unread)
    is_unread = bool(sources) and len(unread) == len(sources)
    exit_code = NOTHING if amber else FAILED if is_unread else FOUND
    with ending_with(exit_code):
        if options.format == "json":
            from msgspec import to_builtins  # noqa: PLC0415 - imported when run

            from citeseek.source_watch import WatchedAnswers  # noqa: PLC0415 - imported when run

            print_json(to_builtins(WatchedAnswers.of(found)))
        else:
            _print(found, words)
    say(words(key, amber=len(amber), sources=read, unread=len(unread)))
    return exit_code


async def _watch(kept: Sequence[str], settings: Settings) -> list[WatchedAnswer]:
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.source_watch import read_again  # noqa: PLC0415 - imported when run

    # All are looked up before anything is sent: a wrong name is told at once.
    answers = [answer for name in kept for answer in await _find(name, settings)]
    async with Client(settings) as client:
        return [await read_again(answer, client) for answer in answers]


async def _find(name: str, settings: Settings) -> list[KeptAnswer]:
    """Return the answers that ``name`` is of; raise InvalidInput where there are none."""
    if found := _in_file(Path(name)):
        return [found]
    match = _CONVERSATION.fullmatch(name)
    answers = await _conversation(match[1], settings) if match else None
    if answers is None:
        raise InvalidInput(
            f"{_cut(name)!r} is no certificate, no folder of a report and "
            "no conversation that is kept here.",
            hint="`ask --certificate FILE`, `research --out DIR` and conversations keep answers.",
            values={"case": "nothing_kept", "name": repr(_cut(name))},
        )
    if not answers:
        raise InvalidInput(
            f"No answer of the conversation {name!r:.100} cites anything.",
            values={"case": "nothing_cited", "name": f"{name!r:.100}"},
        )
    return answers


def _in_file(path: Path) -> KeptAnswer | None:
    from citeseek.source_watch import of_certificate, of_report  # noqa: PLC0415 - imported when run

    if path.is_dir():
        return of_report(path)
    if not path.exists():
        return None
    from citeseek.certificate import read, read_content  # noqa: PLC0415 - imported when run

    return of_certificate(read_content(read(path).content))


async def _conversation(session_id: str, settings: Settings) -> list[KeptAnswer] | None:
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - imported when run
    from citeseek.source_watch import of_conversation  # noqa: PLC0415 - imported when run

    if not settings.database_url and not settings.sessions_file.exists():
        return None
    store = open_store(settings)
    try:
        record = await store.get(session_id)
    finally:
        await store.close()
    return None if record is None else of_conversation(record)


def _print(found: Sequence[WatchedAnswer], words: Catalogue) -> None:
    from rich.text import Text  # noqa: PLC0415 - rich costs 40 ms

    from citeseek.surfaces.cli.terminal import console  # noqa: PLC0415 - likewise

    out = console()
    for answer in found:
        out.print(Text(without_controls(_cut(answer.question)), style="bold"))
        made, read = (write_moment(each, words) for each in (answer.made_at, answer.read_at))
        out.print(Text(words("cli.watch_read", made=made, read=read)))
        for source in answer.sources:
            if source.state != "same":
                style = "yellow" if source.is_amber else "dim"
                for line in _lines(source, words):
                    out.print(Text(without_controls(line), style=style))


def _lines(source: WatchedSource, words: Catalogue) -> Iterator[str]:
    mark = "▲" if source.is_amber else "·"
    yield f"{mark} [{source.number}] {_cut(source.title)} {source.url}"
    if source.failure:
        reason, _ = words.explain(source.failure)
        key = "js.watch_removed" if source.is_amber else "js.watch_unread"
        yield f"  {words(key, reason=reason)}"
        return
    if source.state == "own_file":
        yield f"  {words('js.watch_own_file')}"
        return
    for one in source.changes:
        if one.code != "same":
            yield f"  {words(f'js.watch_{one.code}', claim=_cut(one.claim))}"
            if one.was and one.was != one.claim:
                yield f"    {words('js.watch_was', was=_cut(one.was))}"
            if one.now:
                where = f" ({one.page.write(words)})" if one.page else ""
                yield f"    {words('js.watch_now', now=_cut(one.now))}{where}"


def _cut(text: str) -> str:
    return plain_line(shorten(text, _CHARS))
