"""What a model is told, beside the tool's own description, in the language of the question."""

from __future__ import annotations

from datetime import date

from citeseek.i18n import Catalogue
from citeseek.tools import fence


def chat_system(today: date, say: Catalogue) -> str:
    """Return the system prompt of Chat mode in the words of ``say``, as all of these are."""
    return say("prompt.chat", today=today, rule=fence.rule(say))


def agent_system(today: date, say: Catalogue, *, reads: bool = False) -> str:
    """Return the system prompt of Agent mode; with ``reads`` the model can open pages."""
    reading = say("prompt.agent_reading") if reads else ""
    return say("prompt.agent", today=today, rule=fence.rule(say), reading=reading)


def add_instructions(system: str, instructions: str, say: Catalogue) -> str:
    """Return ``system`` with a program's own ``instructions`` behind it, if there are any."""
    if not instructions:
        return system
    return f"{system}\n\n{say('prompt.instructed')}\n{instructions}"


def with_results(block: str, message: str, say: Catalogue) -> str:
    """Return ``message`` with the numbered, fenced results that the answer is to rest on."""
    return before_question(say("prompt.with_results", block=block), message, say)


def with_files(block: str, message: str, say: Catalogue) -> str:
    """Return ``message`` with the numbered, fenced passages of files, for Agent mode."""
    return before_question(say("prompt.with_files", block=block), message, say)


def nothing_found(message: str, say: Catalogue) -> str:
    """Return ``message`` with the statement that a search found nothing."""
    return before_question(say("prompt.nothing_found"), message, say)


def before_question(told: str, message: str, say: Catalogue) -> str:
    """Return ``message``, as a question, behind what is ``told`` of it."""
    return f"{told}\n\n{say('prompt.question', question=message)}"
