"""``citeseek ask [QUESTION]``: answer from search results, with the sources."""

from __future__ import annotations

import argparse

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.output import (
    BAD_INPUT,
    FAILED,
    FOUND,
    NOTHING,
    add_search_options,
    finish,
    given,
    print_json,
    say,
    settings_of,
)

HELP = "answer a question from search results, with the sources"
FORMATS = ("text", "markdown", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "question", metavar="QUESTION", nargs="?", help="without one, questions are read in turn"
    )
    add_search_options(parser)
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help="how to print (default: text)"
    )


def run(options: argparse.Namespace) -> int:
    """Answer one question, or one after the other."""
    from citeseek.surfaces import terminal  # noqa: PLC0415 - rich costs 40 ms

    if options.question is not None:
        return _answer(options.question, options)
    worst = FOUND
    for question in terminal.questions():
        try:
            worst = max(worst, _answer(question, options))
        except InvalidInput as error:
            say(str(error))
            worst = max(worst, BAD_INPUT)
    return worst


def _answer(question: str, options: argparse.Namespace) -> int:
    from citeseek.assistant.ask import Answer, ask  # noqa: PLC0415 - imported when run
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.surfaces import terminal  # noqa: PLC0415 - imported when run

    async def find() -> Answer:
        async with Client(settings_of(options)) as client:
            return await ask(
                client,
                question,
                engines=options.engines,
                quorum=options.quorum,
                seconds=options.timeout,
                **given(options, "count"),
            )

    answer = finish(find(), f"Searching for {question!r:.60} …")
    match options.format:
        case "json":
            print_json(answer.as_json())
        case "markdown":
            print(answer.markdown)
        case _:
            terminal.print_answer(answer)
    if answer.failure:
        return FAILED
    return FOUND if answer.sources else NOTHING
