"""Write the documentation that is made from the code: ``python -m tools.docs [--check]``.

``docs/engines.md`` comes from the engines' descriptors, ``docs/settings.md`` from the table of
settings, ``docs/errors.md`` from the tree of errors, the floors of ``docs/design.md`` from the
contract of imports, and the guide to SearXNG from the package, where the chat page shows it. With
``--check`` nothing is written and the exit code is 1 when a page is not what the code says.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from citeseek import errors
from citeseek.engine import Engine
from citeseek.errors import DETAIL_CODES, CiteseekError, SearchFailed
from citeseek.faces import FACES, Face
from citeseek.searching.engine_registry import Registry
from citeseek.settings.setting import Setting
from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS

GUIDES = ("searxng.md", "searxng.zh.md")
DOCS = Path(__file__).parents[1] / "docs"
FLOORS, FLOORS_END = "<!-- floors -->", "<!-- /floors -->"

ENGINES_HEAD = """\
# Engines

[中文](zh/engines.md)

Made from the engines' descriptors by `make docs`. `citeseek engines` prints the same and says
whether your keys are set.

An index is whose crawl an engine shows: engines of one index have one vote when results are merged.
A filter that an engine cannot do is reported in `ignored`, never dropped in silence.

## Categories

`category` says what kind of results is wanted: `web` (what is searched without it), `news`,
`images`, `videos`, `papers` or `code` (`citeseek search --category news`, `category` over REST
and for tools). The table names what each engine has beside the web. One that has not the category
searches the web and says `category` in `ignored`; `auto` begins with those that have it, and asks
those of it that need no key. Filters differ within an engine too: Brave's pictures have no time
span.

Results have what their kind needs, where the engine says it: `thumbnail`; `image` (`url`, `width`,
`height`); `video` (`seconds`, `channel`, `views`); `paper` (`authors`, `venue`, `doi`, `citations`,
`pdf_url`); `code` (`language`, `tags`, `license`, `stars`, `votes`, `answers`, `is_answered`). News
have their publisher in `site_name` and their day in `published_at`. The address of a picture's
result is the page that shows it.

## Made from descriptions

`startpage`, `brave_html`, `yahoo`, `ecosia`, `sogou`, `yandex` and `qwant`, and the news, images
and videos of `bing_html` and `ddg_html`, were made from what is publicly known of these pages,
and have not been tried against the live sites: expect them to be refused, or not understood,
more often than the others. Such an answer is an error (`captcha_required`, `drift`) and never
"nothing found"; `citeseek engines check yandex` tells how one fares with you. The engines with
an API that came with the categories were made from its documentation.

## The engines
"""
SETTINGS_HEAD = """\
# Settings

Made from the table of settings by `make docs`. A value is looked for in `agents.json` (for one
agent), in `config.json`, in the environment, and is the default otherwise. A blank or unreadable
value counts as not set, with a warning that names it. `citeseek settings` prints what your settings
lead to.

An address or a proxy that somebody wrote and that cannot be used is an error instead: whatever
would go to it, or through it, is not sent at all, neither elsewhere nor directly. This holds for
`HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` as well, but for what `NO_PROXY` names. A blank one is
none.

`config.json` and `agents.json` are read from the folder that `CITESEEK_HOME` names, else from
`~/.config/citeseek`; `--config` and `--agents` name other files. A text such as `"$NAME"` in
`config.json` stands for the variable `NAME`.

`citeseek doctor config` looks at both files and at the environment: what is no JSON, with its line
and column; names that no setting has, with what was meant; values that do not count; engines that
there are not.
"""
ERRORS_HEAD = """\
# Errors

[中文](zh/errors.md)

Made from `citeseek/errors.py` by `make docs`. The class name is the
`error_code` everywhere.
"""
DETAIL_CODES_HEAD = """\
## Detail codes

`detail_code` narrows the `error_code`; `http_NNN` stands for the status, such as `http_403`. It is
empty where there is nothing to add.
"""


def guide(name: str) -> str:
    """Return the guide to a SearXNG of one's own."""
    return (files("citeseek.searxng_host") / "guide" / name).read_text(encoding="utf-8")


def engines() -> str:
    """Return the page about the engines."""
    registry = Registry()
    rows = [_engine_row(engine, registry.names(engine.id)) for engine in registry.built_in()]
    table = _table(
        ("id", "also", "what", "kind", "index", "filters", "categories", "key", "price"), rows
    )
    keyed = [
        f"- **{engine.label}**: set `{engine.key_env}`; keys at <{engine.key.signup_url}>"
        for engine in registry.built_in()
        if engine.key and engine.key.required
    ]
    return "\n".join((ENGINES_HEAD, table, "", "## Keys", "", *keyed, ""))


def settings() -> str:
    """Return the page about the settings."""
    faces = _table(
        ("face", "engine", "results", "deadline", "cache", "an unknown engine"),
        [
            (
                f"{face.id}: {face.label}",
                f"`{face.engine}`",
                _results(face),
                f"{face.seconds:g} s",
                f"{face.cache}, {face.ttl_minutes:g} min" if face.ttl_minutes else face.cache,
                face.unknown_engine,
            )
            for face in FACES
        ],
    )
    return "\n".join(
        (
            SETTINGS_HEAD,
            "## Faces and their defaults",
            "",
            faces,
            "",
            "## All settings",
            "",
            "Each setting by its names: in `config.json`, in `agents.json`, in the environment.",
            "The last ones are those of one engine: `<id>` stands for its id, `<ID>` for the same",
            "in capitals.",
            "",
            _settings_table((*SETTINGS, *ENGINE_SETTINGS)),
            "",
        )
    )


def error_codes() -> str:
    """Return the page about the errors."""
    rows = [
        (
            f"`{kind.__name__}`",
            (kind.__doc__ or "").split("\n")[0],
            _may_work_later(kind),
            "yes" if issubclass(kind, SearchFailed) and kind.another_may else "no",
        )
        for kind in _raised(CiteseekError)
    ]
    table = _table(("error_code", "meaning", "may work later", "another engine may"), rows)
    tree = (errors.__doc__ or "").strip().partition("\n\n")[2].rpartition("\n\n")[0]
    codes = [(f"`{code.name}`", _codes(iter(code.kinds)), code.meaning) for code in DETAIL_CODES]
    narrowed = _table(("detail_code", "of", "meaning"), codes)
    return f"{ERRORS_HEAD}\n```\n{tree}\n```\n\n{table}\n\n{DETAIL_CODES_HEAD}\n{narrowed}\n"


def house() -> str:
    """Return the page about the house, with its floors as the import contract has them."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    floors = project["tool"]["importlinter"]["contracts"][0]["layers"]
    drawn = "\n".join(floor.replace(" | ", " · ").replace(" : ", " + ") for floor in floors)
    before, _, rest = _read(DOCS / "design.md").partition(FLOORS)
    _, _, after = rest.partition(FLOORS_END)
    return f"{before}{FLOORS}\n```\n{drawn}\n```\n{FLOORS_END}{after}"


PAGES: dict[str, Callable[[], str]] = {
    "engines.md": engines,
    "settings.md": settings,
    "errors.md": error_codes,
    "design.md": house,
    **{name: partial(guide, name) for name in GUIDES},
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    stale = [name for name, make in PAGES.items() if _read(DOCS / name) != make()]
    if "--check" in arguments:
        print(*(f"docs/{name} is not what the code says: make docs" for name in stale), sep="\n")
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _engine_row(engine: Engine, names: tuple[str, ...]) -> tuple[str, ...]:
    key = "none"
    if engine.key:
        key = f"`{engine.key_env}`" + ("" if engine.key.required else " (optional)")
    return (
        f"`{engine.id}`",
        ", ".join(f"`{name}`" for name in names),
        engine.label,
        engine.kind if engine.via == "http" else engine.via,
        engine.index or engine.id,
        ", ".join(sorted(engine.supports)),
        ", ".join(sorted(engine.categories)),
        key,
        engine.key.price if engine.key else "free",
    )


def _settings_table(settings: tuple[Setting[Any], ...]) -> str:
    return _table(
        ("setting", "default", "meaning"),
        [
            (
                "<br>".join(f"`{name}`" for name in _names(setting)),
                "" if setting.default in (None, ()) else f"`{setting.default}`",
                setting.meaning,
            )
            for setting in settings
        ],
    )


def _names(setting: Setting[Any]) -> Iterator[str]:
    """Yield what a setting is called, each name for a line of its own."""
    yield from (path.replace("{id}", "<id>") for path in setting.config)
    if setting.agent:
        yield f"agents[].webSearch.{setting.agent}"
    yield from (name.replace("{ID}", "<ID>") for name in setting.env)


def _results(face: Face) -> str:
    counts = face.counts
    return f"{face.count}, {counts.low} to {counts.high}, else {counts.otherwise}"


def _codes(names: Iterator[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _raised(kind: type[CiteseekError]) -> Iterator[type[CiteseekError]]:
    """Yield the errors of the tree in its order, without those that only have kinds."""
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            if child is not SearchFailed:
                yield child
            yield from _raised(child)


def _may_work_later(kind: type[CiteseekError]) -> str:
    if not isinstance(kind.retryable, property):
        return "yes" if kind.retryable else "no"
    # It depends on the case at hand.
    named = [code.name for code in DETAIL_CODES if kind.__name__ in code.kinds]
    may = [name for name in named if kind("", detail_code=name).retryable]
    return f"depends: {_codes(iter(may))}"


def _table(heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
