"""The addresses that no proxy is for: those that are named already, and those that should be."""

from __future__ import annotations

import shlex

from citeseek.health.searxng_url import LOOPBACK


def bypass(old: str | None, *hosts: str) -> str:
    """Return NO_PROXY as it is written in a shell: ``old``, this machine and ``hosts``."""
    named = [name for name in map(str.strip, (old or "").split(",")) if name]
    return shlex.quote(",".join(dict.fromkeys((*named, *hosts, *LOOPBACK))))
