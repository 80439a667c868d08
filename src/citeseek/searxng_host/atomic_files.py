"""Files put into a folder all together: whole, for their owner alone, with copies of the old."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from tempfile import mkstemp

from citeseek.errors import InvalidInput
from citeseek.searxng_host import commands


def at(path: Path) -> InvalidInput | None:
    """Return what to say of ``path``, with the command that removes it; None: nothing is wrong."""
    if path.is_file() or not os.path.lexists(path):
        return None
    what, remove = _told(path)
    init = commands.line("init", path.parent)
    return InvalidInput(
        f"{path} is {what}, and no file.", hint=f"`{remove}`, then `{init}` writes it."
    )


def _told(path: Path) -> tuple[str, str]:
    name = commands.quoted(path)
    if path.is_symlink():
        return f"a link to {path.readlink()}, which is not there or no file", f"rm {name}"
    if not path.is_dir():
        return "a pipe or a device", f"rm {name}"
    if any(path.iterdir()):
        return "a folder", f"mv {name} {commands.quoted(path.with_name(f'{path.name}.old'))}"
    return "a folder, as Docker makes one where a file is missing", f"rmdir {name}"


def place(folder: Path, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Write ``texts`` by their names into ``folder``; return the names of the copies made.

    A file that exists with another text is copied first. After a failure all is as it was before.
    Raise OSError.
    """
    with ExitStack() as undo:
        if not folder.is_dir():
            _make(folder, undo)
        new = {name: _written(folder, name, text, undo) for name, text in texts.items()}
        copies = {name: _copied(folder / name, text, undo) for name, text in texts.items()}
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


def _written(folder: Path, name: str, text: str, undo: ExitStack) -> Path:
    """Return a file with ``text`` that nobody else can read, not even for a moment."""
    descriptor, path = mkstemp(dir=folder, prefix=f".{name.lstrip('.')}.")
    undo.callback(Path(path).unlink, missing_ok=True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode())
    return Path(path)


def _copied(path: Path, text: str, undo: ExitStack) -> Path | None:
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
