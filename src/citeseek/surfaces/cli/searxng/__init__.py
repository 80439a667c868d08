"""``citeseek searxng init|up|down|status|logs|restart``: a SearXNG of one's own."""

from __future__ import annotations

import argparse
import sys

from citeseek.surfaces.cli.output import FAILED, say
from citeseek.surfaces.cli.searxng.arguments import arguments

__all__ = ["HELP", "arguments", "run"]

HELP = "a SearXNG of your own: write its files, start it, stop it, look at it"


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    from citeseek.searxng_host.deployment_failure import DeploymentFailed  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.searxng.actions import (  # noqa: PLC0415 - imported when run
        ACTIONS,
        own_searxng,
    )

    try:
        return ACTIONS[options.action](own_searxng(options), options)
    except KeyboardInterrupt as signal:
        # What was left half done is noted by what did it.
        notes = getattr(
            signal, "__notes__", ["broken off; `citeseek searxng status` shows what runs."]
        )
        for note in notes:
            say(note)
        raise
    except DeploymentFailed as error:
        if error.log:
            print(error.log, file=sys.stderr)
        say(str(error))
        return FAILED
