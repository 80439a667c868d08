"""The four files of a SearXNG, from the templates of this package."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

import msgspec

from citeseek.errors import InvalidInput
from citeseek.searxng_host import atomic_files, commands
from citeseek.searxng_host.atomic_files import place

COMPOSE_FILE = "docker-compose.yml"
SETTINGS_FILE = "settings.yml"
LIMITER_FILE = "limiter.toml"
# A file that begins with a dot is left out by too many packaging tools to be a template.
TEMPLATES = {
    COMPOSE_FILE: "docker-compose.yml",
    SETTINGS_FILE: "settings.yml",
    LIMITER_FILE: "limiter.toml",
    ".env": "env",
}
# SearXNG refuses to start with this one, so a template that was copied by hand is noticed.
PLACEHOLDER = "ultrasecretkey"
PORT = 8080
SECRET_BYTES = 32

_PUBLISHED = re.compile(rf"""\s*-\s*["']?(?:[\d.]+:)?(\d{{1,5}}):{PORT}\b""")
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
    """What came of writing: the names that are new, those left as they were, and the copies.

    ``links`` are the names that were links, with what they led to, which was left as it was.
    """

    new: tuple[str, ...]
    left: tuple[str, ...]
    copies: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()


def write(folder: Path, *, port: int = PORT, force: bool = False) -> Written:
    """Write the files that ``folder`` lacks, readable by their owner alone.

    With ``force`` those that exist are replaced, each after a copy of it was made beside it. Either
    all files are written or none. Raise InvalidInput when all exist and ``force`` is not set, when
    ``folder`` cannot be written to, and where something that is no file has the name of one; with
    ``force`` a link may.
    """
    texts = contents(port)
    existing = [name for name in texts if os.path.lexists(folder / name)]
    links = [name for name in existing if (folder / name).is_symlink()]
    for name in existing:
        if (found := atomic_files.at(folder / name)) and not (force and name in links):
            raise found
    if len(existing) == len(texts) and not force:
        raise InvalidInput(
            f"{folder} has {', '.join(existing)} already; nothing was written.",
            hint="--force replaces the files, and with them the secret; it keeps copies.",
        )
    left = () if force else tuple(existing)
    new = {name: text for name, text in texts.items() if name not in left}
    led_to = [(name, str((folder / name).readlink())) for name in links if name in new]
    try:
        copies = place(folder, new)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"{folder} is no folder, or somebody else writes to it.") from None
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be written to: {error.strerror}.") from None
    return Written(tuple(new), left, copies, tuple(led_to))


def published_port(folder: Path) -> int:
    """Return the port of this machine that docker-compose.yml in ``folder`` names, 0: none."""
    try:
        lines = (folder / COMPOSE_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(match[1]) for match in map(_PUBLISHED.match, lines) if match), 0)


def are_in(folder: Path) -> bool:
    """Whether ``folder`` looks like one that has the files of a SearXNG."""
    others = (COMPOSE_FILE, LIMITER_FILE)
    return (folder / SETTINGS_FILE).is_file() and any(
        map(Path.is_file, map(folder.joinpath, others))
    )


def require(path: Path) -> None:
    """Raise InvalidInput when there is no file at ``path``."""
    if path.is_file():
        return
    if found := atomic_files.at(path):
        raise found
    hint = f"`{commands.line('init', path.parent)}` writes it."
    if path.parent == commands.FOLDER and are_in(Path()):
        hint = f"This folder has one; a dot names it: `{commands.line('up', Path())}`."
    raise InvalidInput(f"There is no {path}.", hint=hint)
