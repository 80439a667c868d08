"""Everything that a certificate says is repeated from what is in it, without the network."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.certificate.certified import (
    ANSWER,
    VERDICTS,
    certificate_of_pages,
    repeated,
)
from tests.extraction.raw_pdf import pdf
from tests.loopback import LoopbackServer, replies
from tests.loopback.messages import Reply
from tests.trace.recorded import no_network
from tests.verification.checking import SENTENCE, article

from citeseek.certificate import Certificate
from citeseek.certificate.record import CertifiedQuote, pack
from citeseek.certificate.record import sha256 as digest
from citeseek.locators import Locator

Change = Callable[[Certificate], Certificate]


async def test_an_answer_is_repeated_without_the_network(
    certificate: Certificate, tmp_path: Path
) -> None:
    with no_network():
        found = await repeated(certificate, tmp_path)
    assert (found.differences, found.notes) == ((), ())
    assert (found.repeated, found.verdicts) == (4, 4)
    assert (found.pages, found.sources) == (1, 3)
    assert found.is_same
    assert [(one.number, one.verdict) for one in certificate.verdicts] == VERDICTS
    tea, boat, gone = certificate.sources
    body = article(SENTENCE, "It is closed on Mondays.").encode()
    assert tea.page_sha256 == sha256(body).hexdigest()
    assert tea.body == body
    assert tea.is_whole_page
    assert (boat.page, boat.read_at, boat.is_whole_page) == ("", "", False)  # it is not cited
    assert (gone.page, gone.text) == ("", "Gone.")  # its page is not there


def of_source(**changed: Any) -> Change:
    def change(whole: Certificate) -> Certificate:
        first = structs.replace(whole.sources[0], **changed)
        return structs.replace(whole, sources=(first, *whole.sources[1:]))

    return change


def of_verdict(**changed: Any) -> Change:
    def change(whole: Certificate) -> Certificate:
        first = structs.replace(whole.verdicts[0], **changed)
        return structs.replace(whole, verdicts=(first, *whole.verdicts[1:]))

    return change


def of_whole(**changed: Any) -> Change:
    return lambda whole: structs.replace(whole, **changed)


OTHER_PAGE = article("Another page.").encode()


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (of_source(text="It opened in 1999."), {"text", "reading", "verdict", "quote"}),
        (of_source(page=pack(OTHER_PAGE)), {"page"}),
        (of_source(page=pack(OTHER_PAGE), page_sha256=digest(OTHER_PAGE)), {"reading"}),
        (of_verdict(verdict="contradicted"), {"verdict"}),
        (of_verdict(reason="number"), {"verdict"}),
        (of_verdict(quote="It opened."), {"quote"}),
        (of_verdict(score=3), {"score"}),
        (of_verdict(missing=("1912",)), {"missing"}),
        (of_verdict(elsewhere=2), {"elsewhere"}),
        (of_verdict(together=(1, 2)), {"together"}),
        (of_verdict(claim="The mill opened"), {"claim"}),
        (of_verdict(number=2), {"claim"}),
        (of_verdict(place=9), {"claims"}),
        (of_whole(verdicts=()), {"claims"}),
        (of_whole(judged=f"{ANSWER} It is old [1]."), {"judged", "claims"}),
        (of_whole(quotes=(CertifiedQuote(source=1, start=0, text="never"),)), {"not_quoted"}),
        (of_whole(quotes=(CertifiedQuote(source=1, start=1, text="The tea"),)), {"not_quoted"}),
        (of_whole(quotes=(CertifiedQuote(source=7, start=0, text="The tea"),)), {"no_source"}),
    ],
)
async def test_what_differs_is_named(
    change: Change, codes: set[str], certificate: Certificate, tmp_path: Path
) -> None:
    found = await repeated(change(certificate), tmp_path)
    differences = {one.code for one in found.differences}
    assert codes <= differences
    # A text of which all is changed changes all that is counted in it as well.
    assert differences <= codes | {"score", "missing"}


async def test_a_score_may_be_rounded_otherwise_elsewhere(
    certificate: Certificate, tmp_path: Path
) -> None:
    near = of_verdict(score=certificate.verdicts[0].score - 1)(certificate)
    assert not (await repeated(near, tmp_path)).differences


JUDGED = of_verdict(by="judge", reason="paraphrase")
INVENTED = "The tea house at the lake has twelve rooms."


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("change", "code"),
    [
        # What the rules told, no judge is asked about, whatever the file says of it.
        (JUDGED, "verdict"),
        (of_verdict(by="judge", reason="paraphrase", quote=INVENTED), "not_quoted"),
        (of_verdict(by="judge", reason="paraphrase", quote=""), "not_quoted"),
        (of_verdict(verdict="contradicted", repeats=False), "verdict"),
        (of_verdict(quote=INVENTED, repeats=False), "quote"),
    ],
)
async def test_what_a_verdict_says_of_itself_is_not_believed(
    change: Change, code: str, certificate: Certificate, tmp_path: Path
) -> None:
    found = await repeated(change(certificate), tmp_path)
    assert [one.code for one in found.differences] == [code]
    assert not found.is_same


PARAPHRASED = "The tea house by the lake has welcomed guests since 1912 [1]."
RULES_VETO = "The tea house by the lake has welcomed guests since 1913 [1]."


async def test_a_judges_verdict_is_told_apart_where_the_rules_let_it_pass(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/tea", replies.html(article(SENTENCE, "It is closed on Mondays.")))
    for answer, expected in ((PARAPHRASED, []), (RULES_VETO, ["vetoed"])):
        whole = await certificate_of_pages(server, answer)
        assert [one.verdict for one in whole.verdicts] == ["unclear"]
        judged = of_verdict(
            by="judge", verdict="supported", reason="paraphrase", quote=SENTENCE, missing=()
        )(whole)
        found = await repeated(judged, tmp_path)
        assert [one.code for one in found.differences] == expected
        assert (found.repeated, found.is_complete, found.is_same) == (0, False, False)
        assert [(one.code, one.was) for one in found.notes] == (
            [] if expected else [("judge", "supported")]
        )


async def test_an_answer_says_nothing_that_was_not_judged(
    certificate: Certificate, tmp_path: Path
) -> None:
    more = structs.replace(certificate, answer=f"{certificate.answer} The moon is cheese [1].")
    found = await repeated(more, tmp_path)
    assert [(one.code, one.number) for one in found.differences] == [("unjudged", 1)]


async def test_a_number_is_that_of_one_source(certificate: Certificate, tmp_path: Path) -> None:
    twice = structs.replace(certificate, sources=(*certificate.sources, certificate.sources[0]))
    found = await repeated(twice, tmp_path)
    assert [(one.code, one.number) for one in found.differences] == [("twice", 1)]


async def test_a_text_without_its_page_is_what_the_signer_says(
    certificate: Certificate, tmp_path: Path
) -> None:
    bare = of_source(page="")(certificate)
    found = await repeated(bare, tmp_path)
    assert found.differences == ()
    assert [(one.code, one.number) for one in found.notes] == [("no_bytes", 1)]
    assert (found.pages, found.repeated) == (0, 4)


async def test_an_answer_that_cites_nothing_has_nothing_to_repeat(
    certificate: Certificate, tmp_path: Path
) -> None:
    silent = structs.replace(certificate, answer="Hm.", judged="Hm.", verdicts=())
    found = await repeated(silent, tmp_path)
    assert found.differences == ()
    assert not found.is_same


async def test_a_verdict_names_the_page_of_a_document(
    server: LoopbackServer, tmp_path: Path
) -> None:
    paper = pdf("The boat house closed in 1987.", SENTENCE)
    server.on("/tea", Reply(200, {"Content-Type": "application/pdf"}, paper))
    for hashes_only in (False, True):
        certificate = await certificate_of_pages(
            server, "The tea house at the lake opened in 1912 [1].", hashes_only=hashes_only
        )
        assert certificate.verdicts[0].page == Locator("page", 2)
        assert (await repeated(certificate, tmp_path)).differences == ()
        other = structs.replace(certificate.verdicts[0], page=Locator("page", 1))
        found = await repeated(structs.replace(certificate, verdicts=(other,)), tmp_path)
        assert [one.code for one in found.differences] == ["part"]


async def test_a_mark_that_names_a_page_is_judged_and_repeated(
    server: LoopbackServer, tmp_path: Path
) -> None:
    paper = pdf("The boat house closed in 1987.", SENTENCE)
    server.on("/tea", Reply(200, {"Content-Type": "application/pdf"}, paper))
    certificate = await certificate_of_pages(
        server, "The tea house at the lake opened in 1912 [1, p. 2]."
    )
    assert [one.verdict for one in certificate.verdicts] == ["supported"]
    assert (await repeated(certificate, tmp_path)).is_same
    more = structs.replace(certificate, answer=f"{certificate.answer} It is old [1, p. 2].")
    assert [one.code for one in (await repeated(more, tmp_path)).differences] == ["unjudged"]


async def test_other_rules_are_named(certificate: Certificate, tmp_path: Path) -> None:
    older = structs.replace(certificate, citeseek="0.0.1", rules_sha256="0" * 64)
    found = await repeated(older, tmp_path)
    assert found.differences == ()
    assert [(one.code, one.was) for one in found.notes] == [("rules", "0.0.1")]


async def test_hashes_leave_the_passages_around_the_quotes(
    server: LoopbackServer, tmp_path: Path
) -> None:
    others = [f"Visitor number {n} came to the garden by train." for n in range(40)]
    long = article(*others[:20], SENTENCE, *others[20:])
    server.on("/tea", replies.html(long))
    answer = (
        "The tea house at the lake opened in 1912 [1]. The tea house at the lake opened in 1921 "
        "[1]. Mozart composed symphonies in Vienna [1]."
    )
    whole = await certificate_of_pages(server, answer)
    short = await certificate_of_pages(server, answer, hashes_only=True)
    told = [one.verdict for one in whole.verdicts]
    assert told == ["supported", "contradicted", "absent"]
    assert [one.verdict for one in short.verdicts] == told
    (page, text) = short.sources[0].page, short.sources[0].text
    assert page == ""
    assert SENTENCE in text
    assert len(text) < len(whole.sources[0].text) / 5
    assert short.sources[0].text_sha256 == digest(whole.sources[0].text)
    assert short.sources[0].page_sha256 == sha256(long.encode()).hexdigest()
    found = await repeated(short, tmp_path)
    assert found.differences == ()
    # That hardly a word of it is there is known of the whole page alone.
    assert [(one.code, one.was) for one in found.notes] == [
        ("no_bytes", ""),
        ("excerpt", "absent"),
    ]
    assert (found.repeated, found.is_complete) == (2, False)
    forged = of_verdict(verdict="contradicted")(short)
    assert [one.code for one in (await repeated(forged, tmp_path)).differences] == ["verdict"]
    # What it does not repeat has its quote in the excerpt all the same.
    invented = of_verdict(repeats=False, quote=INVENTED)(short)
    assert [one.code for one in (await repeated(invented, tmp_path)).differences] == ["not_quoted"]


async def test_no_secret_is_in_it_and_it_is_repeated_all_the_same(
    server: LoopbackServer, tmp_path: Path
) -> None:
    key = "marked-key-5f3a9c"
    page = article(
        SENTENCE,
        f"You asked the tea house with {key}.",
        "From https://user:marked-pass@lake.example/",
    )
    server.on("/tea", replies.html(page))
    answer = f"The tea house opened in 1912 [1]. You asked the tea house with {key} [1]."
    certificate = await certificate_of_pages(server, answer, secret=key)
    found = await repeated(certificate, tmp_path)
    assert found.differences == ()
    assert [one.code for one in found.notes] == ["no_reading"]
    unpacked = certificate.sources[0].body
    shown = (tmp_path / "certificate.json").read_bytes() + unpacked
    for hidden in (key.encode(), b"marked-pass"):
        assert hidden not in shown
    assert b"***" in unpacked
    assert [one.verdict for one in certificate.verdicts] == ["supported", "supported"]
