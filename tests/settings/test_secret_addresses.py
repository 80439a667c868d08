"""Addresses of servers with a password: what is no good is refused, and nothing of it is shown."""

from __future__ import annotations

import json

import pytest
from tests.conftest import settings

from citeseek.errors import InvalidInput
from citeseek.searching.engine_registry import Registry
from citeseek.settings.process_settings import DatabaseSection, RedisSection
from citeseek.surfaces import overview

PASSWORD = "marked-password-31"
GOOD = [
    f"redis://:{PASSWORD}@127.0.0.1:6379/0",
    f"rediss://me:{PASSWORD}@cache.example?ssl_cert_reqs=none",
    f"redis://127.0.0.1:6379/3?password={PASSWORD}",
    f"unix:///run/valkey.sock?password={PASSWORD}",
    f"postgresql://me:{PASSWORD}@db.example/citeseek",
    f"postgresql:///citeseek?host=/run/postgresql&password={PASSWORD}",
]
BAD = [
    f"redis://:{PASSWORD}@127.0.0.1/abc",
    f"redis://:{PASSWORD}@127.0.0.1/0?decode_responses=true",
    f"redis://:{PASSWORD}@127.0.0.1/0?socket_timeout=abc",
    f"redis://:p@{PASSWORD}@127.0.0.1/0",
    f"redis://:p/{PASSWORD}@127.0.0.1/0",
    f"unix://{PASSWORD}",
    f"postgresql://me:p@{PASSWORD}@db.example/citeseek",
    f"postgresql://me:p?{PASSWORD}@db.example/citeseek",
    f"postgresql://me:p/{PASSWORD}@db.example/citeseek",
    f"postgresql://me:p#{PASSWORD}@db.example/citeseek",
]


def given(address: str) -> dict[str, dict[str, str]]:
    return {"database" if address.startswith("postgresql") else "redis": {"url": address}}


@pytest.mark.parametrize("address", [*GOOD, *BAD])
def test_no_password_of_an_address_is_shown(address: str, caplog: pytest.LogCaptureFixture) -> None:
    loaded = settings(given(address))
    caplog.set_level("INFO")
    loaded.log_values()
    shown = json.dumps(overview.settings(Registry(), loaded), default=str)
    assert PASSWORD not in shown + caplog.text + "".join(map(str, loaded.warnings))


@pytest.mark.parametrize("address", GOOD)
def test_an_address_is_taken_as_it_is(address: str) -> None:
    section = DatabaseSection if address.startswith("postgresql") else RedisSection
    assert settings(given(address)).get(section.url).required() == address


@pytest.mark.parametrize("address", BAD)
def test_an_address_that_would_mean_another_is_refused(address: str) -> None:
    section = DatabaseSection if address.startswith("postgresql") else RedisSection
    with pytest.raises(InvalidInput) as refused:
        settings(given(address)).get(section.url).required()
    assert PASSWORD not in f"{refused.value} {refused.value.hint}"
