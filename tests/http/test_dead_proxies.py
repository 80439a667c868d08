"""A proxy that takes no connection is named with its setting, wherever something is asked by it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from tests.command import run_citeseek
from tests.loopback import refused_port
from tests.loopback.models import ModelServer

from citeseek.errors import NetworkError
from citeseek.http import Proxies


@pytest.fixture
def proxy() -> Iterator[str]:
    with refused_port() as port:
        yield f"127.0.0.1:{port}"


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_citeseek(*args, env={**os.environ, **env})


@pytest.mark.sample(2)
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
@pytest.mark.parametrize("model", ["openai:test", "ollama:test"])
def test_a_model_behind_a_dead_proxy(model: str, variable: str, proxy: str) -> None:
    done = run(
        *("ask", "tea", "--no-search", "--model", model),
        CITESEEK_MODEL_BASE_URL="http://model.example/v1",
        CITESEEK_MODEL_API_KEY="x",
        **{variable: f"http://user-1:pass-1@{proxy}"},
    )
    assert done.returncode == 3
    told = f"http://***@{proxy} (environment: {variable})"
    assert f"请检查代理 {told}。" in done.stderr
    assert "heck the proxy" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert "user-1" not in done.stderr
    assert "pass-1" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "tea", "-e", "wikipedia"),
        ("search", "tea", "-e", "ddg_html"),
        ("fetch", "https://a.example/"),
    ],
)
def test_engines_and_pages_behind_a_dead_proxy(arguments: tuple[str, ...], proxy: str) -> None:
    done = run(*arguments, HTTPS_PROXY=f"http://user-1:pass-1@{proxy}")
    assert done.returncode == 3
    assert f"the proxy http://***@{proxy} (environment: HTTPS_PROXY)" in done.stderr
    assert "user-1" not in done.stderr
    assert "pass-1" not in done.stderr


def test_a_proxy_of_its_own_setting_is_named_by_it(proxy: str) -> None:
    done = run("search", "tea", "-e", "wikipedia", CITESEEK_WIKIPEDIA_PROXY=f"http://{proxy}")
    assert f"the proxy http://{proxy} (environment: CITESEEK_WIKIPEDIA_PROXY)" in done.stderr


def test_libraries_warn_nobody_at_a_terminal() -> None:
    """The model is on this machine, past the proxy that is set."""
    with ModelServer() as model:
        model.says("Steamed.")
        done = run(
            *("ask", "tea", "--no-search", "--model", "openai:test"),
            CITESEEK_MODEL_BASE_URL=model.base_url.replace("://", "://user-1:pass-1@"),
            CITESEEK_MODEL_API_KEY="x",
            HTTPS_PROXY="http://127.0.0.1:1",
            NO_PROXY="127.0.0.1",
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Steamed." in done.stdout


def test_what_libraries_log_of_addresses_holds_no_password() -> None:
    with ModelServer() as model:
        model.says("Steamed.")
        done = run(
            *("-v", "ask", "tea", "--no-search", "--model", "openai:test"),
            CITESEEK_MODEL_BASE_URL=model.base_url.replace("://", "://user-1:pass-1@"),
            CITESEEK_MODEL_API_KEY="x",
        )
    assert done.returncode == 0
    assert "HTTP Request: POST http://***@127.0.0.1:" in done.stderr
    assert "user-1" not in done.stderr
    assert "pass-1" not in done.stderr


def test_a_failure_past_the_proxy_does_not_name_it() -> None:
    proxies = Proxies(https="http://u:p@p.example", origins={"https": "environment: HTTPS_PROXY"})
    for url, named in (("https://a.example", True), ("http://a.example", False)):
        with pytest.raises(NetworkError) as caught, proxies.naming(url):
            raise NetworkError("No connection.")
        assert ("http://***@p.example (environment: HTTPS_PROXY)" in caught.value.hint) is named
    with pytest.raises(NetworkError) as kept, proxies.naming("https://a.example"):
        raise NetworkError("No connection.", hint="Look there.")
    assert kept.value.hint == "Look there."
