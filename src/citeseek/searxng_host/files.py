"""The four files of a SearXNG, from the templates of this package: all put in place, or none.

A person is told of their folder in the commands to type.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from tempfile import mkstemp

import msgspec

from citeseek.errors import InvalidInput, reason_of

# Where the files of a SearXNG lie when nobody names a folder.
FOLDER = Path("searxng")
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
        if (found := find_obstacle(folder / name)) and not (force and name in links):
            raise found
    if len(existing) == len(texts) and not force:
        raise InvalidInput(
            f"{folder} has {', '.join(existing)} already; nothing was written.",
            hint="--force replaces the files, and with them the secret; it keeps copies.",
            values={
                "case": "searxng_files_there",
                "folder": str(folder),
                "files": ", ".join(existing),
            },
        )
    left = () if force else tuple(existing)
    new = {name: text for name, text in texts.items() if name not in left}
    led_to = [(name, str((folder / name).readlink())) for name in links if name in new]
    try:
        copies = place(folder, new)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(
            f"{folder} is no folder, or somebody else writes to it.",
            values={"case": "no_folder_of_ours", "folder": str(folder)},
        ) from None
    except OSError as error:
        raise InvalidInput(
            f"{folder} cannot be written to: {error.strerror}.",
            values={"case": "not_written", "path": str(folder), **reason_of(error)},
        ) from None
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
    if found := find_obstacle(path):
        raise found
    command, hint_case = command_line("init", path.parent), "init_writes"
    hint = f"`{command}` writes it."
    if path.parent == FOLDER and are_in(Path()):
        command, hint_case = command_line("up", Path()), "dot_names"
        hint = f"This folder has one; a dot names it: `{command}`."
    raise InvalidInput(
        f"There is no {path}.",
        hint=hint,
        values={
            "case": "no_file",
            "name": str(path),
            "hint_case": hint_case,
            "command": command,
        },
    )


def find_obstacle(path: Path) -> InvalidInput | None:
    """Return what to say of ``path``, with the command that removes it; None: nothing is wrong."""
    if path.is_file() or not os.path.lexists(path):
        return None
    name, target = quote_path(path), ""
    if path.is_symlink():
        target = str(path.readlink())
        what, case, remove = f"a link to {target}, which is not there or no file", "link", "rm"
    elif not path.is_dir():
        what, case, remove = "a pipe or a device", "device", "rm"
    elif any(path.iterdir()):
        what, case, remove = "a folder", "folder", "mv"
        name = f"{name} {quote_path(path.with_name(f'{path.name}.old'))}"
    else:
        what, remove = "a folder, as Docker makes one where a file is missing", "rmdir"
        case = "docker_folder"
    init = command_line("init", path.parent)
    return InvalidInput(
        f"{path} is {what}, and no file.",
        hint=f"`{remove} {name}`, then `{init}` writes it.",
        values={
            "case": f"obstacle_{case}",
            "path": str(path),
            "target": target,
            "hint_case": "remove_then_init",
            "remove": f"{remove} {name}",
            "command": init,
        },
    )


def place(folder: Path, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Write ``texts`` by their names into ``folder``; return the names of the copies made.

    A file that exists with another text is copied first. After a failure all is as it was before.
    Raise OSError.
    """
    with ExitStack() as undo:
        if not folder.is_dir():
            _make(folder, undo)
        new = {name: _write_hidden(folder, name, text, undo) for name, text in texts.items()}
        copies = {name: _keep_copy(folder / name, text, undo) for name, text in texts.items()}
        # All that takes space is there now; what follows are names alone.
        for name, temporary in new.items():
            _put(temporary, folder / name, copies[name], undo)
        undo.pop_all()
    return tuple(copy.name for copy in copies.values() if copy)


def _make(folder: Path, undo: ExitStack) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700)
        undo.callback(_remove_empty, each)
    if not missing:
        raise NotADirectoryError(0, "it is no folder")


def _write_hidden(folder: Path, name: str, text: str, undo: ExitStack) -> Path:
    """Return a file with ``text`` that nobody else can read, not even for a moment."""
    descriptor, path = mkstemp(dir=folder, prefix=f".{name.lstrip('.')}.")
    undo.callback(Path(path).unlink, missing_ok=True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode())
    return Path(path)


def _keep_copy(path: Path, text: str, undo: ExitStack) -> Path | None:
    """Return the copy of the file at ``path``, None when there is nothing to be lost."""
    if path.is_symlink() or not path.is_file():
        return None
    data = path.read_bytes()
    if data == text.encode():
        return None
    for number in count():
        copy = path.with_name(f"{path.name}.bak{number or ''}")
        with suppress(FileExistsError):
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
    undo.callback(copy.unlink, missing_ok=True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return copy


def _put(temporary: Path, path: Path, copy: Path | None, undo: ExitStack) -> None:
    """Give ``temporary`` the name ``path``. A link is replaced, and not what it leads to."""
    if path.is_symlink():
        led_to = path.readlink()
        temporary.replace(path)
        undo.callback(path.symlink_to, led_to)
        undo.callback(path.unlink)
    elif path.exists():
        temporary.replace(path)
        if copy:
            undo.callback(copy.replace, path)
    else:
        try:
            # Should somebody else have written one meanwhile, this refuses and `replace` does not.
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system has links.
            temporary.replace(path)
        undo.callback(path.unlink)
        temporary.unlink(missing_ok=True)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def command_line(action: str, folder: Path, *options: str) -> str:
    """Return ``citeseek searxng action`` for ``folder`` as a shell takes it."""
    named = [] if folder == FOLDER else [quote_path(folder)]
    return " ".join(["citeseek searxng", action, *named, *options])


def quote_path(folder: Path) -> str:
    """Return ``folder`` as a shell takes it, never to be read as an option."""
    text = str(folder)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
