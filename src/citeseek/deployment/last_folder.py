"""The folder whose files Docker was last started with, so that nobody has to name it again."""

from __future__ import annotations

from pathlib import Path

from citeseek.deployment.files import COMPOSE_FILE

NAME = "docker-folder"


def read(state: Path) -> Path | None:
    """Return the folder that is noted in ``state``, None when none is or its files are gone."""
    try:
        folder = Path((state / NAME).read_text(encoding="utf-8").removesuffix("\n"))
        return folder if folder.is_absolute() and (folder / COMPOSE_FILE).is_file() else None
    except (OSError, ValueError):
        return None


def keep(state: Path, folder: Path) -> None:
    """Note ``folder`` in ``state``."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = state / f"{NAME}.new"
    new.write_text(f"{folder.absolute()}\n", encoding="utf-8")
    new.replace(state / NAME)
