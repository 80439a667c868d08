"""What a reader is told beside an answer, as a code with values, and as the sentences of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from citeseek.answering.source_values import SaidValue
from citeseek.conversations.switches import read_hint, search_hint
from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.text import plain_line


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One notice.

    ``code`` says what happened, ``detail`` narrows it, and ``hints`` are the codes of what can be
    done, in order; without any, it is what the catalogue has for ``code``. ``values`` are what the
    sentences name, such as ``engine`` and ``seconds``.
    """

    code: str
    detail: str = ""
    hints: tuple[str, ...] = ()
    values: Mapping[str, str] = {}

    @property
    def text(self) -> str:
        """What happened, in the language of the locale."""
        return self.sentence(locale_catalogue())

    @property
    def hint(self) -> str:
        """What can be done, likewise."""
        return self.advice(locale_catalogue())

    @property
    def failed_engines(self) -> list[str]:
        """The engines that failed, as they were asked: the one that it names and those before."""
        return [name for name in (*self._names("earlier"), self.values.get("engine", "")) if name]

    @property
    def unusable_engines(self) -> list[str]:
        """Those, and others that had failed shortly before or were cooling down."""
        return [*self.failed_engines, *self._names("lately")]

    def _names(self, value: str) -> list[str]:
        return msgspec.json.decode(self.values.get(value, "[]"), type=list[str])

    def sentence(self, say: Catalogue, labels: Mapping[str, str] | None = None) -> str:
        """Return what happened in the language of ``say``.

        ``labels`` are the engines' names by their ids, for a notice that does not hold its own.
        """
        if self.code == "command":
            return _answer_command(self.values, say)
        values = _fill(self.values, say, labels)
        for key in (f"notice.{self.code}.{self.detail}", f"notice.{self.code}", "notice.error"):
            if key in say:
                break
        try:
            return say(key, **values)
        except KeyError:  # kept before notices said what they name
            return say(f"{key}.plain", **values)

    def advice(self, say: Catalogue) -> str:
        """Return what can be done in the language of ``say``, empty where nothing can."""
        keys = [f"hint.{hint}" for hint in self.hints or (self.code,)]
        values = _fill(self.values, say)
        joint, advice = say("hint.joint"), ""
        for said in (say(key, **values) for key in keys if key in say):
            # What others wrote may be in English, whose stop is no room before a Chinese sentence.
            needs_space = advice[-1:].isascii() and not said.startswith("\n")
            advice += (joint or (" " if needs_space else "")) + said if advice else said
        return advice.strip(" ")


def _fill(
    values: Mapping[str, str], say: Catalogue, labels: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return ``values`` with those that are sentences themselves."""
    engine = values.get("engine", "")
    named = (labels or {}).get(engine, engine)
    label = say("search.joint").join(_engines(values)) or named or say("search.some_engine")
    filled = {"address": "http://localhost:8080", **values, "label": label, "cooling": ""}
    if "retry_after" in values:
        filled["cooling"] = say("notice.cooling", **values)
    if "voices" in values:
        told = msgspec.json.decode(values["voices"], type=tuple[SaidValue, ...])
        filled["voices"] = " ↔ ".join(_say_value(voice, say) for voice in told)
    if "error_code" in values:
        filled["reason"], filled["advice"] = say.explain_code(
            values["error_code"], values, filled["reason"], filled["advice"]
        )
    return filled


def list_engines(labels: Iterable[str]) -> str:
    """Return the names of engines as the value ``engines`` of a notice, for its reader to join."""
    return msgspec.json.encode(list(labels)).decode()


def _engines(values: Mapping[str, str]) -> list[str]:
    """Return the names of the engines that ``values`` name: its ``engines``, else its ``label``."""
    if "engines" in values:
        return msgspec.json.decode(values["engines"], type=list[str])
    return [label] if (label := values.get("label")) else []


def _say_value(voice: SaidValue, say: Catalogue) -> str:
    """Return a value with who gives it: 1911 [1][3] (2 pages, 1 origin, 2019-03-02)."""
    marks = "".join(f"[{number}]" for number in voice.sources)
    notes = [voice.about] if voice.about else []
    if len(voice.sources) > 1:
        notes.append(say("notice.of_pages", pages=len(voice.sources), origins=voice.origins))
    if voice.published_at:
        notes.append(" – ".join(dict.fromkeys((voice.published_at[0], voice.published_at[-1]))))
    behind = f" ({'; '.join(notes)})" if notes else ""
    return plain_line(f"{voice.value} {marks}{behind}")


def _answer_command(values: Mapping[str, str], say: Catalogue) -> str:
    """Return the answer to a command."""
    name, usage = values["command"], say("command.help")
    if values["wrong"]:
        return "\n".join((say("command.not_understood", message=values["wrong"]), usage))
    if name in _OTHERS:
        return _OTHERS[name](values, say)
    hint = search_hint(values["reason"], _engines(values), say)
    if name == "search" and values["argument"] and values["state"] == "disabled":
        return hint
    state = values["state"]
    searching = say("command.search", state=state, label=say(f"switch.{state}"), hint=hint)
    if name == "help":
        return f"{usage}\n{searching}"
    if name == "mode":
        return "\n".join((say("command.mode", mode=values["mode"].capitalize()), searching))
    return searching


def _gate(values: Mapping[str, str], say: Catalogue) -> str:
    """Return what is done with sentences that a page contradicts."""
    gate = values["gate"]
    return say("command.gate", gate=gate, label=say(f"gate.{gate}"))


def _reading(values: Mapping[str, str], say: Catalogue) -> str:
    """Return whether pages are read; why it cannot be changed, if that was wanted."""
    state, hint = values["read"], read_hint(values["read_reason"], say)
    if values["argument"] and state == "disabled":
        return hint
    return say("command.reading", state=state, label=say(f"switch.{state}"), hint=hint)


# Commands that tell nothing of searching.
_OTHERS: Mapping[str, Callable[[Mapping[str, str], Catalogue], str]] = {
    "reset": lambda _, say: say("command.reset"),
    "read": _reading,
    "gate": _gate,
}
