"""What stands where a file has to be and is none: a folder, or a link that leads nowhere."""

from __future__ import annotations

import os
from pathlib import Path

from citeseek.deployment import command
from citeseek.errors import InvalidInput


def at(path: Path) -> InvalidInput | None:
    """Return what to say of ``path``, with the command that removes it; None: nothing is wrong."""
    if path.is_file() or not os.path.lexists(path):
        return None
    what, remove = _told(path)
    init = command.line("init", path.parent)
    return InvalidInput(
        f"{path} is {what}, and no file.", hint=f"`{remove}`, then `{init}` writes it."
    )


def _told(path: Path) -> tuple[str, str]:
    name = command.quoted(path)
    if path.is_symlink():
        return f"a link to {path.readlink()}, which is not there or no file", f"rm {name}"
    if not path.is_dir():
        return "a pipe or a device", f"rm {name}"
    if any(path.iterdir()):
        return "a folder", f"mv {name} {command.quoted(path.with_name(f'{path.name}.old'))}"
    return "a folder, as Docker makes one where a file is missing", f"rmdir {name}"
