"""What tests of certificates share: processes that are kept, and one certificate."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.certificate.certified import certificate_of
from tests.loopback import LoopbackServer
from tests.verification.checking import ENV

from citeseek import Settings
from citeseek.certificate import Certificate
from citeseek.certificate.repeat import ALLOWANCE
from citeseek.sandbox import Allowance, Sandbox


@pytest.fixture(autouse=True, scope="package")
def kept_workers() -> Iterator[None]:
    """Keep the processes that read pages and certificates: starting one takes a second."""
    kept = [Sandbox(ALLOWANCE), Sandbox(Allowance.of(Settings.load(env=ENV)))]
    for sandbox in kept:
        sandbox.hold()
    yield
    for sandbox in kept:
        asyncio.run(sandbox.close())


@pytest.fixture(scope="package")
def certificate(kept_workers: None) -> Certificate:
    """Return the certificate of an answer whose pages were read."""
    with LoopbackServer() as server:
        return asyncio.run(certificate_of(server))
