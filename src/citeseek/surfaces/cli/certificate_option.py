"""The option ``--certificate FILE`` of the commands whose answers have sources."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import say
from citeseek.surfaces.cli.shared_options import read_path

if TYPE_CHECKING:
    from citeseek.assistant.events import Done
    from citeseek.certificate import Certificate
    from citeseek.certificate.key import LocalKey
    from citeseek.certificate.page_reads import PageReads
    from citeseek.fetching.own_file import OwnFile
    from citeseek.i18n import Catalogue
    from citeseek.research import RunResult
    from citeseek.settings import Settings
    from citeseek.verification import CitationCheck


def add_certificate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        type=read_path,
        help=describe("certificate"),
    )
    parser.add_argument(
        "--certificate-hashes",
        action="store_true",
        help=describe("certificate_hashes"),
    )


class Certifying:
    """What is needed to write the certificate: where to, the key, and the pages as they are read.

    Raise InvalidInput at once for a file that cannot be written or a key that cannot be used.
    """

    def __init__(self, options: argparse.Namespace, settings: Settings) -> None:
        from citeseek.certificate.certificate_file import CERTIFICATE  # noqa: PLC0415 - when one is asked for
        from citeseek.certificate.key import local_key  # noqa: PLC0415
        from citeseek.certificate.page_reads import PageReads  # noqa: PLC0415
        from citeseek.trace.trace_file import check  # noqa: PLC0415

        check(options.certificate, of=CERTIFICATE)
        self._path: Path = options.certificate
        self._hashes_only: bool = options.certificate_hashes
        self._settings = settings
        self._key: LocalKey = local_key(settings.home)
        self.reads: PageReads = PageReads()

    def answer(
        self,
        question: str,
        done: Done,
        checks: Sequence[CitationCheck],
        files: Iterable[OwnFile],
        words: Catalogue,
    ) -> None:
        """Write the certificate of an answer in a conversation with ``files``, and say so."""
        from citeseek.certificate.issue import certify_answer  # noqa: PLC0415 - when asked for

        self.reads.keep_earlier(files)
        certificate = certify_answer(
            question,
            done.text,
            judged=done.answer,
            model=done.model,
            sources=done.sources,
            checks=checks,
            **self._common(),
        )
        self._write(certificate, words)

    def report(self, result: RunResult, words: Catalogue) -> None:
        """Write the certificate of a report, if there is one, and say so."""
        from citeseek.certificate.issue import certify_report  # noqa: PLC0415 - when asked for

        if result.report:
            asked = result.egress.model if result.egress else None
            certificate = certify_report(
                result.question,
                result.report,
                model=asked.name if asked else "",
                **self._common(),
            )
            self._write(certificate, words)

    def _common(self) -> dict[str, Any]:
        from citeseek.searching.engine_registry import Registry  # noqa: PLC0415
        from citeseek.settings import for_traces  # noqa: PLC0415
        from citeseek.trace.redaction import Redactor  # noqa: PLC0415

        secrets = for_traces.secrets(self._settings, Registry().ids())
        return {
            "reads": self.reads,
            "redactor": Redactor(secrets),
            "hashes_only": self._hashes_only,
        }

    def _write(self, certificate: Certificate, words: Catalogue) -> None:
        from citeseek.certificate import write  # noqa: PLC0415 - when one is asked for
        from citeseek.certificate.key import fingerprint  # noqa: PLC0415

        write(certificate, self._path, self._key)
        say(words("cli.certified", path=self._path, key=fingerprint(self._key.public)))


@contextmanager
def certifying(options: argparse.Namespace, settings: Settings) -> Iterator[Certifying | None]:
    """Keep what is read within for a certificate, if one is asked for."""
    if options.certificate is None:
        if options.certificate_hashes:
            raise InvalidInput(
                "--certificate-hashes goes with --certificate FILE.",
                values={"case": "hashes_alone"},
            )
        yield None
        return
    from citeseek import observing  # noqa: PLC0415 - when one is asked for

    found = Certifying(options, settings)
    with observing.watching(found.reads):
        yield found
