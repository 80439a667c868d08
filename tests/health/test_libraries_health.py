"""Optional libraries that are missing, broken or too old: told apart, wherever it counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bare import COMMAND, bare
from tests.loopback import LoopbackServer, replies

from citeseek.extras import EXTRAS, Fault, fault

pytestmark = pytest.mark.release

BROKEN = "raise RuntimeError('marked-text')"


def package(folder: Path, name: str, code: str = "", version: str = "") -> None:
    """Put a module before the one that is installed, and a version of a package if one is given."""
    (folder / f"{name}.py").write_text(code)
    if version:
        about = folder / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )


def command(*arguments: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where the modules of ``folder`` come first."""
    return python(f"import sys; {COMMAND}", *arguments, folder=folder, **env)


def python(
    code: str, *arguments: str, folder: Path, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` where the modules of ``folder`` come first."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder), **env},
    )


def test_what_is_there_and_works_has_no_fault() -> None:
    names = [one.partition(">=")[0] for extra in EXTRAS.values() for one in extra]
    assert [found for name in names if (found := fault(name))] == []


def test_missing_broken_and_old_are_told_apart(tmp_path: Path) -> None:
    package(tmp_path, "trafilatura", BROKEN)
    package(tmp_path, "lxml_html_clean", "import no_such_module")
    package(tmp_path, "pypdfium2", version="1.9")
    code = (
        "import sys, asyncio; sys.modules['cryptography'] = None\n"
        "from msgspec.json import encode\n"
        "from citeseek.health.dependencies import check_libraries\n"
        "found = asyncio.run(check_libraries(('fetch', 'metrics')))\n"
        "print(encode([each.text() for each in found]).decode())"
    )
    done = python(code, folder=tmp_path)
    found, whole = json.loads(done.stdout)
    assert (whole["code"], whole["status"]) == ("ok", "ok")
    assert (found["code"], found["status"]) == ("not_whole", "warning")
    wrong = (
        Fault("lxml-html-clean", "broken", "ModuleNotFoundError: no_such_module"),
        Fault("trafilatura", "broken", "RuntimeError"),
        Fault("pypdfium2", "old", "1.9"),
        Fault("cryptography", "missing"),
    )
    assert "; ".join(map(str, wrong)) in found["seen"]
    assert found["repair"] == [
        'python -m pip install --force-reinstall "lxml-html-clean>=0.4"',
        'python -m pip install --force-reinstall "trafilatura>=2.3"',
        'python -m pip install "pypdfium2>=5.15"',
        'python -m pip install "cryptography>=45.0"',
    ]
    assert "marked-text" not in done.stdout + done.stderr


def test_the_doctor_tells_what_is_not_installed_and_what_it_costs() -> None:
    done = bare(COMMAND, "doctor", "libraries", "--json")
    found = json.loads(done.stdout)["findings"]
    assert {one["code"] for one in found} == {"not_installed"}
    by_status = {
        status: [one for one in found if one["status"] == status]
        for status in ("warning", "skipped")
    }
    (fetch,) = by_status["warning"]
    assert "网页只能粗略读取" in fetch["seen"]
    assert fetch["repair"] == [
        "python -m pip install " + " ".join(f'"{one}"' for one in EXTRAS["fetch"])
    ]
    assert len(by_status["skipped"]) == len(EXTRAS) - 1


def test_the_doctor_of_the_model_agrees_with_ask_where_langchain_is_missing() -> None:
    asked = bare(COMMAND, "ask", "tea")
    looked = bare(COMMAND, "doctor", "model", "--json")
    (finding,) = json.loads(looked.stdout)["findings"]
    assert (asked.returncode, looked.returncode) == (2, 3)
    assert (finding["code"], finding["status"]) == ("not_installed", "error")
    assert "langchain-core is not installed" in finding["seen"]
    assert finding["repair"][0] in asked.stderr


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("langchain_openai", BROKEN, "langchain-openai is installed and cannot be imported"),
        ("socksio", "raise ImportError('marked-text')", "socksio is installed and cannot be"),
    ],
)
def test_a_broken_library_of_a_model_is_not_a_missing_key(
    tmp_path: Path, name: str, code: str, said: str
) -> None:
    package(tmp_path, name, code)
    env = {"CITESEEK_MODEL": "openai:test", "CITESEEK_MODEL_API_KEY": "x"}
    proxy = {"ALL_PROXY": "socks5://127.0.0.1:1"} if name == "socksio" else {}
    done = command("doctor", "model", "--json", folder=tmp_path, **env, **proxy)
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["status"]) == ("failed", "error")
    assert said in finding["seen"]
    assert "key" not in finding["seen"]
    assert name.replace("_", "-") in finding["repair"][-1]


@pytest.mark.parametrize("name", ["openai:test", "ollama:test"])
def test_what_speaks_socks_is_named_where_it_is_missing(tmp_path: Path, name: str) -> None:
    done = python(
        f"import sys; sys.modules['socksio'] = None; {COMMAND}",
        *("ask", "tea", "--no-search", "--model", name),
        folder=tmp_path,
        ALL_PROXY="socks5://user:marked@127.0.0.1:1",
        CITESEEK_MODEL_API_KEY="x",
    )
    assert done.returncode == 3
    assert "socksio is not installed" in done.stderr
    assert 'python -m pip install "socksio>=1.0"' in done.stderr
    assert "langchain" not in done.stderr
    assert "marked" not in done.stderr


@pytest.mark.parametrize(
    ("library", "arguments"),
    [("nh3", ("serve", "--port", "0")), ("langchain_openai", ("ask", "tea", "--no-search"))],
)
def test_a_damaged_native_installation_is_told(
    tmp_path: Path, library: str, arguments: tuple[str, ...]
) -> None:
    (tmp_path / f"{library}.so").write_bytes(b"\x7fELF damaged")
    env = {"CITESEEK_MODEL": "openai:test", "CITESEEK_MODEL_API_KEY": "x"}
    done = command(*arguments, folder=tmp_path, **env)
    name = library.replace("_", "-")
    assert done.returncode in (2, 3)
    assert f"{name} is installed and cannot be imported (ImportError)" in done.stderr
    assert f'python -m pip install --force-reinstall "{name}>=' in done.stderr
    assert "程序的错误" not in done.stderr


def test_a_damaged_library_is_told_to_programs_that_need_it(tmp_path: Path) -> None:
    (tmp_path / "langchain_core.so").write_bytes(b"\x7fELF damaged")
    code = "try:\n from citeseek import Assistant\nexcept ImportError as error: print(error)"
    done = python(code, folder=tmp_path)
    assert "langchain-core is installed and cannot be imported (ImportError)" in done.stdout
    assert "--force-reinstall" in done.stdout


def test_a_page_that_was_read_without_its_library_says_so_everywhere(
    tmp_path: Path, server: LoopbackServer
) -> None:
    package(tmp_path, "lxml_html_clean", BROKEN)
    server.otherwise(replies.html("<title>Tea</title><p>Green tea is steamed within a day."))
    env = {"WEB_FETCH_ALLOW": "127.0.0.0/8"}
    done = command("fetch", server.base_url, "-f", "json", folder=tmp_path, **env)
    shown = json.loads(done.stdout)
    assert shown["extraction_method"] == "plain"
    assert {"library": "lxml-html-clean", "state": "broken", "found": "RuntimeError"} in shown[
        "degraded"
    ]
    assert done.stderr.count("lxml-html-clean 已安装，但不能导入") == 1
    whole = command("fetch", server.base_url, "-f", "json", folder=tmp_path / "none", **env)
    assert json.loads(whole.stdout)["degraded"] == []
