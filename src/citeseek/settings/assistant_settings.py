"""The settings of the model, of the answers that it gives, and of the check of their citations."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, flag, number, secret, web_address, whole, word

Gate: TypeAlias = Literal["off", "mark", "hold"]
GATES: tuple[Gate, ...] = get_args(Gate)
NOBODY = "off"
THE_MODEL = "model"


class ModelSection(Section):
    """The settings of the model."""

    prefix = "model"

    name = Setting(
        config=("assistant.model.name",),
        env=("CITESEEK_MODEL",),
        read=word,
        default="extractive",
        meaning="Model as provider:name, such as openai:gpt-5-mini or ollama:qwen3; "
        "extractive: the built-in one, which quotes the results.",
    )
    base_url = Setting(
        config=("assistant.model.base_url",),
        env=("CITESEEK_MODEL_BASE_URL",),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the model's server, for any OpenAI-compatible one or a remote Ollama.",
    )
    api_key = Setting(
        config=("assistant.model.api_key",),
        env=("CITESEEK_MODEL_API_KEY",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Key of the model; none: the provider's own variable, such as OPENAI_API_KEY.",
    )
    seconds = Setting(
        config=("assistant.model.timeout_seconds",),
        env=("CITESEEK_MODEL_TIMEOUT",),
        read=number(1, 600),
        default=60.0,
        meaning="Longest wait for the model's next piece of text in seconds, 1 to 600.",
    )
    total_seconds = Setting(
        config=("assistant.model.total_seconds",),
        env=("CITESEEK_MODEL_TOTAL_SECONDS",),
        read=number(1, 3_600),
        default=600.0,
        meaning="Longest answer of the model in seconds, 1 to 3600; what is longer is cut.",
    )
    max_chars = Setting(
        config=("assistant.model.max_chars",),
        env=("CITESEEK_MODEL_MAX_CHARS",),
        read=whole(100, 2_000_000),
        default=200_000,
        meaning="Most characters of one answer of the model, its thinking included, 100 to "
        "2000000; what is longer is cut. Where it is set the model's server is told it as well.",
    )
    temperature = Setting(
        config=("assistant.model.temperature",),
        env=("CITESEEK_MODEL_TEMPERATURE",),
        read=number(0, 2),
        default=None,
        meaning="Temperature, 0 to 2; none: the model's own.",
    )
    price_in = Setting(
        config=("assistant.model.price_in",),
        env=("CITESEEK_MODEL_PRICE_IN",),
        read=number(0, 100_000),
        default=None,
        meaning="What a million tokens that the model reads cost, for the receipts of answers.",
    )
    price_out = Setting(
        config=("assistant.model.price_out",),
        env=("CITESEEK_MODEL_PRICE_OUT",),
        read=number(0, 100_000),
        default=None,
        meaning="What a million tokens that the model writes cost, likewise.",
    )


class AssistantSection(Section):
    """The settings of answers and conversations."""

    prefix = "assistant"

    max_searches = Setting(
        config=("assistant.max_searches",),
        env=("CITESEEK_MAX_SEARCHES",),
        read=whole(1, 50),
        default=5,
        meaning="Searches that a model may make for one answer in Agent mode, 1 to 50.",
    )
    max_reads = Setting(
        config=("assistant.max_reads",),
        env=("CITESEEK_MAX_READS",),
        read=whole(0, 50),
        default=3,
        meaning="Pages that a model may read for one answer in Agent mode, 0 to 50; 0: it reads "
        "none.",
    )
    call_tokens = Setting(
        config=("assistant.call_tokens",),
        env=("CITESEEK_CALL_TOKENS",),
        read=whole(200, 100_000),
        default=3_000,
        meaning="Most tokens that the results of one search, or one page, take, 200 to 100000 (an "
        "estimate).",
    )
    conversation_tokens = Setting(
        config=("assistant.conversation_tokens",),
        env=("CITESEEK_CONVERSATION_TOKENS",),
        read=whole(1_000, 1_000_000),
        default=24_000,
        meaning="Most tokens of a conversation that the model is given, 1000 to 1000000; the "
        "results that were not cited go first.",
    )
    sessions = Setting(
        config=("assistant.sessions",),
        env=("CITESEEK_SESSIONS",),
        read=word,
        default=None,
        meaning="SQLite file of conversations; none: `sessions.sqlite3` beside config.json.",
    )


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
    follow_ups = Setting(
        config=("answer.follow_ups",),
        env=("CITESEEK_FOLLOW_UPS",),
        read=flag,
        default=False,
        meaning="Whether the page shows questions behind an answer that may be asked next; the "
        "model is asked for them once the answer is there, which costs another call.",
    )
