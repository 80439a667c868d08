"""Lines of the log: a sentence for people, or a JSON object for programs; and each one once."""

from __future__ import annotations

import codecs
import json
import logging
import os
import re
import sys
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.text import shorten, without_controls

HEADER = "X-Request-ID"
# What goes into a log and back into a header.
_USABLE = re.compile(r"[A-Za-z0-9._~+/=:-]{1,128}")

REQUEST_ID: ContextVar[str] = ContextVar("citeseek-request-id", default="")


def usable(given: str) -> str:
    """Return ``given`` if it can be an id, else a new one."""
    return given if _USABLE.fullmatch(given) else os.urandom(8).hex()


# What a caller may add to a line: logging.info(…, extra={"citeseek": {…}}).
FIELDS = "citeseek"


# For a record whose arguments say what somebody asked: its line has stars for them.
PRIVATE = {"citeseek_private": True}
_TOLD = "citeseek_told"


def for_people(told: Callable[[Catalogue], str]) -> dict[str, Any]:
    """Return the ``extra`` of a record that a person must act on: ``told`` says it in a language.

    A line of text is that of the locale; JSON, and the record itself, are English.
    """
    return {_TOLD: told}


# A reason that somebody else gave may be of any length.
MAX_CHARS = 4_000


class TextLines(logging.Formatter):
    """``citeseek: sentence``, and the id of the request where there is one."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the sentence, on one line."""
        told: Callable[[Catalogue], str] | None = getattr(record, _TOLD, None)
        sentence = told(locale_catalogue()) if told else _sentence(record)
        if not sentence.isprintable():
            sentence = " ".join(re.split(r"[\n\r\x85\u2028\u2029]+", sentence))
        return without_controls(sentence)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Return the traceback."""
        return without_controls(super().formatException(ei))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = f"citeseek: {super().format(record)}"
        request_id = REQUEST_ID.get()
        return f"{line} [{request_id}]" if request_id else line


class JsonLines(logging.Formatter):
    """An object with ``time`` (ISO 8601), ``level``, ``logger``, ``message`` and ``request_id``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _sentence(record),
        }
        if request_id := REQUEST_ID.get():
            fields["request_id"] = request_id
        fields |= getattr(record, FIELDS, {})
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        is_ascii = not takes_any_text(sys.stderr)
        return without_controls(json.dumps(fields, ensure_ascii=is_ascii, default=repr))


def _sentence(record: logging.LogRecord) -> str:
    """Return what a record says, of some length at most."""
    args = record.args
    if getattr(record, "citeseek_private", False) and isinstance(args, tuple):
        sentence = str(record.msg) % (("***",) * len(args))
    else:
        sentence = record.getMessage()
    return shorten(sentence, MAX_CHARS)


class Once(logging.Filter):
    """Lets each line through once."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[tuple[int, str]] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is new."""
        line = (record.levelno, record.getMessage())
        is_new = line not in self._seen
        self._seen.add(line)
        return is_new


def takes_any_text(stream: TextIO | None) -> bool:
    """Whether every letter can be written to ``stream`` as it is: whether it writes UTF-8.

    JSON is written in ASCII elsewhere, since any other escape would break it.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name == "utf-8"


def as_log_line(sentence: str) -> str:
    """Return a note for a person, as a line of the log where that is written for programs."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler.formatter, JsonLines):
            record = logging.LogRecord("citeseek", logging.INFO, "", 0, "%s", (sentence,), None)
            return handler.formatter.format(record)
    return f"citeseek: {sentence}"
