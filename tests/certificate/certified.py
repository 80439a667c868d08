"""Certificates of answers whose pages were read over loopback."""

from __future__ import annotations

from pathlib import Path

from tests.loopback import LoopbackServer
from tests.verification.checking import ENV, stock

from citeseek import Client, Settings, observing
from citeseek.assistant.checking import check_citations
from citeseek.certificate import Certificate, Repeated, read, repeat, write
from citeseek.certificate.issue import certify_answer
from citeseek.certificate.key import local_key
from citeseek.certificate.page_reads import PageReads
from citeseek.citations import Source
from citeseek.trace.redaction import Redactor

ANSWER = (
    "The tea house opened in 1912 [1]. The tea house opened in 1921 [1]. "
    "The boat house closed in 1987 [1]. The mill is old [3]."
)
VERDICTS = [(1, "supported"), (1, "contradicted"), (1, "unclear"), (3, "unfetched")]


async def certificate_of(
    server: LoopbackServer, answer: str = ANSWER, *, secret: str = "", hashes_only: bool = False
) -> Certificate:
    """Return the certificate of ``answer``, which cites the pages of ``server``."""
    stock(server)
    return await certificate_of_pages(server, answer, secret=secret, hashes_only=hashes_only)


async def certificate_of_pages(
    server: LoopbackServer, answer: str, *, secret: str = "", hashes_only: bool = False
) -> Certificate:
    """Return the same where the pages of ``server`` are what a test made them."""
    paths = ("/tea", "/boat", "/gone")
    sources = [
        Source(n, path, server.url(path), "lake", "Gone.") for n, path in enumerate(paths, 1)
    ]
    reads = PageReads()
    async with Client(Settings.load(env={**ENV, "WEB_FETCH_TIMEOUT_MS": "60000"})) as client:
        with observing.watching(reads):
            found = await check_citations(answer, sources, client)
    return certify_answer(
        "When did it open?",
        answer,
        judged=answer,
        model="stub",
        sources=sources,
        checks=found.checks,
        reads=reads,
        redactor=Redactor([secret] if secret else []),
        hashes_only=hashes_only,
    )


async def repeated(certificate: Certificate, folder: Path) -> Repeated:
    """Return what comes of signing, reading and repeating ``certificate``."""
    path = folder / "certificate.json"
    write(certificate, path, local_key(folder))
    return await repeat(read(path))
