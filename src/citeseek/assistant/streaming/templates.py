"""The marks of chat templates that stand in the text where a server does not read them itself.

A row is what a family of models writes. What is written there is told apart by
:mod:`citeseek.assistant.streaming.segments`, and calls are read by
:mod:`citeseek.assistant.streaming.written_calls`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"


class Template(msgspec.Struct, frozen=True):
    """What stands between ``opening`` and one of ``closing``, or the end where none comes.

    A ``header`` says of what follows it whether it is thinking, a call or the answer.
    """

    kind: Literal["thinking", "call", "header"]
    opening: str
    closing: tuple[str, ...] = ()


TEMPLATES = (
    # DeepSeek, Qwen and many others; Seed; Mistral; Kimi; Cohere.
    *(
        Template("thinking", f"<{name}>", (f"</{name}>",))
        for name in ("think", "thinking", "thought", "reasoning", "seed:think")
    ),
    Template("thinking", "[THINK]", ("[/THINK]",)),
    Template("thinking", "◁think▷", ("◁/think▷",)),
    Template("thinking", "<|START_THINKING|>", ("<|END_THINKING|>",)),
    # gpt-oss (harmony).
    Template("header", START, (MESSAGE,)),
    Template("header", CHANNEL, (MESSAGE,)),
    # Hermes, Qwen, GLM; Seed; MiniMax; Llama; what imitates Anthropic's.
    *(
        Template("call", f"<{name}>", (f"</{name}>",))
        for name in (
            "tool_call",
            "seed:tool_call",
            "minimax:tool_call",
            "function_call",
            "function_calls",
        )
    ),
    Template("call", "<function=", ("</function>",)),
    Template("call", "<|python_tag|>", ("<|eom_id|>", "<|eot_id|>")),
    # Mistral; Granite and Phi; DeepSeek; Kimi; Cohere.
    Template("call", "[TOOL_CALLS]", ("</s>",)),
    Template("call", "<|tool_call|>", ("<|/tool_call|>",)),
    Template("call", "<｜tool▁calls▁begin｜>", ("<｜tool▁calls▁end｜>",)),
    Template("call", "<|tool_calls_section_begin|>", ("<|tool_calls_section_end|>",)),
    Template("call", "<|START_ACTION|>", ("<|END_ACTION|>",)),
)
# What ends a message, or begins nothing but an answer.
ENDS = (
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<｜end▁of▁sentence｜>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
)
