"""The four files of a SearXNG, from the templates of this package."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import msgspec

from citeseek.deployment import command
from citeseek.deployment.placing import place
from citeseek.errors import InvalidInput

COMPOSE_FILE = "docker-compose.yml"
SETTINGS_FILE = "settings.yml"
# A file that begins with a dot is left out by too many packaging tools to be a template.
TEMPLATES = {
    COMPOSE_FILE: "docker-compose.yml",
    SETTINGS_FILE: "settings.yml",
    "limiter.toml": "limiter.toml",
    ".env": "env",
}
# SearXNG refuses to start with this one, so a template that was copied by hand is noticed.
PLACEHOLDER = "ultrasecretkey"
PORT = 8080
SECRET_BYTES = 32

_FOLDER = Path(__file__).parent / "templates" / "searxng"


def contents(port: int = PORT) -> dict[str, str]:
    """Return the text of each file by its name, with a fresh secret; ``port`` is this machine's."""
    texts = {
        name: (_FOLDER / template).read_text(encoding="utf-8")
        for name, template in TEMPLATES.items()
    }
    texts[SETTINGS_FILE] = texts[SETTINGS_FILE].replace(
        PLACEHOLDER, secrets.token_hex(SECRET_BYTES)
    )
    texts[COMPOSE_FILE] = texts[COMPOSE_FILE].replace(
        f"127.0.0.1:{PORT}:{PORT}", f"127.0.0.1:{port}:{PORT}"
    )
    return texts


class Written(msgspec.Struct, frozen=True):
    """What came of writing: the names that are new, those left as they were, and the copies."""

    new: tuple[str, ...]
    left: tuple[str, ...]
    copies: tuple[str, ...]


def write(folder: Path, *, port: int = PORT, force: bool = False) -> Written:
    """Write the files that ``folder`` lacks, readable by their owner alone.

    With ``force`` those that exist are replaced, each after a copy of it was made beside it. Either
    all files are written or none. Raise InvalidInput when all exist and ``force`` is not set, and
    when ``folder`` cannot be written to.
    """
    texts = contents(port)
    existing = [name for name in texts if os.path.lexists(folder / name)]
    if len(existing) == len(texts) and not force:
        raise InvalidInput(
            f"{folder} has {', '.join(existing)} already; nothing was written.",
            hint="--force replaces the files, and with them the secret; it keeps copies.",
        )
    left = () if force else tuple(existing)
    new = {name: text for name, text in texts.items() if name not in left}
    try:
        copies = place(folder, new)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"{folder} is no folder, or somebody else writes to it.") from None
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be written to: {error.strerror}.") from None
    return Written(tuple(new), left, copies)


def require(path: Path) -> None:
    """Raise InvalidInput when there is no file at ``path``."""
    if not path.is_file():
        how = command.line("init", path.parent)
        raise InvalidInput(f"There is no {path}.", hint=f"`{how}` writes it.")
