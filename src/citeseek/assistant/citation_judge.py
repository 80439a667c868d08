"""Language models as judges of the citations that the rules leave unclear."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias

import msgspec

from citeseek.errors import CiteseekError, InvalidInput, ModelFailed
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.language_model.model import Model, check_model, load_model
from citeseek.language_model.model_failures import failure
from citeseek.language_model.model_options import EXTRACTIVE, with_model
from citeseek.language_model.streaming.answer import complete
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import (
    NOBODY,
    THE_MODEL,
    ModelSection,
    VerificationSection,
)
from citeseek.text import plain_line
from citeseek.tools.budget import tokens
from citeseek.tools.fence import new_id, put_in_fence, rule
from citeseek.verification.judgement import Doubt, Opinion, Ruling

Opened: TypeAlias = Callable[[], AbstractAsyncContextManager[Model]]

# Claims of one page in one request, and requests at the same time.
_BATCH = 8
_AT_ONCE = 4
# A model that goes on for longer is not listened to any further.
_CHARS_AROUND, _CHARS_A_CLAIM = 1_000, 1_500
_YES_OR_NO_CHARS = 2_000
# MiniCheck (Tang, Laban, Durrett: MiniCheck: Efficient Fact-Checking of LLMs on Grounding
# Documents, 2024) and what is made from it answer Yes or No to a document and a claim.
_YES_OR_NO = re.compile("minicheck", re.IGNORECASE)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)


class JudgeBounds(msgspec.Struct, frozen=True):
    """How much a judge is asked about one answer, and how long it is waited for."""

    claims: int
    tokens: int
    seconds: float

    @classmethod
    def of(cls, settings: Settings) -> JudgeBounds:
        """Return those of ``settings``."""
        chosen = settings.verification
        return cls(chosen.max_claims, chosen.max_tokens, chosen.seconds)

    def within(self, doubts: Sequence[Doubt]) -> Iterator[Doubt]:
        """Yield the first of ``doubts``, as many as a judge may be asked about."""
        left = self.tokens
        for doubt in doubts[: self.claims]:
            left -= tokens(f"{doubt.claim}{doubt.sentence}{''.join(doubt.passages)}")
            if left < 0:
                return
            yield doubt


class ModelJudge:
    """The model ``name`` as a judge; ``opened`` gives it when there is something to ask.

    Its failures are in its rulings: one that fails leaves everything as it was.
    """

    def __init__(
        self,
        name: str,
        bounds: JudgeBounds,
        opened: Opened,
    ) -> None:
        self.name = name
        self._bounds = bounds
        self._opened = opened
        self._fence = new_id()

    async def rule(self, doubts: Sequence[Doubt]) -> Ruling:
        """Say what the model says of ``doubts``, those of one page together."""
        chosen = list(self._bounds.within(doubts))
        found: dict[int, Opinion] = {}
        failures: list[CiteseekError] = []
        try:
            async with asyncio.timeout(self._bounds.seconds), self._opened() as model:
                free = asyncio.Semaphore(_AT_ONCE)

                async def ask(batch: Sequence[Doubt]) -> None:
                    try:
                        async with free:
                            found.update(await self._opinions(model, batch))
                    except ModelFailed as error:
                        failures.append(error)

                async with asyncio.TaskGroup() as group:
                    for batch in self._batches(chosen):
                        group.create_task(ask(batch))
        except TimeoutError:
            failures.append(failure("timeout", seconds=self._bounds.seconds))
        except CiteseekError as error:
            failures.append(error)
        return Ruling(
            opinions=found,
            asked=len(chosen),
            failure=Failure.of(failures[0]) if failures else None,
        )

    @property
    def _is_yes_or_no(self) -> bool:
        return _YES_OR_NO.search(self.name) is not None

    def _batches(self, doubts: Sequence[Doubt]) -> Iterator[Sequence[Doubt]]:
        size = 1 if self._is_yes_or_no else _BATCH
        by_page = sorted(doubts, key=lambda doubt: doubt.number)
        for _, page in groupby(by_page, key=lambda doubt: doubt.number):
            of_page = list(page)
            for first in range(0, len(of_page), size):
                yield of_page[first : first + size]

    async def _opinions(self, model: Model, batch: Sequence[Doubt]) -> Mapping[int, Opinion]:
        from langchain_core.messages import (  # noqa: PLC0415 - only with a model
            HumanMessage,
            SystemMessage,
        )

        if self._is_yes_or_no:
            (doubt,) = batch
            document = "\n".join(doubt.passages)
            asked = f"Document: {document}\nClaim: {plain_line(doubt.claim)}"
            said = await complete(model, [HumanMessage(asked)], _YES_OR_NO_CHARS)
            return {doubt.place: Opinion("supported" if _YES.match(said) else "unclear")}
        say = catalogue(language_of("\n".join(doubt.claim for doubt in batch)))
        told = [
            SystemMessage(say("prompt.judge", rule=rule(say))),
            HumanMessage(self._question(batch, say)),
        ]
        said = await complete(model, told, _CHARS_AROUND + _CHARS_A_CLAIM * len(batch))
        answers = _answers(said)
        if answers is None:
            raise failure("garbage")
        return {
            doubt.place: answers[at] for at, doubt in enumerate(batch, start=1) if at in answers
        }

    def _question(self, batch: Sequence[Doubt], say: Catalogue) -> str:
        passages = dict.fromkeys(passage for doubt in batch for passage in doubt.passages)
        claims = [
            {"id": at, "claim": doubt.claim}
            | ({} if doubt.claim in doubt.sentence[: len(doubt.claim)] else {"of": doubt.sentence})
            for at, doubt in enumerate(batch, start=1)
        ]
        listed = json.dumps(claims, ensure_ascii=False)
        told = (say("prompt.passages"), *passages, say("prompt.claims"), listed)
        return put_in_fence("\n\n".join(told), self._fence)


def another_judge(settings: Settings) -> str | None:
    """Return the name of the judge that is another model than the one that answers, if any."""
    name = settings.verification.judge
    return None if name.casefold() in {NOBODY, THE_MODEL, EXTRACTIVE} else name


def load_judge(settings: Settings, name: str) -> Model:
    """Return the model ``name`` with the address and the key of the judge; nothing is sent.

    Raise ModelFailed as :func:`load_model` does, InvalidInput for an address that cannot be used.
    """
    return load_model(_with_judge(settings, name), name)


def judge_of(
    settings: Settings,
    answering: str,
    opened: Opened,
    loaded: Callable[[str], Opened] | None = None,
) -> ModelJudge | None:
    """Return the judge that ``settings`` name, None when they name none.

    ``answering`` is the name of the model that answers, which ``opened`` gives; ``loaded`` gives
    others, by default as the settings say. The built-in one only quotes and judges nothing. Nothing
    is loaded or sent before the judge is asked.
    """
    name = settings.verification.judge
    if name.casefold() == THE_MODEL:
        name = answering
    else:
        opened = loaded(name) if loaded else partial(_open, partial(load_judge, settings, name))
    if name.casefold() in {NOBODY, EXTRACTIVE}:
        return None
    return ModelJudge(name, JudgeBounds.of(settings), opened)


def settings_judge(settings: Settings) -> ModelJudge | None:
    """Return the judge that ``settings`` name where no model is at work that could be it."""
    return judge_of(settings, settings.model.name, partial(_open, partial(load_model, settings)))


async def check_judge(settings: Settings) -> None:
    """Raise InvalidInput where ``settings`` name a judge of which nobody knows what it is.

    Nothing is sent: so it is told before any page is read.
    """
    if name := another_judge(settings):
        try:
            await check_model(_with_judge(settings, name), name)
        except InvalidInput as error:
            raise InvalidInput(
                f"The judge of citations (CITESEEK_JUDGE): {error.message}", hint=error.hint
            ) from None


@asynccontextmanager
async def _open(load: Callable[[], Model]) -> AsyncIterator[Model]:
    # The libraries take seconds to be loaded.
    model = await asyncio.to_thread(load)
    try:
        yield model
    finally:
        await model.close()


def _with_judge(settings: Settings, name: str) -> Settings:
    """Return ``settings`` in which the model's address and key are those of the judge ``name``.

    A key goes to the address that it was given for, and to no other. Raise InvalidInput for an
    address that cannot be used.
    """
    own, model = settings.verification, settings.model
    address = settings.get(VerificationSection.judge_base_url).required()
    key = own.judge_api_key
    if not address and name.partition(":")[0] == model.name.partition(":")[0]:
        address = settings.get(ModelSection.base_url).required()
        key = key or model.api_key
    return with_model(settings, base_url=address, api_key=key, timeout_seconds=own.seconds)


def _answers(said: str) -> dict[int, Opinion] | None:
    """Return the opinions in a model's words by their ids, None when they cannot be read."""
    found = _json_in(said)
    if isinstance(found, dict):
        listed = next((each for each in found.values() if isinstance(each, list)), [found])
    elif isinstance(found, list):
        listed = found
    else:
        return None
    answers: dict[int, Opinion] = {}
    for each in listed:
        read = _answer(each)
        if read:
            # Of two answers to one claim the first counts.
            answers.setdefault(*read)
    return answers


def _json_in(said: str) -> Any:
    """Return the first list or object in ``said``, in whatever it is wrapped, None without one."""
    begin = min((at for sign in "[{" if (at := said.find(sign)) >= 0), default=-1)
    if begin < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(said[begin:])[0]
    except (ValueError, RecursionError):
        return None


def _answer(told: Any) -> tuple[int, Opinion] | None:
    if not isinstance(told, dict):
        return None
    id_, verdict, quote = (told.get(name) for name in ("id", "verdict", "quote"))
    if not re.fullmatch(r"\d{1,6}", str(id_)):
        return None
    match str(verdict).strip().casefold(), quote:
        case ("supported" | "contradicted") as given, str() if quote.strip():
            return int(str(id_)), Opinion(given, quote)
    return int(str(id_)), Opinion("unclear")
