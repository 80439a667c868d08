"""``--certificate`` and ``citeseek verify`` as a person runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.bare import COMMAND, bare
from tests.command import run_citeseek
from tests.extraction.raw_pdf import pdf
from tests.loopback import LoopbackServer
from tests.loopback.models import ModelServer
from tests.research.test_research_command import LENGTH, QUESTION, a_web
from tests.verification.checking import ENV, SENTENCE, stock

from citeseek.certificate import Certificate, write
from citeseek.certificate.key import local_key
from citeseek.certificate.record import CertifiedSource, CertifiedVerdict

KEY = "marked-key-5f3a9c"
ANSWER = "The tea house opened in 1912 [1]. The boat house closed in 1999 [2]."


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def env(server: LoopbackServer, tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        **ENV,
        "CITESEEK_HOME": str(tmp_path / "home"),
        "CITESEEK_SEARXNG_URL": server.base_url,
        "CITESEEK_PAGE_LANGUAGE": "en",
    }


def ask(
    env: dict[str, str], model: ModelServer, file: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    model.says(ANSWER)
    asked = ("ask", "lake", "-e", "searxng", "--certificate", str(file), *options)
    return run_citeseek(*asked, env={**env, **model.env})


def verify(
    file: Path, folder: Path, *options: str, **more: str
) -> subprocess.CompletedProcess[str]:
    """Verify on another machine: another home, and nothing that could be asked."""
    env = {**os.environ, "CITESEEK_HOME": str(folder / "elsewhere"), **more}
    return run_citeseek("verify", str(file), *options, env=env)


def test_an_answer_is_certified_and_verified_elsewhere(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    stock(server)
    file = tmp_path / "answer.certificate"
    done = ask(env, model, file)
    assert done.returncode == 0, done.stderr
    key = done.stderr.split()[-1]
    requests = len(server.requests)
    found = verify(file, tmp_path, "--key", key)
    assert (found.returncode, len(server.requests)) == (0, requests)
    assert key in found.stdout
    assert "2/2" in found.stderr
    told = json.loads(verify(file, tmp_path, "-f", "json").stdout)
    assert (told["same"], told["repeated"], told["key"]) == (True, 2, key)
    assert told["complete"]
    assert not (tmp_path / "elsewhere").exists()  # who only verifies needs no key
    whole = json.loads(file.read_text().splitlines()[1])
    assert [one["verdict"] for one in whole["verdicts"]] == ["supported", "contradicted"]
    assert whole["verdicts"][0]["quote"] == SENTENCE
    assert whole["answer"].startswith("The tea house opened in 1912 [[1]](")
    assert oct(file.stat().st_mode)[-3:] == "600"


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_it_is_written_though_nobody_reads_the_answer(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path, form: str
) -> None:
    stock(server)
    model.says(ANSWER)
    file = tmp_path / "answer.certificate"
    asked = ("ask", "lake", "-e", "searxng", "--certificate", str(file), "-f", form)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "citeseek", *asked],
            env={**env, **model.env},
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert str(file) in done.stderr
    assert verify(file, tmp_path).returncode == 0


@pytest.mark.release
def test_the_certificate_of_a_check_is_what_the_check_prints(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    stock(server)
    file = tmp_path / "answer.certificate"
    told = json.loads(ask(env, model, file, "--check", "-f", "json").stdout)["check"]["checks"]
    whole = json.loads(file.read_text().splitlines()[1])["verdicts"]
    for name in ("number", "place", "claim", "verdict", "reason", "missing", "elsewhere"):
        assert [one[name] for one in whole] == [one[name] for one in told]
    assert [one["quote"] for one in whole] == [one["evidence"] for one in told]


@pytest.mark.parametrize("options", [(), ("--certificate-hashes",)])
def test_the_certificate_of_a_file_of_ones_own_holds_what_was_read(
    env: dict[str, str], tmp_path: Path, options: tuple[str, ...]
) -> None:
    fact = "The second basin of Alder was opened in 1921 and cost 98 million crowns."
    body = pdf("The harbour of Alder was built in 1874 by the town itself.", fact)
    paper, file = tmp_path / "harbour.pdf", tmp_path / "answer.certificate"
    paper.write_bytes(body)
    asked = ("When was the second basin of Alder opened?", "--no-search", "--file", str(paper))
    done = run_citeseek("ask", *asked, "--certificate", str(file), *options, env=env)
    assert done.returncode == 0, done.stderr
    whole = json.loads(file.read_text().splitlines()[1])
    (source,) = whole["sources"]
    assert fact in source["text"]
    assert source["page_sha256"] == sha256(body).hexdigest()
    assert bool(source["page"]) is not bool(options)
    assert {one["page"]["number"] for one in whole["verdicts"]} == {2}
    found = verify(file, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    # Without the bytes it says that they are not there.
    assert found.stdout.count("\n") == 2 + bool(options)


def test_what_could_not_be_repeated_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "answer.certificate"
    source = CertifiedSource(
        number=1,
        title="Tea",
        url="https://lake.example/tea",
        final_url="https://lake.example/tea",
        was_read=True,
        read_at="2026-01-31T12:00:00+00:00",
        is_whole_page=True,
        is_excerpt=True,
        is_redacted=False,
        text=SENTENCE,
        text_sha256="0" * 64,
        content_type="text/html",
        page_sha256="0" * 64,
        page="",
    )
    claim = "Mozart composed symphonies in Vienna"
    absent = CertifiedVerdict(
        number=1,
        place=0,
        claim=claim,
        verdict="absent",
        reason="not_found",
        score=0,
        quote="",
        missing=(),
        elsewhere=None,
        together=(),
        by="rules",
        repeats=False,
    )
    whole = Certificate(
        kind="answer",
        question="Where?",
        answer=f"{claim} [1].",
        judged=f"{claim} [1].",
        model="stub",
        made_at="2026-01-31T12:00:00+00:00",
        citeseek="0.1.0",
        rules_sha256="0" * 64,
        sources=(source,),
        verdicts=(absent,),
        quotes=(),
    )
    write(whole, file, local_key(tmp_path))
    done = verify(file, tmp_path, CITESEEK_PAGE_LANGUAGE="en")
    assert (done.returncode, "nothing was repeated: 0 of 1" in done.stderr) == (3, True)
    told = json.loads(verify(file, tmp_path, "-f", "json").stdout)
    assert (told["same"], told["complete"], told["differences"]) == (False, False, [])


@pytest.mark.release
def test_a_report_is_certified_with_its_quotes(
    server: LoopbackServer, env: dict[str, str], tmp_path: Path
) -> None:
    a_web(server)
    for options in ((), ("--certificate-hashes",)):
        file = tmp_path / f"report{len(options)}"
        asked = ("research", QUESTION, "-e", "searxng", "--certificate", str(file), *options)
        done = run_citeseek(*asked, env=env)
        assert done.returncode == 0, done.stderr
        found = verify(file, tmp_path)
        assert found.returncode == 0, found.stdout + found.stderr
        whole = json.loads(file.read_text().splitlines()[1])
        assert whole["answer"] == done.stdout
        assert {quote["text"] for quote in whole["quotes"]} == {LENGTH}
        assert [bool(source["page"]) for source in whole["sources"]] == [not options] * 2


@pytest.mark.release
def test_a_reports_summary_is_judged_again(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    a_web(server)
    model.says("[]")
    model.says("The Alder Bridge is 412 metres long [1].")
    file = tmp_path / "report"
    asked = ("research", QUESTION, "-e", "searxng", "--certificate", str(file))
    done = run_citeseek(*asked, env={**env, **model.env})
    assert done.returncode == 0, done.stderr
    found = json.loads(verify(file, tmp_path, "-f", "json").stdout)
    assert (found["same"], found["repeated"], found["kind"]) == (True, 1, "report")


@pytest.mark.release
def test_what_was_changed_or_is_anothers_has_exit_code_2(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    stock(server)
    file = tmp_path / "answer.certificate"
    ask(env, model, file)
    assert verify(file, tmp_path, "--key", "ab" * 32).returncode == 2
    content = file.read_bytes()
    file.write_bytes(content.replace(b"opened in 1912 [", b"opened in 1913 ["))
    done = verify(file, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "在签名之后被改动过" in done.stderr
    assert verify(tmp_path / "nothing", tmp_path).returncode == 2


def test_nothing_is_asked_where_no_certificate_could_be_written(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    stock(server)
    file = tmp_path / "diary"
    file.write_text("dear diary")
    asked = ("ask", "lake", "-e", "searxng", "--certificate")
    for options in ((*asked, str(file)), ("ask", "lake", "--certificate-hashes")):
        done = run_citeseek(*options, env={**env, **model.env})
        assert done.returncode == 2
    assert run_citeseek("ask", "--certificate", str(tmp_path / "a"), env=env).returncode == 2
    assert not server.requests
    assert file.read_text() == "dear diary"


@pytest.mark.release
def test_keys_and_cookies_are_not_in_it(
    server: LoopbackServer, model: ModelServer, env: dict[str, str], tmp_path: Path
) -> None:
    stock(server)
    secret = {"TAVILY_API_KEY": KEY, "CITESEEK_TOKEN": f"{KEY}-token"}
    file = tmp_path / "answer.certificate"
    model.says(f"The key is {KEY} [1]. It says {KEY}-token [1].")
    asked = ("ask", "lake", "-e", "searxng", "--certificate", str(file))
    done = run_citeseek(*asked, env={**env, **model.env, **secret})
    assert done.returncode == 0, done.stderr
    assert KEY not in file.read_text()
    assert "***" in file.read_text()
    assert verify(file, tmp_path).returncode == 0


def test_without_the_library_it_says_what_installs_it(tmp_path: Path) -> None:
    file = tmp_path / "certificate"
    file.write_text('{"format":"citeseek-certificate"')
    env = {**os.environ, "CITESEEK_HOME": str(tmp_path)}
    done = bare(COMMAND, "research", "tea", "--certificate", str(file), env=env)
    assert done.returncode == 2
    assert "证书需要的软件包不可用：cryptography。" in done.stderr
    assert "pip install" in done.stderr
