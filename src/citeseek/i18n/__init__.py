"""What people read, in each language: one file of sentences by their keys.

What travels inside is a code with values; a surface makes the sentence, once, from the catalogue of
its reader. A language is added by its file: the page then offers it under its own name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

_FOLDER = Path(__file__).parent
# The catalogue that every other one asks for what it does not say.
ENGLISH = "en"
# In what a language is written alone; Japanese has Chinese characters as well.
_LETTERS = (("ja", "[\u3040-\u30ff]"), ("zh", "[\u4e00-\u9fff]"))
# Sentences under this prefix are for the scripts of the page.
_OF_SCRIPTS = "js."


class Explainable(Protocol):
    """An error, or what is kept of one (:class:`citeseek.models.Failure`)."""

    @property
    def error_code(self) -> str:
        """Its kind."""
        ...

    @property
    def detail_code(self) -> str:
        """What narrows the kind, perhaps empty."""
        ...

    @property
    def message(self) -> str:
        """What happened, in English."""
        ...

    @property
    def hint(self) -> str:
        """What can be done, in English, perhaps empty."""
        ...

    @property
    def engine(self) -> str:
        """The engine that failed, perhaps empty."""
        ...

    @property
    def values(self) -> Mapping[str, str]:
        """What its sentence names, and which ``case`` it is."""
        ...


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

    def explain(self, fault: Explainable) -> tuple[str, str]:
        """Return what happened and what can be done about it."""
        values = {"detail_code": fault.detail_code, **fault.values}
        return self.explain_code(fault.error_code, values, fault.message, fault.hint)

    def explain_code(
        self, error_code: str, values: Mapping[str, str], message: str, hint: str = ""
    ) -> tuple[str, str]:
        """Return what happened and what can be done about an error of ``error_code``.

        ``values`` are its own, with its ``detail_code``; a ``hint_case`` among them names a hint
        that several errors share. ``message`` and ``hint`` are its English sentences. They stand
        where the catalogue has no sentence for its ``case``, and where it has none, which is so for
        what others wrote.
        """
        if "cooling" in values:
            return self._explain_cooling(error_code, values, message, hint)
        if "unread" in values:
            return self._explain_unread(error_code, values, message, hint)
        if "file" in values:
            of_cause = {name: value for name, value in values.items() if name != "file"}
            said, hint = self.explain_code(error_code, of_cause, values["cause"], hint)
            return f"{values['file']}: {said}", hint
        if not (case := values.get("case")):
            return message, hint
        values = self._with_words(values)
        kind = f"error.{error_code}"
        detail = f"{kind}.{values.get('detail_code', '')}"
        values = {**values, "message": message, "hint": hint}
        for key in (f"{kind}.{case}", detail, f"{detail}.{case}"):
            message = self(key, **values) if key in self else message
            hint = self(f"{key}.hint", **values) if f"{key}.hint" in self else hint
        if (key := f"error.hint.{values.get('hint_case')}") in self:
            hint = self(key, **values)
        return message, hint

    def sentence(self, fault: Explainable) -> str:
        """Return in one line whose error it is, what happened, and what can be done about it."""
        said = " ".join(filter(None, self.explain(fault)))
        return f"{fault.engine}: {said}" if fault.engine else said

    def _explain_cooling(
        self, error_code: str, values: Mapping[str, str], message: str, hint: str
    ) -> tuple[str, str]:
        """Return the same for a call that was not sent, for an earlier failure of ``values``."""
        of_cause = {name: value for name, value in values.items() if name != "cooling"}
        cause, hint = self.explain_code(error_code, of_cause, values["cause"], hint)
        if "error.cooling" in self:
            message = self("error.cooling", **{**values, "cause": cause, "message": message})
        return message, hint

    def _with_words(self, values: Mapping[str, str]) -> Mapping[str, str]:
        """Return ``values`` with the words for the codes among them.

        ``why`` is that of a setting's value, ``source`` where the setting stands, and ``errno`` the
        system's ``reason``.
        """
        words = {
            "why": f"doctor.word.{values.get('why')}",
            "source": f"doctor.word.{values.get('source')}",
            "reason": f"error.system.{values.get('errno')}",
        }
        told = {name: self(key, **values) for name, key in words.items() if key in self}
        return {**values, **told}

    def _explain_unread(
        self, error_code: str, values: Mapping[str, str], message: str, hint: str
    ) -> tuple[str, str]:
        """Return the same for a report that read no page, for the failure of the first one."""
        of_cause = {name: value for name, value in values.items() if name != "unread"}
        cause, hint = self.explain_code(error_code, of_cause, values["cause"], hint)
        if "error.unread" in self:
            message = self("error.unread", **{**values, "cause": cause})
        return message, hint

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
    """Return the sentences of one of :func:`languages`."""
    return Catalogue(lang, _texts(lang))


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that there are, Chinese and English first."""
    found = {file.stem for file in _FOLDER.glob("*.json")}
    return tuple(sorted(found, key=lambda lang: (lang != "zh", lang != "en", lang)))


def language_of(text: str) -> str:
    """Return the language that ``text`` is written in, English where its letters tell of no other.

    Only letters are looked at: what a person wrote is answered in the language of it.
    """
    return next((lang for lang, letters in _LETTERS if re.search(letters, text)), ENGLISH)


def _texts(lang: str) -> Mapping[str, str]:
    file = _FOLDER / f"{lang}.json"
    own: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return own if lang == ENGLISH else {**_texts(ENGLISH), **own}
