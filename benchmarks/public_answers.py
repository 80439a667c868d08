"""Answers to questions whose pages disagree, from a public data set in the format of RAMDocs.

Each question has documents, the answers that are valid (``gold_answers``) and those that are wrong.
The documents are the pages; there is no search. Where a question has more than one answer, valid or
wrong, its pages are in conflict: it is told when one disagreement has a valid answer in one version
and another answer in another one. An alarm where there is only one answer is false.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from citeseek.citations import Source
from citeseek.language_model.extracts import extract
from citeseek.research.duplicates import collapse
from citeseek.research.evidence import passages_of
from citeseek.research.findings import Findings, find_answers
from citeseek.research.pages import ReadPage


class PublicQuestion(NamedTuple):
    """A question, the texts of its pages, and the answers that they give."""

    text: str
    documents: tuple[str, ...]
    valid: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def is_conflict(self) -> bool:
        """Whether its pages give more than one answer."""
        return len({squeeze(answer) for answer in (*self.valid, *self.wrong)}) > 1


class Version(NamedTuple):
    """What a page says: its words, and the value among them if one is told."""

    text: str
    value: str = ""

    def gives(self, answer: str) -> bool:
        """Whether the words have ``answer``, and the value, where one is told, is a part of it."""
        shared = set(squeeze(self.value).split()) & set(answer.split())
        return answer in squeeze(self.text) and (bool(shared) or not self.value)


class Answered(NamedTuple):
    """What is told of a question: by an answer, by a report, and the versions that differ."""

    answer: str
    report: str
    conflicts: tuple[tuple[Version, ...], ...]


def is_answers(path: Path) -> bool:
    """Whether the file at ``path`` has questions with answers."""
    with path.open(encoding="utf-8") as lines:
        return "gold_answers" in json.loads(next(lines, "{}"))


def public_questions(path: Path) -> list[PublicQuestion]:
    """Return the questions of the data set at ``path``."""
    lines = path.read_text("utf-8").splitlines()
    return [_read(json.loads(line)) for line in lines if line.strip()]


def _read(line: Mapping[str, Any]) -> PublicQuestion:
    return PublicQuestion(
        line["question"],
        tuple(document["text"] for document in line["documents"]),
        tuple(line["gold_answers"]),
        tuple(dict.fromkeys(line["wrong_answers"])),
    )


def answered(question: PublicQuestion) -> Answered:
    """Return what Citeseek tells of ``question`` without a model."""
    sources = [
        Source(number, "", f"https://{number}.example/", f"{number}.example", text)
        for number, text in enumerate(question.documents, start=1)
    ]
    told = extract(question.text, sources)
    findings = _findings(question)
    return Answered(
        "\n".join(one.text for one in told),
        "\n".join(quote.text for quote in findings.quotes),
        tuple(
            tuple(Version(said.text, said.value) for said in versions)
            for versions in findings.disagreements
        ),
    )


def _findings(question: PublicQuestion) -> Findings:
    distinct = collapse(
        ReadPage(
            url=f"https://{number}.example/",
            final_url=f"https://{number}.example/",
            title="",
            snippet="",
            provider="",
            text=text,
        )
        for number, text in enumerate(question.documents, start=1)
    )
    return find_answers([question.text], distinct, passages_of([one.page for one in distinct]))


def squeeze(text: str) -> str:
    """Return the words of ``text`` in small letters, with one space around each."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(words)} "


def is_told(question: PublicQuestion, conflicts: Iterable[Sequence[Version]]) -> bool:
    """Whether one of ``conflicts`` has a valid answer and, in another version, another answer."""
    return any(_is_pair(question, versions) for versions in conflicts)


def _is_pair(question: PublicQuestion, versions: Sequence[Version]) -> bool:
    every = [*map(squeeze, (*question.valid, *question.wrong))]
    said = [{answer for answer in every if version.gives(answer)} for version in versions]
    valid = set(map(squeeze, question.valid))
    return any(
        one & valid and other - one
        for at, one in enumerate(said)
        for place, other in enumerate(said)
        if at != place
    )


class AnswerFigures(NamedTuple):
    """Shares from 0 to 1; ``false_alarms`` of the questions whose pages are not in conflict."""

    valid_in_answer: float
    wrong_in_answer: float
    valid_in_report: float
    wrong_in_report: float
    conflicts_told: float
    false_alarms: float


def figures(
    of: Sequence[PublicQuestion], answer: Callable[[PublicQuestion], Answered] = answered
) -> AnswerFigures:
    """Return what is found of the answers to the questions ``of``, and of their conflicts."""
    told = [(question, answer(question)) for question in of]

    def share(found: Iterator[bool]) -> float:
        each = list(found)
        return sum(each) / (len(each) or 1)

    def repeated(text: str, answers: Sequence[str]) -> Iterator[bool]:
        return (squeeze(one) in squeeze(text) for one in answers)

    return AnswerFigures(
        share(one for asked, said in told for one in repeated(said.answer, asked.valid)),
        share(one for asked, said in told for one in repeated(said.answer, asked.wrong)),
        share(one for asked, said in told for one in repeated(said.report, asked.valid)),
        share(one for asked, said in told for one in repeated(said.report, asked.wrong)),
        share(is_told(asked, said.conflicts) for asked, said in told if asked.is_conflict),
        share(bool(said.conflicts) for asked, said in told if not asked.is_conflict),
    )


def table_of(of: Sequence[PublicQuestion]) -> list[tuple[str, str]]:
    """Return the rows of the figures, each with its name."""
    found = figures(of)
    conflicts = sum(question.is_conflict for question in of)
    return [
        ("valid answers found by ask", f"{found.valid_in_answer:.3f}"),
        ("wrong answers repeated by ask", f"{found.wrong_in_answer:.3f}"),
        ("valid answers found by a report", f"{found.valid_in_report:.3f}"),
        ("wrong answers repeated by a report", f"{found.wrong_in_report:.3f}"),
        (f"conflicts told with the right pair, of {conflicts}", f"{found.conflicts_told:.3f}"),
        (f"false alarms, of {len(of) - conflicts}", f"{found.false_alarms:.3f}"),
    ]
