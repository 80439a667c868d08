"""A contradicted sentence, which the model that answers may put right once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING

from citeseek.assistant import recorded_answer
from citeseek.conversations.judged_sentence import is_contradicted
from citeseek.errors import ModelFailed
from citeseek.i18n import catalogue, language_of
from citeseek.language_model.model import Model
from citeseek.language_model.streaming.answer import complete
from citeseek.text import plain_line, shorten
from citeseek.tools.fence import new_id, put_in_fence, rule
from citeseek.verification import AnswerSentence, CitationCheck, SentenceStream
from citeseek.verification.alignment import agree
from citeseek.verification.answer_sentences import numbers_of
from citeseek.verification.claims import find_marks
from citeseek.verification.tokens import VERBS, TextToken, tokens, weight

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

# What is sent of a page, and how much longer than it was a sentence may get.
_EVIDENCE_CHARS = 1_000
_MORE_CHARS = 100
# What no corrected sentence needs: an address of its own, a strike, a second line.
_FOREIGN = re.compile(r"\]\(|://|www\.|~~|[\n\r|<]", re.IGNORECASE)
# Where a label in front of a sentence may end, how many of them are looked for, and what may stand
# around a sentence that is quoted.
_LABEL_END = re.compile(r"[:：。！，]\s*|[.!]\s+|\n\s*")
_LABELS = 5
_QUOTES = "\"'“”‘’「」『』 "
# How much of the rest of a sentence has to stay, and how much more than what was wrong may come.
_KEPT = 0.9
_MORE_WEIGHT = 8
_POLARITY = frozenset({"negation", "opposite"})
_PLAIN_SIGNS = frozenset(".。,，")
# How much of a sentence has to stand on the page, if that does not support it.
_NEAR = 0.6


async def repair(
    model: Model, sentence: AnswerSentence, checks: Sequence[CitationCheck], seconds: float
) -> AnswerSentence | None:
    """Return ``sentence`` as ``model`` corrects it; ``checks`` are what is wrong with it.

    A label in front of the sentence is left out. None when the model fails, when it says nothing
    within ``seconds``, and when what it says is not the same sentence with the same citations, but
    for what is wrong with it. Whether it is right is still to be judged.
    """
    said, in_time = "", True
    try:
        async with asyncio.timeout(seconds):
            said = await complete(model, _question(sentence, checks), 2 * _longest(sentence))
    except TimeoutError:
        in_time = False
    except ModelFailed:
        return None
    if not recorded_answer.is_repaired_in_time(in_time):
        return None
    return _read(said.strip(), sentence, checks)


def holds_up(checks: Sequence[CitationCheck], before: Sequence[CitationCheck]) -> bool:
    """Whether a repaired sentence with ``checks`` may stand for the one that had those ``before``.

    None of it is contradicted, and each source supports it, or leaves it unclear and comes near to
    it with every value. What a source said before of another claim it may go on saying.
    """
    known = {(check.number, check.verdict) for check in before if check.verdict != "contradicted"}
    return (
        bool(checks)
        and not is_contradicted(checks)
        and all(_vouches(check) or (check.number, check.verdict) in known for check in checks)
    )


def _vouches(check: CitationCheck) -> bool:
    if check.verdict != "unclear":
        return check.verdict == "supported"
    lost = (token for word in check.missing for token in tokens(word))
    return check.score >= _NEAR and not any(token.is_value for token in lost)


def _question(sentence: AnswerSentence, checks: Sequence[CitationCheck]) -> list[BaseMessage]:
    from langchain_core.messages import HumanMessage, SystemMessage  # noqa: PLC0415 - LangChain

    told = dict.fromkeys(
        f"[{check.number}] {shorten(plain_line(check.evidence), _EVIDENCE_CHARS)}"
        for check in checks
        if check.evidence
    )
    said = plain_line(sentence.body)
    say = catalogue(language_of(said))
    asked = "\n\n".join((say("prompt.passages"), *told, say("prompt.sentence"), said))
    system = say("prompt.repair", rule=rule(say))
    return [SystemMessage(system), HumanMessage(put_in_fence(asked, new_id()))]


def _longest(sentence: AnswerSentence) -> int:
    return 2 * len(sentence.body) + _MORE_CHARS


def _read(
    said: str, sentence: AnswerSentence, checks: Sequence[CitationCheck]
) -> AnswerSentence | None:
    """Return ``sentence`` with what a model ``said`` as its body, None when that is no such."""
    if not said or len(said) > _longest(sentence):
        return None
    against = [check for check in checks if check.verdict == "contradicted"]
    for body in _without_labels(said, sentence.body):
        found = _with_body(body, sentence)
        if found and _is_same_but_for(found.body, sentence.body, against):
            return found
    return None


def _without_labels(said: str, before: str) -> Iterator[str]:
    """Yield what was ``said``, and what of it stands behind each thing that may be a label."""
    for at in (0, *(label.end() for label in islice(_LABEL_END.finditer(said), _LABELS))):
        yield said[at:]
        if before.strip(_QUOTES) == before:
            yield said[at:].strip(_QUOTES)


def _with_body(body: str, sentence: AnswerSentence) -> AnswerSentence | None:
    """Return ``sentence`` with ``body``, None when that is no sentence with the same citations."""
    if _FOREIGN.search(body):
        return None
    if not numbers_of(body) and len(set(sentence.cites)) == 1:
        body = f"{body}[{sentence.cites[0]}]"
    stream = SentenceStream()
    parts = [*stream.feed(body), *stream.finish()]
    cited = tuple(number for part in parts for number in part.cites)
    # A list, a heading or code would have a sign of its own, or no citations.
    if cited != sentence.cites or any(part.head for part in parts):
        return None
    return sentence.with_body(body)


def _is_same_but_for(body: str, before: str, against: Sequence[CitationCheck]) -> bool:
    """Whether ``body`` says what was said ``before``, but for what the checks are ``against``.

    In the place of that may stand only what the page has, and nothing new anywhere else: what is
    true of something else is no correction.
    """
    mine, theirs = _tokens_of(before), _tokens_of(body)
    page = [token for check in against for token in tokens(check.evidence)]
    signs = _PLAIN_SIGNS.union(before, *(check.evidence for check in against))
    if any(not (sign.isalnum() or sign.isspace() or sign in signs) for sign in _bare(body)):
        return False
    wrong = {token.key for check in against for word in check.missing for token in tokens(word)}
    is_polar = any(check.reason in _POLARITY for check in against)

    def is_wrong(token: TextToken) -> bool:
        return token.key in wrong or (is_polar and token.negates)

    aligned = SequenceMatcher(
        a=[token.key for token in mine], b=[token.key for token in theirs], autojunk=False
    )
    lost: list[TextToken] = []
    for kind, begin, end, start, stop in aligned.get_opcodes():
        if kind == "equal":
            continue
        old, new = mine[begin:end], theirs[start:stop]
        lost += (token for token in old if not is_wrong(token))
        if not any(is_wrong(token) for token in (*old, *(new if is_polar else ()))):
            # "Was" may come before "opened".
            if any(token.key not in VERBS for token in new):
                return False
        elif weight(new) > weight(old) + _MORE_WEIGHT or not all(
            _stands_in(page, token) for token in new if token.weight or token.negates
        ):
            return False
    rest = [token for token in mine if not is_wrong(token)]
    is_kept = weight(lost) <= (1 - _KEPT) * weight(rest)
    return is_kept and not any(token.fact or token.negates for token in lost)


def _stands_in(page: Sequence[TextToken], token: TextToken) -> bool:
    return any(one.key == token.key or agree(token, one) == "exact" for one in page)


def _tokens_of(text: str) -> list[TextToken]:
    return [token for token in tokens(_bare(text)) if token.kind != "break"]


def _bare(text: str) -> str:
    """Return ``text`` without its marks."""
    for mark in reversed(list(find_marks(text))):
        text = text[: mark.start] + text[mark.end :]
    return text
