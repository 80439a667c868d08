"""``citeseek replay TRACE``: run a recorded call again without the network, or compare two."""

from __future__ import annotations

import argparse

from citeseek.concurrency.interruption import run_interruptible
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, NOTHING, catalogue_for, print_json, say
from citeseek.surfaces.cli.shared_options import read_path

FORMATS = ("text", "json", "result")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("trace", metavar="TRACE", type=read_path, help=describe("trace_file"))
    parser.add_argument(
        "--against",
        metavar="TRACE",
        type=read_path,
        help=describe("replay.against"),
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="text",
        help=describe("replay.format"),
    )


def run(options: argparse.Namespace) -> int:
    """Replay or compare; the exit code says whether both came out the same."""
    from citeseek.replay import is_same, replay  # noqa: PLC0415 - imported when run
    from citeseek.replay.differences import are_alike, as_json, differences  # noqa: PLC0415
    from citeseek.text import without_controls  # noqa: PLC0415 - imported when run
    from citeseek.trace.trace_file import load  # noqa: PLC0415 - imported when run

    before = load(options.trace)
    after = load(options.against) if options.against else run_interruptible(replay(before))
    was_stopped = before.call.was_stopped and not options.against
    same = was_stopped or is_same(before, after, is_one_run=not options.against)
    if options.format == "result":
        print_json(after.call.result)
    elif options.format == "json":
        print_json({**as_json(before, after), "same": same})
    else:
        for line in () if same else differences(before, after):
            print(without_controls(line))
    words = catalogue_for(options)
    if was_stopped:
        say(words("cli.replay_stopped"))
    elif options.against:
        differ = "cli.replay_differ" if are_alike(before, after) else "cli.replay_others"
        say(words("cli.replay_alike" if same else differ))
    else:
        say(words("cli.replay_same" if same else "cli.replay_not_same"))
    return FOUND if same else NOTHING
