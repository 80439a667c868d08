"""How the stores of a server stand, for its metrics, its status and its health."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class JobLoad(NamedTuple):
    """How many jobs of a kind have not ended, and for how long none of those has changed.

    ``waiting`` of them were not begun yet; ``oldest_seconds`` ago the oldest was asked for.
    """

    open: int
    quiet_seconds: float
    waiting: int = 0
    oldest_seconds: float = 0.0


class DiskSpace(NamedTuple):
    """The bytes of a disk, and those of them that are free."""

    total: int
    free: int


class StoreFault(NamedTuple):
    """Why a server that keeps something takes nothing: its ``state``, such as ``unreachable``."""

    state: str
    version: str = ""
    reason: str = ""


class StoreState(NamedTuple):
    """Which stores take what is to be kept, the jobs that wait there, and the disk of a file.

    ``revision`` is that of the tables of conversations, empty where it is not known. ``faults``
    say of stores on a server that take nothing what is wrong.
    """

    are_up: Mapping[str, bool] = {}
    jobs: Mapping[str, JobLoad] = {}
    disk: DiskSpace | None = None
    revision: str = ""
    faults: Mapping[str, StoreFault] = {}
