"""The verdicts of a certificate beside those that its texts come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citeseek.certificate.deviation import Code, Deviation
from citeseek.certificate.record import Certificate, CertifiedVerdict
from citeseek.locators import Locator
from citeseek.verification import CitationCheck, check_answer
from citeseek.verification.claims import claims
from citeseek.verification.judgement import Opinion, apply_opinions

# Of two machines, one may round a score the other way.
_SCORE_STEP = 1
# A verdict about which one of them is told was not repeated.
UNREPEATED = frozenset({"judge", "excerpt", "not_quoted", "vetoed"})


def compare_verdicts(certificate: Certificate) -> Iterator[Deviation]:
    """Yield in which verdicts differ from those that are come to again, and which are not."""
    checks = check_answer(certificate.judged, certificate.texts)
    again = {check.place: CertifiedVerdict.of(check) for check in checks}
    lifted = _lift_again(certificate, checks)
    excerpts = {source.number for source in certificate.sources if source.is_excerpt}
    # What is cited for one claim is judged together.
    rests_on = {
        place: set(claim.numbers) for claim in claims(certificate.judged) for place in claim.places
    }
    was, now = sorted(one.place for one in certificate.verdicts), sorted(again)
    if was != now:
        yield Deviation(code="claims", was=str(len(was)), now=str(len(now)))
    for one in certificate.verdicts:
        found = again.get(one.place)
        if found is None:
            continue
        is_excerpt = not excerpts.isdisjoint(rests_on[one.place])
        if one.by == "judge":
            yield from _of_judge(
                one, found, lifted.get(one.place), certificate, is_excerpt=is_excerpt
            )
        elif is_excerpt and not one.repeats and one.outcome != found.outcome:
            yield _missing_quote(one, certificate) or _finding(
                "excerpt", (one.number, one.claim), one.verdict
            )
        else:
            yield from _compare(one, found, is_short=bool(excerpts))


def _lift_again(
    certificate: Certificate, checks: list[CitationCheck]
) -> Mapping[int, CitationCheck]:
    """Return the checks that the rules let a judge change, as it did, by their place."""
    opinions = {
        one.place: Opinion(one.verdict, one.quote)
        for one in certificate.verdicts
        if one.by == "judge" and one.verdict in ("supported", "contradicted") and one.quote
    }
    return apply_opinions(certificate.judged, checks, certificate.texts, opinions)


def _of_judge(
    one: CertifiedVerdict,
    rules: CertifiedVerdict,
    lifted: CitationCheck | None,
    certificate: Certificate,
    *,
    is_excerpt: bool,
) -> Iterator[Deviation]:
    """Yield what speaks against a judge's verdict, or that it is one and was not repeated.

    That it may be told is repeated: the rules say ``unclear``, the quote stands in the source, and
    no rule forbids it. Excerpts are enough for the quote alone.
    """
    about = (one.number, one.claim)
    if missing := _missing_quote(one, certificate):
        yield missing
    elif (one.number, one.claim) != (rules.number, rules.claim):
        yield _finding("claim", about, one.claim, rules.claim)
    elif is_excerpt:
        yield _finding("excerpt", about, one.verdict)
    elif rules.verdict != "unclear":
        yield _finding("verdict", about, _describe(one), _describe(rules))
    elif lifted is None or _describe(CertifiedVerdict.of(lifted)) != _describe(one):
        yield _finding("vetoed", about, _describe(one))
    elif lifted.evidence != one.quote:
        yield _finding("quote", about, one.quote, lifted.evidence)
    else:
        yield _finding("judge", about, one.verdict)


def _missing_quote(one: CertifiedVerdict, certificate: Certificate) -> Deviation | None:
    """Return that the quote of a verdict does not stand in its source, None where it does."""
    source = next((each for each in certificate.sources if each.number == one.number), None)
    needs_one = one.by == "judge" or one.verdict in ("supported", "contradicted")
    stands = source is not None and one.quote in source.text
    if stands and (one.quote.strip() or not needs_one):
        return None
    return Deviation(code="not_quoted", number=one.number, claim=one.claim, was=one.quote)


def _compare(
    one: CertifiedVerdict, found: CertifiedVerdict, *, is_short: bool
) -> Iterator[Deviation]:
    about = (one.number, one.claim)
    if (one.number, one.claim) != (found.number, found.claim):
        yield _finding("claim", about, one.claim, found.claim)
        return
    if _describe(one) != _describe(found):
        yield _finding("verdict", about, _describe(one), _describe(found))
    if one.quote != found.quote:
        yield _finding("quote", about, one.quote, found.quote)
    if one.page != found.page:
        yield _finding("part", about, _name(one.page), _name(found.page))
    if is_short:
        # What is counted over all of a page, or found in another one, is not in excerpts.
        return
    if abs(one.score - found.score) > _SCORE_STEP:
        yield _finding("score", about, f"{one.score / 1000:g}", f"{found.score / 1000:g}")
    if one.missing != found.missing:
        yield _finding("missing", about, ", ".join(one.missing), ", ".join(found.missing))
    if one.elsewhere != found.elsewhere:
        yield _finding("elsewhere", about, str(one.elsewhere or "–"), str(found.elsewhere or "–"))
    if one.together != found.together:
        yield _finding("together", about, _numbers(one.together), _numbers(found.together))


def _describe(one: CertifiedVerdict) -> str:
    return f"{one.verdict} ({one.reason})"


def _finding(code: Code, about: tuple[int, str], was: str, now: str = "") -> Deviation:
    number, claim = about
    return Deviation(code=code, number=number, claim=claim, was=was, now=now)


def _name(part: Locator | None) -> str:
    return f"{part.kind} {part.name or part.number}" if part else "–"


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "–"
