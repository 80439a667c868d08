"""Whether a page takes back what it says: "… This is a myth.", "Verdict: false."."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import takewhile

from citeseek.verification import words
from citeseek.verification.objections.omissions import pattern
from citeseek.verification.passages import Passage, single
from citeseek.verification.tokens import TextToken, tokens

# How much may stand between "this" and "false", and before the colon of a label.
_NEAR, _LABEL = 4, 4
# How many letters behind a statement are looked through for what takes it back.
_REST = 400


def is_taken_back(text: str, start: int, end: int) -> bool:
    """Whether the sentence of ``text`` behind ``end`` says that what ends there is not so.

    Or whether the one before ``start`` puts it up for judgement: "True or false?".
    """
    after = next((one for one in single(text) if one.start >= end), None)
    before = next((one for one in reversed(single(text)) if one.end <= start), None)
    return bool(
        (after and (_refers(after.tokens) or _is_verdict(after.tokens) or _is_put_up(after.tokens)))
        or (before and _is_put_up(before.tokens))
        or _is_doubted(text, end, after)
    )


def _is_doubted(text: str, end: int, after: Passage | None) -> bool:
    """Whether the rest of its sentence, or the next one, calls it disputed or corrects it.

    "But scholars doubt this", "This figure is disputed", "(Editor's note: it was 1902)".
    """
    until = after.end if after else len(text)
    paragraph = text[end : min(until, end + _REST)].partition("\n\n")[0]
    # A correction in a line of its own may be one of something else.
    line = paragraph.partition("\n")[0]
    return bool(pattern("doubted").search(paragraph) or pattern("corrected").search(line))


def is_turned_round(claim: Sequence[TextToken], sentence: Sequence[TextToken]) -> bool:
    """Whether a sentence compares what the claim compares, the other way round."""
    at = next((at for at, one in enumerate(claim) if one.key in _keys("than")), None)
    if at is None or any(one.negates for one in (*claim, *sentence)):
        return False
    before, after = _content(claim[:at]), _content(claim[at:])
    told = _content(sentence)
    if claim[at].kind == "han":
        # A 比 B 重: what is compared, and how, stand behind.
        turned = [after[:cut] + before + after[cut:] for cut in range(1, len(after))]
    else:
        turned = [after + before[cut:] + before[:cut] for cut in range(1, len(before))]
    return any(
        told[start : start + len(each)] == each
        for each in turned
        if each != before + after
        for start in range(len(told) - len(each) + 1)
    )


def _content(read: Sequence[TextToken]) -> list[str]:
    return [one.key for one in read if one.weight and one.key not in _keys("than")]


def _refers(sentence: Sequence[TextToken]) -> bool:
    """Whether a clause says of "this" that it is untrue."""
    for at, token in enumerate(sentence):
        if token.key not in _keys("this"):
            continue
        rest = takewhile(lambda one: one.kind != "break", sentence[at + 1 :])
        near = list(rest)
        refuted = next(
            (n for n, one in enumerate(near) if one.key in words.table("refuters")), None
        )
        # "It was wrong about the price" speaks of somebody.
        is_of_it = token.key in _keys("it") and not refuted == len(near) - 1 < _NEAR
        if refuted is not None and refuted <= 2 * _NEAR and not is_of_it:
            return True
        is_denied = False
        for one in near[: 2 * _NEAR]:
            is_denied = is_denied or one.negates
            if is_denied and one.key in _keys("true"):
                return True
    return False


def _is_verdict(sentence: Sequence[TextToken]) -> bool:
    """Whether it is a label and a word: "Verdict: false"."""
    label = list(takewhile(lambda one: one.kind != "break", sentence))
    rest = sentence[len(label) + 1 :][:_NEAR]
    is_label = any(one.key in _keys("verdict") for one in label) and len(label) <= _LABEL
    return is_label and any(
        one.negates or one.key in words.table("refuters") | _keys("no") for one in rest
    )


def _is_put_up(sentence: Sequence[TextToken]) -> bool:
    """Whether it only asks whether what follows is so: "True or false?", "Myth 1:"."""
    told = [one for one in sentence if one.kind != "break"]
    return 0 < len(told) <= _LABEL and told[0].key in _keys("put_up")


@cache
def _keys(name: str) -> frozenset[str]:
    """Return the keys of a table of ``rebuttal`` in words.toml."""
    return frozenset(tokens(word)[0].key for word in words.rebuttal()[name].split())
