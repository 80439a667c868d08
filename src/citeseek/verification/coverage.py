"""How much of a claim stands in a text: nearly all, in which passage, or nothing at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from citeseek.verification import words
from citeseek.verification.derived_values import is_counted, is_derived
from citeseek.verification.passages import all_tokens, single
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, tokens, weight

# A claim of which less stands on a page is not told there at all.
_HARDLY = 0.25
# A text with less in it is no page whose silence says something, in weights of its tokens.
_PAGE_WEIGHT = 50
# What a claim says is mostly told in so many sentences of a page.
_SENTENCES = 3
# Names and values are rarer than other words, and say more about whether a page speaks of a claim.
_RARE = 2
# So much of the score is the coverage, the rest are pairs of neighbours.
_WORDS = 0.85


def coverage(claim: str, text: str) -> float:
    """Return which share of ``claim``, from 0 to 1, stands in its best three sentences of ``text``.

    Names, numbers and dates weigh twice.
    """
    wanted = _weights(claim, text)
    whole = sum(wanted.values())
    for _ in range(_SENTENCES):
        best = _find_best(wanted, text)
        wanted = {term: worth for term, worth in wanted.items() if term not in best}
    return 1 - sum(wanted.values()) / whole if whole else 0.0


def _find_best(wanted: Mapping[str, int], text: str) -> frozenset[str]:
    """Return the terms of the sentence of ``text`` that has most of ``wanted``, the first of them.

    Empty when none has any. The term that stands in most sentences is looked up in those alone that
    have another one.
    """
    every, places = _terms_of_sentences(text), _places_of_terms(text)
    known = sorted(wanted.keys() & places.keys(), key=lambda term: len(places[term]))
    if not known:
        return frozenset()
    *others, most = known
    shared = Counter[int]()
    for term in others:
        for at in places[term]:
            shared[at] += wanted[term]
    for at in shared:
        if most in every[at]:
            shared[at] += wanted[most]
    if (first := next((at for at in places[most] if at not in shared), None)) is not None:
        shared[first] = wanted[most]
    return every[min(shared, key=lambda at: (-shared[at], at))]


def score(claim: str, text: str) -> float:
    """Return from 0 to 1 how near ``text`` comes to ``claim``.

    It is mostly its coverage, and for a small part the share of its neighbouring words that stand
    side by side in a sentence of the text: words that only happen to be there seldom do.
    """
    pairs = set(pairwise(_keys(tokens(claim))))
    together = len(pairs & neighbours(text)) / len(pairs) if pairs else 1.0
    return _WORDS * coverage(claim, text) + (1 - _WORDS) * together


def _weights(claim: str, text: str) -> dict[str, int]:
    read = tokens(claim)
    weights: dict[str, int] = dict.fromkeys(_terms(read), 1)
    for token in read:
        written = claim[token.start : token.end]
        # Every first word is written like a name; what the page has in small letters is none.
        is_name = token.kind == "name" or (
            token is read[0] and written.istitle() and written.lower() not in text
        )
        if token.weight and (is_name or token.is_value):
            weights[token.key] = _RARE
    return weights


def _terms(read: Sequence[TextToken]) -> Iterator[str]:
    """Yield the words of a text, of single Chinese characters each two that stand together."""
    run: list[TextToken] = []
    for token in (*read, None):
        is_single = token is not None and token.kind == "han" and token.end - token.start == 1
        if run and not (token and is_single and token.weight and token.start == run[-1].end):
            yield from (one.key + other.key for one, other in pairwise(run))
            if len(run) == 1:
                yield run[0].key
            run = []
        if token is None or not token.weight:
            continue
        if is_single:
            run.append(token)
        else:
            yield token.key


@lru_cache(maxsize=64)
def _terms_of_sentences(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(_terms(sentence.tokens)) | sentence.keys for sentence in single(text))


@lru_cache(maxsize=64)
def _places_of_terms(text: str) -> dict[str, list[int]]:
    """Return in which sentences of ``text`` each term stands."""
    found = dict[str, list[int]]()
    for at, terms in enumerate(_terms_of_sentences(text)):
        for term in terms:
            found.setdefault(term, []).append(at)
    return found


def _keys(read: Sequence[TextToken]) -> list[str]:
    return [token.key for token in read if token.weight]


@lru_cache(maxsize=64)
def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of keys that stand side by side in a sentence of ``text``."""
    return frozenset(pair for passage in single(text) for pair in pairwise(_keys(passage.tokens)))


_NOT = "not"
# What a claim must not differ in, however near the rest of it comes.
_DECIDING = frozenset({"number", "date", "rounded", "opposite", "negation", "hedge"})
_WEAKENING = frozenset({"order", "word", "words"})
# How near a claim has to come, and how near one that has so many words that they can hardly agree
# and say something else: fewer when none of them is missing.
_NEAR, _NEAR_LONG, _LONG, _LONG_WHOLE = 0.8, 0.75, 20, 14


def repeats(reading: Reading, against: Sequence[Objection]) -> bool:
    """Whether the passage says the claim in nearly its words, and nothing that decides differs.

    ``against`` are the objections to the claim.
    """
    is_turned = any(one.reason == "order" and one.refutes for one in against)
    decides = any(one.decides or one.reason in _DECIDING for one in against)
    if is_turned or decides or _differs(reading):
        return False
    if _has_one_word_for_another(reading) or _adds_something(reading):
        return False
    near = closeness(reading)
    long = _LONG if reading.missing else _LONG_WHOLE
    if len(reading.claim) >= long and near >= _NEAR_LONG:
        return True
    if near < _NEAR or any(one.refutes or one.reason in _WEAKENING for one in against):
        return False
    # "It is …" is said of whatever the passage speaks of.
    is_pronoun = reading.claim[0].key in words.table("references")
    return not (is_pronoun and any(one.reason == "subject" for one in against))


def _differs(reading: Reading) -> bool:
    """Whether a fact or a Chinese character is missing, or the passage has a quantity more."""
    # "Some of them" claims no more than a source that counts nothing.
    some = words.class_of("some")
    missing = [reading.claim[at] for at in reading.missing]
    if any(token.kind == "han" or (token.fact and token.key != some) for token in missing):
        return True
    places = sorted(reading.found.values())
    own = {token.key for token in reading.claim}
    quantifiers = tuple(words.class_of(one).partition(".")[0] + "." for one in ("some", "only"))
    return any(
        token.key.startswith(quantifiers)
        and token.key not in own
        and before.key != _NOT  # "not only" leaves nothing out
        for before, token in pairwise(reading.source[places[0] : places[-1]])
    )


def _has_one_word_for_another(reading: Reading) -> bool:
    """Whether all is the same but for one word: who tells it anew changes more than that."""
    if len(reading.missing) != 1:
        return False
    places = sorted(reading.found.values())
    others = set(range(places[0], places[-1])).difference(places)
    instead = sum(reading.source[place].weight > 0 for place in others)
    if reading.missing[0] < max(reading.found):
        return instead == 1
    rest = takewhile(lambda token: not _ends(token), reading.source[places[-1] + 1 :])
    return not instead and any(token.weight for token in rest)


def _adds_something(reading: Reading) -> bool:
    """Whether a word that is missing is another subject, or one more of a list.

    However many words agree, it is told of something else, or of more.
    """
    return any(
        _is_other_subject(reading, at) or _is_listed(reading.claim, at) for at in reading.missing
    )


def _is_other_subject(reading: Reading, at: int) -> bool:
    """Whether a claim begins with another word than the passage has before the same ones."""
    to = reading.found.get(1, 0)
    return at == 0 and to > 0 and reading.source[to - 1].weight > 0


def _is_listed(claim: Sequence[TextToken], at: int) -> bool:
    """Whether the word at ``at`` is an item: behind "and" or "or", or between two commas."""
    if at == 0 or claim[at - 1].kind != "break":
        return False
    is_alone = at + 1 == len(claim) or claim[at + 1].kind == "break"
    return is_alone or claim[at - 1].key == "and"


def _ends(token: TextToken) -> bool:
    return token.kind == "break" and token.key != "and"


def closeness(reading: Reading) -> float:
    """Return from 0 to 1 how near the passage of ``reading`` comes to its claim.

    The mean of three shares: of the claim's words that stand in the passage, of those that stand
    there in the claim's order, and of its neighbours that are neighbours there.
    """
    told = [at for at, token in enumerate(reading.claim) if token.weight]
    if not told:
        return 0.0
    neighbours = list(pairwise(told))
    rank = {
        place: at
        for at, place in enumerate(
            place for place, token in enumerate(reading.source) if token.weight
        )
    }
    places = {at: rank[to] for at, to in reading.found.items() if to in rank}
    in_order = sum(at in places for at in told) / len(told)
    together = sum(
        one in places and places.get(other) == places[one] + 1 for one, other in neighbours
    )
    share = together / len(neighbours) if neighbours else in_order
    return (reading.coverage + in_order + share) / 3


def is_absent(claim: str, read: tuple[TextToken, ...], text: str) -> bool:
    """Whether a page is long enough to tell of ``claim`` and has hardly a word of it, no name.

    Something specific has to be missed: a name, a date, or a number that does not follow from what
    the page has. Other words may say the same in words of their own.
    """
    page = all_tokens(text)
    if weight(page) < _PAGE_WEIGHT or coverage(claim, text) >= _HARDLY:
        return False
    keys, names = {one.key for one in page}, {one.key for one in page if one.kind == "name"}
    # The first word of a claim is read as a word.
    own = [
        one
        for one in read
        if one.is_value or one.kind == "name" or (one is read[0] and one.key in names)
    ]
    return not any(token.key in keys for token in own) and any(
        not is_counted(token) and not is_derived(token, page) for token in own
    )
