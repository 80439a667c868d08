"""The marks of chat templates that stand in the text where a server does not read them itself.

A row is what a family of models writes. What is written there is told apart by
:mod:`citeseek.language_model.streaming.segments`, and calls are read by
:mod:`citeseek.language_model.streaming.written_calls`.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"

_TO = r"(?:\s+to=(?P<{}>[\w.:-]+))?"
# What a header says: of whose message it is, of which kind, and to which tool.
HEADER = re.compile(
    rf"(?:{re.escape(START)}(?P<role>[\w.:-]*){_TO.format('first')}\s*)?"
    rf"(?:{re.escape(CHANNEL)}\s*(?P<channel>\w+){_TO.format('second')}"
    rf"\s*(?:<\|constrain\|>)?\s*\w*\s*)?{re.escape(MESSAGE)}"
)


class Template(msgspec.Struct, frozen=True):
    """What stands between ``opening`` and one of ``closing``, or the end where none comes.

    A ``header`` says of what follows it whether it is thinking, a call or the answer.
    """

    kind: Literal["thinking", "call", "header"]
    opening: str
    closing: tuple[str, ...] = ()


_TEMPLATES = (
    # DeepSeek, Qwen, others; Seed; LongCat; Mistral; Kimi; Cohere; Sky-T1; Apertus; Gemma 4.
    *(
        Template("thinking", f"<{name}>", (f"</{name}>",))
        for name in (
            *("think", "thinking", "thought", "thoughts", "reasoning", "reflection"),
            *("scratchpad", "antthinking", "inner_monologue", "seed:think", "longcat_think"),
        )
    ),
    Template("thinking", "[THINK]", ("[/THINK]",)),
    Template("thinking", "◁think▷", ("◁/think▷",)),
    Template("thinking", "<|START_THINKING|>", ("<|END_THINKING|>",)),
    Template("thinking", "<|begin_of_thought|>", ("<|end_of_thought|>",)),
    Template("thinking", "<|think_start|>", ("<|think_end|>",)),
    Template("thinking", "<|inner_prefix|>", ("<|inner_suffix|>",)),
    Template("thinking", "<|channel>thought", ("<channel|>",)),
    # gpt-oss (harmony).
    Template("header", START, (MESSAGE,)),
    Template("header", CHANNEL, (MESSAGE,)),
    # Hermes, Qwen, GLM; Seed; MiniMax; LongCat; Nemotron; Grok; what imitates Anthropic's.
    *(
        Template("call", f"<{name}>", (f"</{name}>",))
        for name in (
            *("tool_call", "tool_calls", "toolcall", "tools", "tool_use", "use_tool"),
            *("function_call", "function_calls", "seed:tool_call", "minimax:tool_call"),
            *("longcat_tool_call", "｜DSML｜function_calls"),
        )
    ),
    Template("call", "<tool_call name=", ("</tool_call>",)),
    Template("call", "<xai:function_call name=", ("</xai:function_call>",)),
    Template("call", "<function=", ("</function>",)),
    Template("call", "<function name=", ("</function>",)),
    Template("call", "<invoke name=", ("</invoke>",)),
    # Llama 3 and 4; Gemma, in Python; FunctionGemma; Gemma 4; LFM2.
    Template("call", "<|python_tag|>", ("<|eom_id|>", "<|eot_id|>")),
    Template("call", "<|python_start|>", ("<|python_end|>",)),
    Template("call", "<tool_code>", ("</tool_code>",)),
    Template("call", "```tool_code", ("```",)),
    Template("call", "<start_function_call>", ("<end_function_call>",)),
    Template("call", "<|tool_call>", ("<tool_call|>",)),
    Template("call", "<|tool_call_start|>", ("<|tool_call_end|>",)),
    # Mistral; Granite and Phi; DeepSeek; Step; Kimi; Cohere; InternLM; Apertus.
    Template("call", "[TOOL_CALLS]", ("</s>",)),
    Template("call", "<|tool_call|>", ("<|/tool_call|>",)),
    Template("call", "<｜tool▁calls▁begin｜>", ("<｜tool▁calls▁end｜>",)),
    Template("call", "<｜tool▁call▁begin｜>", ("<｜tool▁call▁end｜>",)),
    Template("call", "<｜tool_calls_begin｜>", ("<｜tool_calls_end｜>",)),
    Template("call", "<|tool_calls_section_begin|>", ("<|tool_calls_section_end|>",)),
    Template("call", "<|tool_call_begin|>", ("<|tool_call_end|>",)),
    Template("call", "<|START_ACTION|>", ("<|END_ACTION|>",)),
    Template("call", "<|action_start|><|plugin|>", ("<|action_end|>",)),
    Template("call", "<|tools_prefix|>", ("<|tools_suffix|>",)),
)
# What ends a message, or begins nothing but an answer.
_ENDS = (
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|im_end|>",
    "<|eot|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
)
# What says who speaks, or where: it says nothing to a reader.
_NOISE = (
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|assistant|>",
    "<｜Assistant｜>",
    "<｜begin▁of▁sentence｜>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|begin_of_box|>",
    "<|end_of_box|>",
    "[e~[",
)
# Behind its thinking a model may put its whole answer between such tags.
_WRAPPERS = ("answer", "response", "output", "final_answer")
# A search by the name that a model was trained with: Llama's, and that of gpt-oss.
TRAINED_NAMES = {"brave_search": "web_search", "browser_search": "web_search"}


OPENINGS = {template.opening.lower(): template for template in _TEMPLATES}
ENDS_OF_THINKING = {
    mark.lower() for each in _TEMPLATES if each.kind == "thinking" for mark in each.closing
}
ENDS_OF_MESSAGES = {mark.lower() for mark in _ENDS}
WRAPPINGS = {f"<{name}>": f"</{name}>" for name in _WRAPPERS}
_CLOSINGS = {mark.lower() for each in _TEMPLATES for mark in each.closing}
_NAMED_MARKS = {
    *OPENINGS,
    *ENDS_OF_MESSAGES,
    *map(str.lower, _NOISE),
    *WRAPPINGS,
    *WRAPPINGS.values(),
}
# A fence is no mark but where it ends a call.
_MARKS = sorted({*_NAMED_MARKS, *_CLOSINGS} - {"```"}, key=len, reverse=True)
MARK = re.compile("|".join(map(re.escape, _MARKS)), re.IGNORECASE)
_BEGINNINGS = {mark[:size] for mark in _MARKS for size in range(1, len(mark))}
_LONGEST = max(map(len, _MARKS))
_FIRST = re.compile(f"[{re.escape(''.join({mark[0] for mark in _MARKS}))}]")
ENDS_OF_CALLS = {
    opening: re.compile(
        "|".join(map(re.escape, (template.opening, *template.closing))), re.IGNORECASE
    )
    for opening, template in OPENINGS.items()
    if template.kind == "call"
}


def begun_mark(text: str, at: int) -> int:
    """Return where a mark may begin that is cut off, the end of ``text`` when none does."""
    window = max(at, len(text) - _LONGEST + 1)
    places = (first.start() for first in _FIRST.finditer(text, window))
    return next((place for place in places if text[place:].lower() in _BEGINNINGS), len(text))
