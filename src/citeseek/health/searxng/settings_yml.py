"""The settings.yml of a SearXNG that was started here, which may be wrong while it still runs."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

from citeseek.errors import InvalidInput
from citeseek.health.finding import Finding
from citeseek.health.searxng.probe import Instance
from citeseek.searxng_host import settings_file


async def faults(instance: Instance, home: Path | None, *, seconds: float) -> list[Finding]:
    """Say what SearXNG would not take, or would lose, when it reads the file the next time.

    Nothing is said of a file that this machine does not have or has no program to read with, nor
    when reading takes longer than ``seconds``. ``home`` has what was installed for SearXNG.
    """
    settings = instance.place.settings
    file = Path(settings if isinstance(settings, str) else "")
    if not file.is_absolute():
        return []
    try:
        async with asyncio.timeout(seconds):
            await asyncio.to_thread(_check, file, home)
    except TimeoutError:
        return []
    except InvalidInput as error:
        name = shlex.quote(str(file))
        return [instance.state("settings_broken", problem=error.message, file=name)]
    return []


def _check(file: Path, home: Path | None) -> None:
    if file.is_file():
        python = home.absolute() / "searxng" / "env" / "bin" / "python" if home else None
        others = [settings_file.with_python(str(python))] if python and python.exists() else []
        settings_file.check(file, others)
