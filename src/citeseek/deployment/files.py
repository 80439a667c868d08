"""The four files of a SearXNG, from the templates of this package."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

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


def write(folder: Path, *, port: int = PORT, force: bool = False) -> tuple[Path, ...]:
    """Write the files into ``folder``, readable by their owner alone, and return their paths.

    Raise InvalidInput, with nothing written, when one of them exists and ``force`` is not set, or
    when ``folder`` cannot be written to.
    """
    texts = contents(port)
    existing = [name for name in texts if os.path.lexists(folder / name)]
    if existing and not force:
        raise InvalidInput(
            f"{folder} has {', '.join(existing)} already; nothing was written.",
            hint="--force replaces the files, and with them the secret.",
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in texts.items():
            _write(folder / name, text, force=force)
    except FileExistsError:
        raise InvalidInput(f"{folder} is no folder, or somebody else writes to it.") from None
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be written to: {error.strerror}.") from None
    return tuple(folder / name for name in texts)


def require(path: Path) -> None:
    """Raise InvalidInput when there is no file at ``path``."""
    if not path.is_file():
        raise InvalidInput(f"There is no {path}.", hint="`citeseek searxng init` writes it.")


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write a file that nobody else can read, not even for a moment."""
    # With force the new file takes the old one's place at once, a link's as well.
    target = path.with_name(f"{path.name}.{os.getpid()}") if force else path
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text.encode())
    if force:
        target.replace(path)
