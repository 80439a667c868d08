"""A contradicted sentence, which the model that answers may put right once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeseek import trace
from citeseek.assistant.judged_sentence import is_contradicted
from citeseek.assistant.model import Model
from citeseek.assistant.streaming.answer import complete
from citeseek.errors import ModelFailed
from citeseek.text import plain_line, shorten
from citeseek.tools.fence import RULE, new_id, put_in_fence
from citeseek.verification import AnswerSentence, CitationCheck, SentenceStream
from citeseek.verification.answer_sentence import numbers_of
from citeseek.verification.tokens import tokens

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

# What is sent of a page, and how much longer than it was a sentence may get.
_EVIDENCE_CHARS = 1_000
_MORE_CHARS = 100
# What no corrected sentence needs: an address of its own, a strike, a second line.
_FOREIGN = re.compile(r"\]\(|://|www\.|~~|[\n\r|<]", re.IGNORECASE)
# How much of a sentence has to stand on the page, if that does not support it.
_NEAR = 0.6

_ASK = """你在改正一句话：它引用了网页，但和网页的内容不符。
{rule}
只根据下面的网页段落，改正和网页不符的数值、日期、名称，或肯定与否定；其余不变，语言不变。
引用标记（如 [1]）原样保留在原处。网页没有说的不要写。只写改正后的一句话，不要解释。"""


async def repair(
    model: Model, sentence: AnswerSentence, checks: Sequence[CitationCheck], seconds: float
) -> AnswerSentence | None:
    """Return ``sentence`` as ``model`` corrects it; ``checks`` are what is wrong with it.

    None when the model fails, when it says nothing within ``seconds``, and when what it says is no
    sentence with the same citations. Whether it is right is still to be judged.
    """
    said, in_time = "", True
    try:
        async with asyncio.timeout(seconds):
            said = await complete(model, _question(sentence, checks), 2 * _longest(sentence))
    except TimeoutError:
        in_time = False
    except ModelFailed:
        return None
    # A replay hears what was said until then, and does not wait.
    if not trace.drawn("repaired in time", in_time, bool):
        return None
    return _read(said.strip(), sentence)


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
    asked = "\n\n".join(("段落：", *told, "句子：", plain_line(sentence.body)))
    return [SystemMessage(_ASK.format(rule=RULE)), HumanMessage(put_in_fence(asked, new_id()))]


def _longest(sentence: AnswerSentence) -> int:
    return 2 * len(sentence.body) + _MORE_CHARS


def _read(said: str, sentence: AnswerSentence) -> AnswerSentence | None:
    """Return ``sentence`` with what a model ``said`` as its body, None when that is no such."""
    if not said or len(said) > _longest(sentence) or _FOREIGN.search(said):
        return None
    numbers = set(sentence.cites)
    if not numbers_of(said) and len(numbers) == 1:
        said = f"{said}[{sentence.cites[0]}]"
    stream = SentenceStream()
    parts = [*stream.feed(said), *stream.finish()]
    cited = [number for part in parts for number in part.cites]
    # A list, a heading or code would have a sign of its own, or no citations.
    if set(cited) != numbers or any(part.head for part in parts):
        return None
    return sentence.with_body(said)
