"""The words of the page in Chinese and in English, and which of the two a reader gets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias, get_args

Lang: TypeAlias = Literal["zh", "en"]

LANGS: tuple[Lang, ...] = get_args(Lang)
COOKIE = "citeseek_lang"
SETTING = "page.language"

# Words under this prefix are for the scripts of the page.
_OF_SCRIPTS = "js."


class Words:
    """The words of one language. Call it with a key and what stands for the names in braces."""

    def __init__(self, lang: Lang, texts: Mapping[str, str]) -> None:
        self.lang = lang
        self._texts = texts

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the words; raise KeyError for a key or a value that is missing."""
        text = self._texts[key]
        return text.format(**values) if "{" in text else text

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    @property
    def of_scripts(self) -> dict[str, str]:
        """What the scripts of the page say, by their own keys."""
        return {
            key.removeprefix(_OF_SCRIPTS): text
            for key, text in self._texts.items()
            if key.startswith(_OF_SCRIPTS)
        }


@cache
def words(lang: Lang) -> Words:
    """Return the words of a language."""
    file = resources.files(__package__) / "words" / f"{lang}.json"
    return Words(lang, json.loads(file.read_text(encoding="utf-8")))


def choice(text: str | None) -> Lang | None:
    """Return the language that ``text`` names, such as ``en`` or ``zh-CN``; None for any other."""
    code = (text or "").strip().lower().partition("-")[0]
    return next((lang for lang in LANGS if lang == code), None)


def chosen(asked: str | None, cookie: str | None, setting: object, accepted: str) -> Lang:
    """Return the language of a page.

    What is ``asked`` for in the address goes first, then the ``cookie``, then the ``setting``. If
    that is ``auto``, the browser's header ``Accept-Language`` decides; Chinese is the last resort.
    """
    if lang := choice(asked) or choice(cookie):
        return lang
    if setting == "auto":
        return _preferred(accepted) or "zh"
    return choice(str(setting)) or "zh"


def other_than(lang: Lang, accepted: str) -> Lang | None:
    """Return the language that the browser would rather have than ``lang``, if there is one."""
    preferred = _preferred(accepted)
    return None if preferred == lang else preferred


def _preferred(accepted: str) -> Lang | None:
    weighed = []
    for place, each in enumerate(accepted.split(",")):
        name, _, parameter = each.partition(";")
        if (lang := choice(name)) and (weight := _weight(parameter)) > 0:
            weighed.append((-weight, place, lang))
    return min(weighed)[2] if weighed else None


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
