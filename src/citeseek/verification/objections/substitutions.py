"""Facts of a claim that a passage does not have, and words that stand there instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, weight

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜"
    "戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_NAMED = re.compile(
    "(?:公司|集团|银行|大学|学院|医院|研究院|研究所|实验室|基金会|协会|委员会|出版社|机场|大桥|大厦|水库"
    "|[省市县区镇村州国岛山河江湖海洋桥路街寺塔宫楼城港湾站队党])$"
)
_BEFORE_NAME = frozenset("在于由被向与和对叫从至到往")
_TITLES = tuple("教授 院士 博士 先生 女士 主任 校长 局长 医生 记者 导演 选手".split())
# A part of a word, a short name, and the least that is a word: in Chinese characters.
_PART, _NAME, _WORD = 2, 3, 2


def find_replaced(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find facts that are missing, and words for which the passage has others."""
    keys = {token.key for token in reading.source}
    for at in reading.missing:
        token = reading.claim[at]
        written = (claim[token.start : token.end],)
        if token.is_value:
            yield Objection(token.kind, refutes=True, words=written)
        elif words.opposite(token.key) in keys:
            yield Objection("opposite", refutes=True, words=written)
        elif token.fact:
            yield Objection("name" if token.kind == "name" else "word", refutes=True, words=written)
    own = {token.key for token in reading.claim}
    for run in _runs(reading):
        instead = _instead(reading, run)
        is_fact = any(one.fact and one.key not in own for one in instead)
        if is_fact or (instead and _is_last(reading, run)):
            yield Objection("word", refutes=True, words=(_write(reading, run, claim),))
        elif instead and _is_named(reading, run, claim):
            yield Objection("name", refutes=True, words=(_write(reading, run, claim),))
        elif instead:
            # It may be another word for the same.
            yield Objection("word", refutes=False, words=(_write(reading, run, claim),))


def lost_names(reading: Reading, claim: str) -> Iterator[str]:
    """Yield the Chinese names of ``claim`` for which the passage has another one, or none."""
    for run in _runs(reading):
        if _is_named(reading, run, claim):
            yield _write(reading, run, claim)


def find_runs(reading: Reading) -> Iterator[tuple[range, Sequence[TextToken]]]:
    """Yield the runs of words that the passage does not have, with what it has in their place."""
    for run in _runs(reading):
        yield run, _instead(reading, run)


def _runs(reading: Reading) -> Iterator[range]:
    """Yield the runs of missing words, as places of the claim."""
    places = [at for at in reading.missing if not reading.claim[at].is_value]
    first = 0
    for at in range(1, len(places) + 1):
        if at == len(places) or places[at] != places[at - 1] + 1:
            yield _whole(reading, range(places[first], places[at - 1] + 1))
            first = at


def _whole(reading: Reading, run: range) -> range:
    """Return ``run`` with the empty words around it that were not found either."""
    begin, end = run.start, run.stop
    while begin > 0 and _is_lost(reading, begin - 1):
        begin -= 1
    while end < len(reading.claim) and _is_lost(reading, end):
        end += 1
    return range(begin, end)


def _is_lost(reading: Reading, at: int) -> bool:
    token = reading.claim[at]
    return token.kind != "break" and not token.weight and at not in reading.found


def _write(reading: Reading, run: range, claim: str) -> str:
    return claim[reading.claim[run.start].start : reading.claim[run.stop - 1].end]


def _instead(reading: Reading, run: range) -> list[TextToken]:
    """Return what the passage has in the place of ``run``, nothing when that cannot be told."""
    source = reading.source
    between: Sequence[TextToken] = ()
    before, after = reading.found.get(run.start - 1), reading.found.get(run.stop)
    if before is not None and after is not None:
        between = source[before + 1 : after]
    elif before is not None and _is_end(reading.claim, run.stop):
        between = list(takewhile(lambda one: one.kind != "break", source[before + 1 :]))
    elif after is not None and _is_end(reading.claim, run.start - 1):
        back = takewhile(lambda one: one.kind != "break", reversed(source[:after]))
        between = list(back)[::-1]
    return [one for one in between if one.weight]


def _is_end(claim: Sequence[TextToken], at: int) -> bool:
    return not 0 <= at < len(claim) or claim[at].kind == "break"


def _is_last(reading: Reading, run: range) -> bool:
    """Whether ``run`` is what its clause of the claim ends with: what it is all about."""
    part = reading.part_of(run.start)
    rest = [token for token in reading.claim[run.stop : part.stop] if token.weight]
    own = [token for token in reading.claim[run.start : run.stop] if token.weight]
    return weight(own) >= _WORD and weight(rest) < _WORD


def _is_named(reading: Reading, run: range, claim: str) -> bool:
    start, end = reading.claim[run.start].start, reading.claim[run.stop - 1].end
    instead = _instead(reading, run)
    if reading.claim[run.start].kind != "han":
        return False
    is_part = all(one.kind == "han" for one in instead) and len(instead) == len(run) <= _PART
    if is_part:
        return True
    written, before, after = claim[start:end], claim[:start][-1:], claim[end : end + 2]
    if _NAMED.search(written) or (_NAMED.match(after[:1] or " ") and len(written) <= _NAME):
        return True
    if written[0] in _SURNAMES and _WORD <= len(written) <= _NAME:
        return True
    return before in _BEFORE_NAME or after.startswith(_TITLES)
