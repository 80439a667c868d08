"""The folder of a run: its journal while it goes on, the report and what it rests on at its end."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from msgspec import json as msgspec_json

from citeseek.errors import InvalidInput, reason_of
from citeseek.research.inquiry import MAX_SOURCES, Inquiry
from citeseek.research.journal import Journal, is_journal
from citeseek.research.result import RunResult

JOURNAL = "journal.jsonl"
REPORT = "report.md"
RUN = "run.json"
PAGES = "pages"


class RunFolder:
    """``path`` holds ``report.md``, ``run.json``, ``pages/1.txt`` … and ``journal.jsonl``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def in_home(cls, home: Path, inquiry: Inquiry) -> RunFolder:
        """Return the folder below ``home`` of a run that was not given one: always the same."""
        name = hashlib.sha256(msgspec_json.encode(inquiry)).hexdigest()[:16]
        return cls(home / "research" / name)

    def journal(self, inquiry: Inquiry, *, fresh: bool = False) -> Journal:
        """Return the journal of ``inquiry``, empty if ``fresh``.

        Raise InvalidInput when it cannot be, or when the folder holds files of others that
        :meth:`save` would replace: it is ours when it has the journal of a run.
        """
        try:
            self._check()
        except OSError as reason:
            raise InvalidInput(
                f"{self.path} cannot be used ({reason.strerror}).",
                hint="Name another folder with --out.",
                values=_of(self.path, "unusable", **reason_of(reason)),
            ) from None
        return Journal.of(self.path / JOURNAL, inquiry, fresh=fresh)

    def save(self, result: RunResult) -> None:
        """Write the report and what it rests on; raise InvalidInput when that is not possible."""
        report = result.report
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            whole = json.dumps(result.as_json(), ensure_ascii=False, indent=2)
            (self.path / RUN).write_text(f"{whole}\n", encoding="utf-8")
            self._drop_pages()
            if report is None:
                (self.path / REPORT).unlink(missing_ok=True)
                return
            (self.path / REPORT).write_text(report.text, encoding="utf-8")
            (self.path / PAGES).mkdir(exist_ok=True)
            for number, text in enumerate(report.pages, start=1):
                # Letter by letter: a quote stands at its place.
                with self._page(number).open("w", encoding="utf-8", newline="") as file:
                    file.write(text)
        except OSError as reason:
            raise InvalidInput(
                f"{self.path} cannot be written to ({reason.strerror}).",
                hint="Name another folder with --out.",
                values=_of(self.path, "not_written", **reason_of(reason)),
            ) from None

    @property
    def has_run(self) -> bool:
        """Whether a run was kept in it before."""
        return (self.path / RUN).exists()

    def forget(self) -> None:
        """Delete the journal, and the folder if that leaves it empty."""
        (self.path / JOURNAL).unlink(missing_ok=True)
        if self.path.exists() and not any(self.path.iterdir()):
            self.path.rmdir()

    def _check(self) -> None:
        """Raise InvalidInput where a file of others would be replaced, or written to by a link."""
        is_ours = is_journal(self.path / JOURNAL)
        for name in (JOURNAL, RUN, REPORT, PAGES):
            path = self.path / name
            if path.is_symlink():
                raise InvalidInput(
                    f"{path} is a link, and what it leads to would be replaced.",
                    hint="Name another folder with --out, or remove the link.",
                    values=_of(path, "link"),
                )
            if name != JOURNAL and not is_ours and path.exists():
                raise InvalidInput(
                    f"{path} is not of a report of Citeseek, and would be replaced.",
                    hint="Name another folder with --out, or move it away.",
                    values=_of(path, "others"),
                )

    def _page(self, number: int) -> Path:
        return self.path / PAGES / f"{number}.txt"

    def _drop_pages(self) -> None:
        """Delete the pages of the last report, and nothing that others put beside them."""
        for number in range(1, MAX_SOURCES + 1):
            self._page(number).unlink(missing_ok=True)
        pages = self.path / PAGES
        if pages.is_dir() and not any(pages.iterdir()):
            pages.rmdir()


def _of(path: Path, case: str, **values: str) -> dict[str, str]:
    """Return the values of an error about ``path`` of a run."""
    return {"case": f"run_folder_{case}", "path": str(path), **values}
