"""The settings of the check of citations: who judges, and what an answer waits for."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, number, secret, web_address, whole, word

Gate: TypeAlias = Literal["off", "mark", "hold"]

GATES: tuple[Gate, ...] = get_args(Gate)
NOBODY = "off"
THE_MODEL = "model"


class VerificationSection(Section):
    """The settings of the check of citations."""

    prefix = "verification"

    judge = Setting(
        config=("verification.judge",),
        env=("CITESEEK_JUDGE",),
        read=word,
        default=NOBODY,
        meaning="Who is asked about citations that the rules leave unclear: model, the one that "
        "answers, or another one as provider:name, such as ollama:bespoke-minicheck; off: nobody.",
    )
    judge_base_url = Setting(
        config=("verification.judge_base_url",),
        env=("CITESEEK_JUDGE_BASE_URL",),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the judge's server; none: that of the model where both are of one "
        "provider, else the provider's own.",
    )
    judge_api_key = Setting(
        config=("verification.judge_api_key",),
        env=("CITESEEK_JUDGE_API_KEY",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Key of the judge; none: likewise, but never the model's key at another address.",
    )
    max_claims = Setting(
        config=("verification.max_claims",),
        env=("CITESEEK_JUDGE_MAX_CLAIMS",),
        read=whole(1, 200),
        default=20,
        meaning="Most citations of one answer that the judge is asked about, 1 to 200.",
    )
    max_tokens = Setting(
        config=("verification.max_tokens",),
        env=("CITESEEK_JUDGE_MAX_TOKENS",),
        read=whole(500, 200_000),
        default=12_000,
        meaning="Most tokens of claims and passages that the judge is sent for one answer, 500 to "
        "200000 (an estimate).",
    )
    seconds = Setting(
        config=("verification.seconds",),
        env=("CITESEEK_JUDGE_SECONDS",),
        read=number(1, 300),
        default=30.0,
        meaning="Longest wait for the judge of one answer in seconds, 1 to 300; what it did not "
        "answer by then stays unclear.",
    )


class AnswerSection(Section):
    """The settings of what is done with an answer while it streams."""

    prefix = "answer"

    gate = Setting(
        config=("answer.gate",),
        env=("CITESEEK_GATE",),
        read=choice(*GATES),
        default=GATES[0],
        meaning="Whether each sentence that cites is compared with what was read as soon as it is "
        "whole. mark: its verdict is told beside it; hold: it waits for its verdict, and one that "
        "a page contradicts is put right by the model or struck through; off: neither.",
    )
