"""The command line: data on standard output, progress and notes on standard error.

Exit codes: 0 results, 1 nothing found, 2 bad input, 3 the search failed. Each command imports only
what it runs.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from citeseek import __version__
from citeseek.errors import CiteseekError, InvalidInput, SearchFailed

T = TypeVar("T")

FOUND, NOTHING, BAD_INPUT, FAILED = 0, 1, 2, 3

app = typer.Typer(
    help="Search the web for people and for language models, with the sources.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class SearchFormat(StrEnum):
    """How results are printed."""

    table = "table"
    json = "json"
    contract = "contract"
    results = "results"
    text = "text"


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    text = "text"
    markdown = "markdown"
    json = "json"


class _Paths:
    config: Path | None = None
    agents: Path | None = None


EngineOption = Annotated[
    str | None, typer.Option("--engine", "-e", help="Engine id, alias or auto.")
]
CountOption = Annotated[int | None, typer.Option("--count", "-n", help="Number of results.")]
TimeoutOption = Annotated[
    float | None, typer.Option("--timeout", help="Deadline of the search in seconds.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Run the command line."""
    try:
        app()
    except CiteseekError as error:
        _fail(error)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


@app.callback()
def root(
    *,
    config: Annotated[Path | None, typer.Option(help="Path of config.json.")] = None,
    agents: Annotated[Path | None, typer.Option(help="Path of agents.json.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what is done.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Search the web for people and for language models, with the sources."""
    if version:
        typer.echo(f"citeseek {__version__}")
        raise typer.Exit
    _Paths.config, _Paths.agents = config, agents
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="citeseek: %(message)s",
        stream=sys.stderr,
    )
    if not verbose:
        # A failed search is told once, as the command's own last word.
        logging.getLogger("citeseek.service").setLevel(logging.CRITICAL)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to search for.")],
    *,
    engine: EngineOption = None,
    count: CountOption = None,
    country: Annotated[str | None, typer.Option(help="Country, such as cn.")] = None,
    language: Annotated[str | None, typer.Option(help="Language, such as zh-CN.")] = None,
    freshness: Annotated[
        str | None, typer.Option(help="day, week, month, year or FROM..TO (2026-01-31).")
    ] = None,
    site: Annotated[str | None, typer.Option(help="Host to stay on.")] = None,
    page: Annotated[int, typer.Option(help="Result page.")] = 1,
    safesearch: Annotated[str | None, typer.Option(help="off, moderate or strict.")] = None,
    timeout: TimeoutOption = None,
    output: Annotated[
        SearchFormat, typer.Option("--format", "-f", help="How to print the results.")
    ] = SearchFormat.table,
) -> None:
    """Search the web and print the results."""
    from citeseek import formats  # noqa: PLC0415 - each command imports only what it runs
    from citeseek.client import Client  # noqa: PLC0415

    async def run() -> Any:
        async with Client(_settings()) as client:
            return await client.search(
                query,
                engine=engine,
                seconds=timeout,
                **_given(count=count),
                country=country,
                language=language,
                freshness=freshness,
                site=site,
                page=page,
                safesearch=safesearch,
            )

    response = _run(run(), f"Searching for {query!r:.60} …")
    _say_ignored(response.ignored)
    numbers = [item.rank for item in response.items]
    match output:
        case SearchFormat.json:
            _print_json(formats.full(response))
        case SearchFormat.contract:
            _print_json(formats.contract(response))
        case SearchFormat.results:
            _print_json(formats.results(response, query))
        case SearchFormat.text:
            typer.echo(formats.compact(response, numbers))
        case SearchFormat.table:
            from citeseek.surfaces import terminal  # noqa: PLC0415 - rich costs 50 ms

            terminal.print_results(response)
    raise typer.Exit(FOUND if response.items else NOTHING)


@app.command()
def ask(
    question: Annotated[
        str | None, typer.Argument(help="The question; without one, questions are read in turn.")
    ] = None,
    *,
    engine: EngineOption = None,
    count: CountOption = None,
    timeout: TimeoutOption = None,
    output: Annotated[
        AnswerFormat, typer.Option("--format", "-f", help="How to print the answer.")
    ] = AnswerFormat.text,
) -> None:
    """Answer a question from search results, with the sources."""
    from citeseek.assistant.ask import ask as answer_to  # noqa: PLC0415
    from citeseek.client import Client  # noqa: PLC0415
    from citeseek.surfaces import terminal  # noqa: PLC0415

    async def run(text: str) -> Any:
        async with Client(_settings()) as client:
            return await answer_to(
                client, text, engine=engine, seconds=timeout, **_given(count=count)
            )

    def one(text: str) -> int:
        answer = _run(run(text), f"Searching for {text!r:.60} …")
        match output:
            case AnswerFormat.json:
                _print_json(answer.as_json())
            case AnswerFormat.markdown:
                typer.echo(answer.markdown)
            case AnswerFormat.text:
                terminal.print_answer(answer)
        return FAILED if answer.failure else FOUND if answer.sources else NOTHING

    if question is not None:
        raise typer.Exit(one(question))
    for text in terminal.questions():
        try:
            one(text)
        except InvalidInput as error:
            _say(str(error))


@app.command()
def engines(*, as_json: JsonOption = False) -> None:
    """List the engines: what they can do and whether their key is set."""
    from citeseek.registry import default_registry  # noqa: PLC0415
    from citeseek.surfaces import overview  # noqa: PLC0415

    rows = overview.engines(default_registry(), _settings())
    if as_json:
        _print_json(rows)
        return
    from citeseek.surfaces import terminal  # noqa: PLC0415

    terminal.print_engines(rows)


@app.command()
def settings(*, as_json: JsonOption = False) -> None:
    """Show each face's engine, its limits and where each value comes from."""
    from citeseek.registry import default_registry  # noqa: PLC0415
    from citeseek.surfaces import overview  # noqa: PLC0415

    report = overview.settings(default_registry(), _settings())
    if as_json:
        _print_json(report)
        return
    from citeseek.surfaces import terminal  # noqa: PLC0415

    terminal.print_settings(report)


def _settings() -> Any:
    from citeseek.settings import Settings  # noqa: PLC0415

    return Settings.load(config=_Paths.config, agents=_Paths.agents)


def _run(work: Coroutine[Any, Any, T], progress: str) -> T:
    """Run ``work`` with a note of progress on a terminal; end the program when it fails."""
    shown = sys.stderr.isatty()
    if shown:
        sys.stderr.write(progress)
        sys.stderr.flush()
    try:
        return asyncio.run(work)
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


def _fail(error: CiteseekError) -> NoReturn:
    if isinstance(error, SearchFailed):
        for earlier in error.earlier:
            _say(str(earlier))
    _say(str(error))
    raise SystemExit(FAILED if isinstance(error, SearchFailed) else BAD_INPUT)


def _say(sentence: str) -> None:
    typer.echo(f"citeseek: {sentence}", err=True)


def _say_ignored(ignored: tuple[str, ...]) -> None:
    if ignored:
        _say(f"the engine cannot do these and left them out: {', '.join(ignored)}")


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given, so that defaults are decided in one place."""
    return {name: value for name, value in options.items() if value is not None}
