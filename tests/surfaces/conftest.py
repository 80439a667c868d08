"""The server that the tests of a module share ends with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.surfaces.sharing import SHARED


@pytest.fixture(scope="module", autouse=True)
def shared_server() -> Iterator[None]:
    yield
    SHARED.close()
