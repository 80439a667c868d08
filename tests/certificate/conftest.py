"""Starting a process for each certificate would take most of the time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from citeseek.certificate.repeat import ALLOWANCE
from citeseek.sandbox import Sandbox


@pytest.fixture(autouse=True, scope="package")
def kept_worker() -> Iterator[None]:
    sandbox = Sandbox(ALLOWANCE)
    sandbox.hold()
    yield
    asyncio.run(sandbox.close())
