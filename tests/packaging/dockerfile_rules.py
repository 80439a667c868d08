"""What a good Dockerfile keeps to, checked without a container engine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

KNOWN = set(
    "FROM RUN CMD LABEL EXPOSE ENV COPY ENTRYPOINT VOLUME USER WORKDIR ARG HEALTHCHECK".split()
)
EXECUTED = re.compile(r"(?:--\S+ +)*(?:CMD )?(\[.*\])")
IMAGE = re.compile(r"[a-z0-9.-]+\.[a-z]+/[a-z0-9/_-]+:(?!latest)[\w.-]+( AS [a-z]+)?")
SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|API_KEY", re.IGNORECASE)


@dataclass(frozen=True)
class Step:
    """One instruction, its continued lines joined."""

    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The words behind the instruction, without its flags."""
        return [word for word in self.rest.split() if not word.startswith("--")]

    @property
    def executed(self) -> list[str] | None:
        """The command in the form that needs no shell, None for any other."""
        form = EXECUTED.fullmatch(self.rest)
        return json.loads(form[1]) if form else None


def steps(text: str) -> list[Step]:
    """Return the instructions of a Dockerfile."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [Step(*(*line.split(None, 1), "")[:2]) for line in joined.splitlines()]


def faults(text: str, folder: Path, ignored: Callable[[str], bool]) -> list[str]:
    """Return what is wrong, nothing when all is well.

    ``folder`` is what is copied from, ``ignored`` says what .dockerignore keeps out of it.
    """
    found = steps(text)
    if not found or found[0].name != "FROM":
        return ["it does not begin with FROM"]
    stages = [place for place, step in enumerate(found) if step.name == "FROM"]
    last = found[stages[-1] :]
    return [*_of_each(found, folder, ignored), *_of_the_last_stage(last)]


def _of_each(found: list[Step], folder: Path, ignored: Callable[[str], bool]) -> Iterator[str]:
    stages = {step.rest.rpartition(" AS ")[2] for step in found if " AS " in step.rest}
    for step in found:
        if step.name not in KNOWN:
            yield f"{step.name} is not for us"
        if step.name == "FROM" and not IMAGE.fullmatch(step.rest):
            yield f"{step.rest} names no registry or no version"
        if step.name in ("ENV", "ARG") and SECRET.search(step.rest):
            yield f"a secret would stay in the image: {step.rest}"
        if step.name in ("CMD", "ENTRYPOINT", "HEALTHCHECK") and step.executed is None:
            yield f"{step.name} goes through a shell"
        if step.name == "RUN":
            yield from _of_a_run(step.rest)
        if step.name == "COPY":
            yield from _of_a_copy(step, folder, ignored, stages)


def _of_a_copy(
    step: Step, folder: Path, ignored: Callable[[str], bool], stages: set[str]
) -> Iterator[str]:
    if stage := re.search(r"--from=(\S+)", step.rest):
        if stage[1] not in stages:
            yield f"there is no stage {stage[1]}"
        return
    for source in step.words[:-1]:
        if not (folder / source).exists() or ignored(source):
            yield f"{source} is not there to be copied"


def _of_a_run(command: str) -> Iterator[str]:
    if "pip install" in command and not {"--no-cache-dir", "--constraint"} <= set(command.split()):
        yield "pip keeps its cache, or takes whatever version there is"
    if "apt-get install" in command and "--no-install-recommends" not in command:
        yield "apt-get installs what nobody asked for"
    if re.search(r"\bsudo\b|curl[^|]*\|\s*(ba)?sh|chmod 777", command):
        yield f"not in an image: {command}"


def _of_the_last_stage(last: list[Step]) -> Iterator[str]:
    names = [step.name for step in last]
    for needed in ("USER", "HEALTHCHECK", "ENTRYPOINT", "EXPOSE", "VOLUME"):
        if needed not in names:
            yield f"no {needed}"
    users = [step.rest for step in last if step.name == "USER"]
    if users and not re.fullmatch(r"[1-9]\d*(:[1-9]\d*)?", users[-1]):
        yield f"{users[-1]} may be root: an engine can check only a number"
    if "USER" in names and "RUN" in names[names.index("USER") :]:
        yield "something is built as the user"
