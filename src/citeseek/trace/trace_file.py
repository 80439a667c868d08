"""Traces as files: JSON, readable by their owner alone; and what is done where one was changed."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import msgspec

from citeseek.errors import CiteseekError, InvalidInput, reason_of
from citeseek.person import current_person
from citeseek.trace.redaction import Redactor
from citeseek.trace.trace_record import FORMAT, VERSION, Part, Trace
from citeseek.version import VERSION as CITESEEK

_HEAD_BYTES = 4096
# As :func:`keep` names them.
NAME = re.compile(r"(?P<time>\d{8}T\d{9})-(?P<kind>[a-z_]+)-(?P<id>[0-9a-f]{16})\.json")


class FileKind(msgspec.Struct, frozen=True):
    """A kind of file that may be written over by another of it: its name, and how it begins."""

    name: str
    head: re.Pattern[bytes]


# A trace says in its first member what it is.
TRACE = FileKind("trace", re.compile(rf'\s*\{{.*"format"\s*:\s*"{FORMAT}"'.encode(), re.DOTALL))


def check(path: Path, of: FileKind = TRACE) -> None:
    """Raise InvalidInput when nothing may be written to ``path``; what is there stays."""
    try:
        place = _place(path, of)
        if not _is_special(place):
            _beside(place).unlink()
    except OSError as reason:
        raise _not_written(path, of, reason) from None


def put(content: bytes, path: Path, of: FileKind = TRACE) -> None:
    """Write ``content`` to ``path``, for its owner to read; all of it, or nothing is changed.

    Raise InvalidInput when it cannot be written, or when something is there that is none of its
    kind.
    """
    try:
        place = _place(path, of)
        if _is_special(place):
            place.write_bytes(content)
            return
        beside = _beside(place)
        try:
            beside.write_bytes(content)
            beside.replace(place)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as reason:
        raise _not_written(path, of, reason) from None


def _place(path: Path, of: FileKind) -> Path:
    """Return where ``path`` leads, which is free, or holds a file that may be written over."""
    # A pipe has a name that leads to it, and none of its own.
    if _is_special(path):
        return path
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        return place
    # To replace a file asks for rights over its folder alone.
    with place.open("r+b") as file:
        head = file.read(_HEAD_BYTES)
    if head and not of.head.match(head):
        raise InvalidInput(
            f"{path} is there already and is not a {of.name} of Citeseek; it was left as it is.",
            hint="Name another file.",
            values={"case": "not_overwritten", "path": str(path)},
        )
    return place


def _is_special(place: Path) -> bool:
    """Whether ``place`` is a pipe or a device, which is written to and never replaced."""
    return place.exists() and not place.is_file() and not place.is_dir()


def _beside(place: Path) -> Path:
    descriptor, name = mkstemp(dir=place.parent, prefix=".citeseek-file-")
    os.close(descriptor)
    return Path(name)


def _not_written(path: Path, of: FileKind, reason: OSError) -> InvalidInput:
    return InvalidInput(
        f"The {of.name} {path} cannot be written ({reason.strerror}).",
        values={"case": "not_written", "path": str(path), **reason_of(reason)},
    )


# A file that holds more is not one of ours.
MAX_BYTES = 1 << 30

log = logging.getLogger(__name__)


def trace_of(call: Part, settings: Mapping[str, Any], trace_id: str) -> Trace:
    """Return the trace of ``call``, which begins now."""
    return Trace(
        citeseek=CITESEEK,
        trace_id=trace_id,
        began_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        settings=dict(settings),
        call=call,
    )


def encode(value: Any) -> bytes:
    """Return a result in the one spelling in which results are compared."""
    plain = _in_one_spelling(msgspec.to_builtins(value, enc_hook=repr))
    return json.dumps(plain, ensure_ascii=False, indent=1, sort_keys=True).encode()


def _in_one_spelling(value: Any) -> Any:
    """Return ``value`` with whole numbers as such: JSON knows no other difference."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _in_one_spelling(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_in_one_spelling(inner) for inner in value]
    return value


def write(trace: Trace, path: Path) -> None:
    """Write ``trace`` to ``path``; raise InvalidInput when it cannot be."""
    put(msgspec.json.format(msgspec.json.encode(trace), indent=1) + b"\n", path)


# Within it each person whom a server knows by name has a folder; no trace is called so.
_PEOPLE = "people"


def folder_within(folder: Path) -> Path | None:
    """Return where in ``folder`` the traces of the current person are kept, None for a guest."""
    person = current_person()
    if person.is_guest:
        return None
    return folder / _PEOPLE / person.name if person.name else folder


def files_of(folder: Path, person: str) -> list[Path]:
    """Return the traces of a person with a name in ``folder``."""
    return [path for path in (folder / _PEOPLE / person).glob("*.json") if _is_trace(path)]


def erase_of(folder: Path, person: str) -> int:
    """Delete the traces of a person with a name in ``folder``; return how many there were.

    Raise OSError where one cannot be deleted.
    """
    count = len(files_of(folder, person))
    with suppress(FileNotFoundError):
        shutil.rmtree(folder / _PEOPLE / person)
    return count


def drop_older(folder: Path, before: float) -> int:
    """Delete the traces of all people that were written before then; return how many.

    ``before`` is in seconds since 1970. What is no trace by its name stays.
    """
    count = 0
    for path in [*folder.glob("*.json"), *folder.glob(f"{_PEOPLE}/*/*.json")]:
        try:
            if _is_trace(path) and path.lstat().st_mtime < before:
                path.unlink()
                count += 1
        except OSError as reason:
            log.warning("a trace that is too old was not deleted: %s", reason)
    return count


def _is_trace(path: Path) -> bool:
    return NAME.fullmatch(path.name) is not None


def keep(trace: Trace, folder: Path) -> Path | None:
    """Write ``trace`` to a file of its own in ``folder`` and return it.

    None when it cannot be written: no call fails for want of its trace.
    """
    at = trace.began_at[:23].replace(":", "").replace("-", "").replace(".", "")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{at}-{trace.call.kind}-{trace.trace_id}.json"
        write(trace, path)
    except (OSError, InvalidInput) as reason:
        log.warning("the trace was not kept: %s", reason)
        return None
    return path


def load(path: Path) -> Trace:
    """Return the trace in ``path``; raise InvalidInput for a file that holds none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInput(
                f"{path} is too large for a trace.",
                values={"case": "trace_too_large", "path": str(path)},
            )
        content = path.read_bytes()
    except OSError as reason:
        raise InvalidInput(
            f"{path} cannot be read ({reason.strerror}).",
            values={"case": "not_read", "path": str(path), **reason_of(reason)},
        ) from None
    try:
        head = msgspec.json.decode(content)
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise InvalidInput(
                f"{path} is not a trace of Citeseek.",
                values={"case": "no_trace", "path": str(path)},
            )
        if head.get("version") != VERSION:
            raise InvalidInput(
                f"{path} is a trace of version {head.get('version')!r:.20}, and this program reads "
                f"version {VERSION}.",
                hint=f"It was written by Citeseek {head.get('citeseek')!r:.20}.",
                values={
                    "case": "trace_version",
                    "path": str(path),
                    "found": f"{head.get('version')!r:.20}",
                    "version": str(VERSION),
                    "by": f"{head.get('citeseek')!r:.20}",
                },
            )
        # An earlier program may have taken less for a secret.
        trace = msgspec.convert(Redactor().tree(head), Trace)
        _check_bodies(trace.call)
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise InvalidInput(
            f"{path} is not a trace of Citeseek, or is damaged.",
            values={"case": "no_trace", "path": str(path)},
        ) from None
    return trace


def _check_bodies(part: Part) -> None:
    """Raise ValueError where a body is no Base64."""
    for exchange in part.exchanges:
        _ = exchange.answer and exchange.answer.body.data
    for inner in part.parts:
        _check_bodies(inner)


_OF_DAMAGE = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    msgspec.MsgspecError,
)


@contextmanager
def reject_damage() -> Iterator[None]:
    """Raise InvalidInput where what is done with a trace stumbles over what stands in it."""
    try:
        yield
    except CiteseekError:
        raise
    except _OF_DAMAGE as error:
        raise _damage_error(error) from error
    except ExceptionGroup as group:
        mismatch, rest = group.split(_OF_DAMAGE)
        if mismatch is None or rest is not None:
            raise
        raise _damage_error(_first_of(mismatch)) from group


def _damage_error(error: Exception) -> InvalidInput:
    return InvalidInput(
        "Something in the trace is missing, or is not what it is called "
        f"({type(error).__name__}: {error!s:.200}).",
        hint="A trace that was changed cannot always be read. "
        "If nobody changed it, this is a fault of the program.",
        values={"case": "trace_damaged"},
    )


def _first_of(group: ExceptionGroup[Exception]) -> Exception:
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
