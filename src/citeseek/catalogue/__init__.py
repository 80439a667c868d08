"""What people read, in each language: one file of sentences by their keys.

What travels inside is a code with values; a surface makes the sentence, once, from the catalogue of
its reader. A language is added by its file: the page then offers it under its own name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citeseek.errors import CiteseekError

_FOLDER = Path(__file__).parent
# For readers whose language is not known: Chinese, with English beside it.
BOTH = "zh-en"
# Whom a catalogue asks for what it does not say.
_FALLBACK = {"zh": BOTH, BOTH: "", "en": ""}
_USUAL_FALLBACK = "en"
# Sentences under this prefix are for the scripts of the page.
_OF_SCRIPTS = "js."


class Catalogue:
    """The sentences of one language.

    Call it with a key and what stands for the names in braces.
    """

    def __init__(self, lang: str, texts: Mapping[str, str]) -> None:
        self.lang = lang
        self._texts = texts

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the sentence; raise KeyError for a key or a value that is missing."""
        text = self._texts[key]
        return text.format(**values) if "{" in text else text

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def error(
        self, error_code: str, values: Mapping[str, str], message: str, hint: str = ""
    ) -> tuple[str, str]:
        """Return what happened and what can be done about an error.

        ``values`` are its own, with its ``detail_code`` and the ``case`` of it. An error without a
        case, such as one of somebody else's model, is told in its own words, ``message`` and
        ``hint``, and so is one that the catalogue does not know.
        """
        if "case" not in values:
            return message, hint
        key = f"error.{error_code}.{values.get('detail_code', '')}"
        for each in (key, f"{key}.{values['case']}"):
            message = self(each, **values) if each in self else message
            hint = self(f"{each}.hint", **values) if f"{each}.hint" in self else hint
        return message, hint

    def told(self, error: CiteseekError) -> tuple[str, str]:
        """Return what happened and what can be done about ``error``."""
        values = {"detail_code": error.detail_code, **error.values}
        return self.error(error.error_code, values, error.message, error.hint)

    @property
    def of_scripts(self) -> dict[str, str]:
        """What the scripts of the page say, by their own keys."""
        return {
            key.removeprefix(_OF_SCRIPTS): text
            for key, text in self._texts.items()
            if key.startswith(_OF_SCRIPTS)
        }


@cache
def catalogue(lang: str) -> Catalogue:
    """Return the sentences of a language, or of :data:`BOTH`."""
    return Catalogue(lang, _texts(lang))


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that there are, Chinese and English first."""
    found = {file.stem for file in _FOLDER.glob("*.json")} - {BOTH}
    return tuple(sorted(found, key=lambda lang: (lang != "zh", lang != "en", lang)))


def _texts(lang: str) -> Mapping[str, str]:
    file = _FOLDER / f"{lang}.json"
    own: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    fallback = _FALLBACK.get(lang, _USUAL_FALLBACK)
    return {**_texts(fallback), **own} if fallback else own
