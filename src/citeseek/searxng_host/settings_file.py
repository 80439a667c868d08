"""The settings.yml, read before a SearXNG is started or stopped for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from citeseek.errors import InvalidInput, reason_of
from citeseek.searxng_host import settings_check

SECONDS = 15
PROGRAM = Path(settings_check.__file__)

# Runs the check with a Python of one's choice over these bytes; None when it could not be run.
Reader = Callable[[bytes], "subprocess.CompletedProcess[bytes] | None"]


# What is said where a SearXNG was not touched.
LEFT_ALONE = "What runs was left running."


class _Fault(msgspec.Struct, frozen=True):
    problem: str
    line: int
    column: int
    case: str
    values: dict[str, str]


def with_python(python: str) -> Reader:
    """Return a reader that runs the interpreter ``python`` of this machine."""

    def read(data: bytes) -> subprocess.CompletedProcess[bytes] | None:
        try:
            return subprocess.run(  # noqa: S603 - our own command
                [python, "-I", "-X", "utf8", str(PROGRAM)],
                input=data,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None

    return read


def check(path: Path, others: Iterable[Reader] = (), *, runs: bool = False) -> bool:
    """Return whether ``path`` could be read as YAML: with this Python, else with one of ``others``.

    Raise InvalidInput with line and column when SearXNG would not take it; where one ``runs``, it
    says that it was left running.
    """
    hint = LEFT_ALONE if runs else ""
    told = {"path": str(path), **({"hint_case": "left_running"} if runs else {})}
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.",
            hint=hint,
            values={"case": "not_read", **reason_of(error), **told},
        ) from None
    for read in (with_python(sys.executable), *others):
        if (fault := _fault(read(data))) is None:
            continue
        if fault.problem:
            place = f", line {fault.line}, column {fault.column}" if fault.line else ""
            at = {"line": str(fault.line), "column": str(fault.column)} if fault.line else {}
            case = f"yaml_{fault.case}" if at else f"yaml_{fault.case}_somewhere"
            said = {**fault.values, "problem": fault.problem, **at}
            raise InvalidInput(
                f"{path}{place}: {fault.problem}.", hint=hint, values={"case": case, **said, **told}
            )
        return True
    return False


def _fault(done: subprocess.CompletedProcess[bytes] | None) -> _Fault | None:
    """Return what the check printed, None when that Python could not run it."""
    if done is None or done.returncode:
        return None
    try:
        return msgspec.json.decode(done.stdout, type=_Fault)
    except msgspec.DecodeError:
        return None
