from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.shared_state.server import ValkeyServer


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
def valkey(running: ValkeyServer) -> ValkeyServer:
    """Give a server that holds nothing."""
    running.empty()
    return running
