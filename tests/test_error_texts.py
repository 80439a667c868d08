"""What went wrong, in each language: English where it is raised, the rest from the catalogues."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import citeseek
from citeseek.browser import failures
from citeseek.browser.browser_options import find_chrome
from citeseek.engines.searxng import refusal as searxng_refusal
from citeseek.errors import CiteseekError, SearchFailed
from citeseek.extraction import walls
from citeseek.extraction.media import kind_of
from citeseek.fetching.page_reader import status_refusal
from citeseek.guard.target import read
from citeseek.i18n import catalogue, languages
from citeseek.models import Failure, Page
from citeseek.searching.breaker import Breaker
from citeseek.searching.engine_limits import too_many

HAN = re.compile("[\u4e00-\u9fff]")
URL = "https://a.example/"
# Rooms in which nothing is said in the language of a reader.
CORE = ("browser", "fetching", "guard", "http", "sandbox", "searching")


def raised(call: Callable[[], object]) -> CiteseekError:
    with pytest.raises(CiteseekError) as caught:
        call()
    return caught.value


def page(status: int = 200, body: bytes = b"", content_type: str = "text/html") -> Page:
    return Page(url=URL, status=status, body=body, headers={"content-type": content_type})


def errors() -> list[CiteseekError]:
    refused = [status_refusal(page(status)) for status in (401, 403, 404, 429, 451, 503, 999)]
    return [
        *filter(None, refused),
        *(walls.wall_error(code, page()) for code in walls._SENTENCES),
        raised(lambda: read("http://a.example:25/")),
        raised(lambda: read("http://me@a.example/")),
        raised(lambda: read("http://0x7f.1/")),
        raised(lambda: kind_of(page(body=b"\x89PNG\r\n\x1a\n", content_type="image/png"))),
        raised(lambda: kind_of(page(body=b"\0\1", content_type="application/x-thing"))),
        raised(lambda: find_chrome("no-such-browser")),
        failures.slow_start(5),
        failures.failed_start(None),
        failures.failed_start("chrome"),
        failures.crash_error(),
        failures.page_crashed(),
        too_many("ddg_html", 10, 3.2),
        *filter(None, [searxng_refusal(page(403))]),
    ]


def test_every_error_is_english_itself_and_has_a_sentence_of_its_own_in_each_language() -> None:
    for error in errors():
        assert not HAN.search(str(error))
        assert catalogue("en").explain(error) == (error.message, error.hint)
        told = {lang: catalogue(lang).explain(error)[0] for lang in ("zh", "ja")}
        assert HAN.search(told["zh"]), error.message
        assert told["ja"] not in (told["zh"], error.message), error.message
        kept = Failure.of(error)
        assert all(catalogue(lang).explain(kept)[0] == told[lang] for lang in told)


@pytest.mark.requirement("S4-25")
def test_a_captcha_needs_a_person_in_chinese() -> None:
    assert "需要人工处理" in catalogue("zh").sentence(walls.wall_error("captcha_required", page()))


def test_an_engine_that_cools_down_says_after_what() -> None:
    breaker = Breaker(clock=lambda: 0.0)
    cause = walls.wall_error("captcha_required", page())
    breaker.record_failure(cause)
    refusal = breaker.refusal("ddg_html")
    assert isinstance(refusal, SearchFailed)
    assert refusal.message.endswith(cause.message)
    chinese = catalogue("zh").explain(refusal)[0]
    assert chinese.startswith("冷却中")
    assert chinese.endswith(catalogue("zh").explain(cause)[0])


def test_what_others_wrote_is_told_in_their_words() -> None:
    error = SearchFailed("A plugin failed.", hint="Ask its author.", engine="mine")
    for lang in languages():
        assert catalogue(lang).explain(error) == ("A plugin failed.", "Ask its author.")
        assert catalogue(lang).sentence(error) == "mine: A plugin failed. Ask its author."


def test_the_core_says_nothing_in_chinese() -> None:
    root = Path(citeseek.__file__).parent
    for file in (
        root / "errors.py",
        *(each for room in CORE for each in (root / room).rglob("*.py")),
    ):
        assert not HAN.search(file.read_text(encoding="utf-8")), file


# Whoever types a command, or asks over REST, reads these.
SAID_TO_PEOPLE = ("surfaces/cli", "query.py")


def refusals() -> list[tuple[str, ast.Call]]:
    house = Path(citeseek.__file__).parent
    files = [
        file
        for room in SAID_TO_PEOPLE
        for file in ([house / room] if room.endswith(".py") else (house / room).rglob("*.py"))
    ]
    return [
        (f"{file.name}:{node.lineno}", node)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "InvalidInput"
    ]


def test_what_cannot_be_done_is_told_in_the_language_of_who_asked() -> None:
    found = refusals()
    assert len(found) > 30
    for place, call in found:
        values = next((each.value for each in call.keywords if each.arg == "values"), None)
        assert isinstance(values, ast.Dict), place
        case = dict(zip(map(ast.unparse, filter(None, values.keys)), values.values, strict=True))
        told = case["'case'"]
        assert isinstance(told, ast.Constant), place
        for lang in ("zh", "ja"):
            say = catalogue(lang)
            sentence = say(f"error.InvalidInput.{told.value}", **dict.fromkeys(_names, "1"))
            assert re.search("[\u3040-\u30ff\u4e00-\u9fff]", sentence), (place, lang)


# What these raise is for programs and for people who write them, or is another's words already.
FOR_PROGRAMS = (
    *("tools/", "surfaces/mcp/", "surfaces/completions/", "surfaces/rest/", "surfaces/searxng/"),
    *("surfaces/sign_in/", "surfaces/web/issuer_documents.py", "trace/trace_record.py"),
    *("searching/engine_registry.py", "searching/planning.py", "language_model/"),
    *("assistant/responder.py", "assistant/citation_judge.py", "browser/tab.py", "http/pinned.py"),
    *("conversations/conversation_rows.py", "conversations/conversation_record.py"),
    *("fetching/picture", "jobs/batch"),
)


def raised_in_the_house() -> list[tuple[str, ast.Call]]:
    """Return each error that is made with a sentence, of the rooms whose errors people read."""
    house = Path(citeseek.__file__).parent
    kinds = {
        name
        for name, kind in vars(citeseek.errors).items()
        if isinstance(kind, type) and issubclass(kind, CiteseekError)
    } | {"DeploymentFailed"}
    return [
        (f"{place}:{node.lineno}", node)
        for file in house.rglob("*.py")
        if not (place := file.relative_to(house).as_posix()).startswith(FOR_PROGRAMS)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in kinds and node.args
    ]


def test_every_error_that_a_person_may_read_has_values_and_their_sentence() -> None:
    found = raised_in_the_house()
    assert len(found) > 200
    assert [place for place, call in found if not _keyword(call, "values")] == []
    for place, call in found:
        values = _keyword(call, "values")
        if not isinstance(values, ast.Dict):
            continue
        told = dict(
            zip((ast.literal_eval(k) for k in values.keys if k), values.values, strict=False)
        )
        case = told.get("case")
        if not isinstance(case, ast.Constant):
            continue
        assert isinstance(call.func, ast.Name)
        detail = _keyword(call, "detail_code")
        code = f"{detail.value}" if isinstance(detail, ast.Constant) else "[a-z_0-9]+"
        kind = f"error.{call.func.id}"
        keys = re.compile(rf"{kind}\.({case.value}|{code}|{code}\.{case.value})")
        for lang in ("zh", "ja"):
            assert any(map(keys.fullmatch, catalogue(lang))), (place, lang)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


_names = (
    "value known name low high chars most option path reason id done total since settings command"
).split()
