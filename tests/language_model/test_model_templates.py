"""Thinking and calls that a server left in the text, in the words of each chat template."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.assistant.agent_runs import address, bench, heard
from tests.assistant.chatting import all_of, chatting, done
from tests.loopback.models import Thought

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Notice
from citeseek.language_model.streaming.segments import Splitter

START, FINAL = "<|start|>assistant", "<|start|>assistant<|channel|>final<|message|>"
ANALYSIS, RESPONSE = "<|channel|>analysis<|message|>", "<|START_RESPONSE|>"
TOOL = "<|start|>functions.web_search to=assistant<|channel|>commentary<|message|>"
CALL = '{"name": "web_search", "arguments": {"query": "green tea"}}'
LLAMA = '{"name": "web_search", "parameters": {"query": "green tea"}}'
QUERY = '{"query": "green tea"}'
CODER = "<function=web_search>\n<parameter=query>\ngreen tea\n</parameter>\n</function>"
CALLS = {
    "hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "hermes, unclosed": f"<tool_call>\n{CALL}",
    "hermes, a brace too few": f"<tool_call>{CALL[:-1]}</tool_call>",
    "hermes, a brace too many": f"<tool_call>{CALL}}}</tool_call>",
    "arguments as text": f"<tool_call>{json.dumps({'name': 'web_search', 'arguments': QUERY})}",
    "qwen3-coder": f"<tool_call>\n{CODER}\n</tool_call>",
    "qwen3-coder, bare": CODER,
    "llama 3.1": f"<function=web_search>{QUERY}</function>",
    "llama": f"<|python_tag|>{LLAMA}<|eom_id|>",
    "llama, bare": LLAMA,
    "llama, with a type": LLAMA.replace("{", '{"type": "function", ', 1),
    "bare, closed": f"{CALL}\n</tool_call>",
    "bare, a list": f"[{CALL}]",
    "mistral": f"[TOOL_CALLS][{CALL}]",
    "mistral, spaced": f"[TOOL_CALLS] [{CALL}]</s>",
    "mistral, new": f"[TOOL_CALLS]web_search[ARGS]{QUERY}",
    "granite": f"<|tool_call|>[{CALL}]",
    "phi": f"<|tool_call|>[{CALL}]<|/tool_call|>",
    "glm": "<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value>green tea</arg_value>\n"
    "</tool_call>",
    "deepseek r1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>web_search\n"
    f"```json\n{QUERY}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek v3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>web_search<｜tool▁sep｜>"
    f"{QUERY}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.web_search:0"
    f"<|tool_call_argument_begin|>{QUERY}<|tool_call_end|><|tool_calls_section_end|>",
    "cohere": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "web_search", '
    f'"parameters": {QUERY}}}]<|END_ACTION|>',
    "minimax": '<minimax:tool_call>\n<invoke name="web_search">\n'
    '<parameter name="query">green tea</parameter>\n</invoke>\n</minimax:tool_call>',
    "gpt-oss": "<|channel|>commentary to=functions.web_search <|constrain|>json"
    f"<|message|>{QUERY}<|call|>",
    "hermes, a list of them": f"<tool_calls>[{CALL}]</tool_calls>",
    "hermes, its tools": f"<tools>\n{CALL}\n</tools>",
    "hermes, a name before": f"<tool_call>\nweb_search\n{QUERY}\n</tool_call>",
    "hermes, an attribute": f'<tool_call name="web_search">{QUERY}</tool_call>',
    "hermes, in python": "<tool_call>\nweb_search(query='green tea')\n</tool_call>",
    "hermes, a dict": "<tool_call>{'name': 'web_search', 'arguments': {'query': 'green tea'}}"
    "</tool_call>",
    "nemotron": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "longcat": f"<longcat_tool_call>{CALL}</longcat_tool_call>",
    "qwen3-coder, few ends": "<tool_call>\n<function=web_search>\n<parameter=query>\ngreen tea\n"
    "</function>\n</tool_call>",
    "function with a name": f'<function name="web_search">{QUERY}</function>',
    "invoke": '<invoke name="web_search">\n<parameter name="query">green tea</parameter>\n'
    "</invoke>",
    "minimax, other quotes": "<minimax:tool_call><invoke name='web_search'>"
    "<parameter name='query'>green tea</parameter></invoke></minimax:tool_call>",
    "grok": '<xai:function_call name="web_search">\n<parameter name="query">green tea</parameter>\n'
    "</xai:function_call>",
    "deepseek v3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="web_search">\n'
    '<｜DSML｜parameter name="query" string="true">green tea</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "deepseek, no section": "<｜tool▁call▁begin｜>web_search<｜tool▁sep｜>"
    f"{QUERY}<｜tool▁call▁end｜>",
    "step": "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
    '<steptml:invoke name="web_search"><steptml:parameter name="query">green tea'
    "</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
    "kimi, no section": "<|tool_call_begin|>functions.web_search:0<|tool_call_argument_begin|>"
    f"{QUERY}<|tool_call_end|>",
    "mistral, with an id": f"[TOOL_CALLS]web_search[CALL_ID]abcdefghi[ARGS]{QUERY}",
    "llama, its own search": '<|python_tag|>brave_search.call(query="green tea")',
    "llama, a method": '<|python_tag|>web_search.call(query="green tea")<|eom_id|>',
    "llama 4": '<|python_start|>[web_search(query="green tea")]<|python_end|>',
    "llama 3.2, bare": '[web_search(query="green tea")]',
    "gemma": '```tool_code\nweb_search(query="green tea")\n```',
    "gemma, printed": "```tool_code\nprint(web_search(query='green tea'))\n```",
    "gemma, in a tag": '<tool_code>\nprint(web_search(query="green tea"))\n</tool_code>',
    "gemma 4": '<|tool_call>call:web_search{query:<|"|>green tea<|"|>}<tool_call|>',
    "functiongemma": "<start_function_call>call:web_search{query:<escape>green tea<escape>}"
    "<end_function_call>",
    "lfm2": '<|tool_call_start|>[web_search(query="green tea")]<|tool_call_end|>',
    "lfm2, json": f"<|tool_call_start|>[{CALL}]<|tool_call_end|>",
    "olmo": '<function_calls>\nweb_search(query="green tea")\n</function_calls>',
    "phi-4-mini, bare": f"functools[{CALL}]",
    "internlm": f"<|action_start|><|plugin|>\n{CALL}<|action_end|>",
    "apertus": f'<|tools_prefix|>[{{"web_search": {QUERY}}}]<|tools_suffix|>',
    "bare, in a fence": f"```json\n{CALL}\n```",
    "bare, arguments first": f'{{"arguments": {QUERY}, "name": "web_search"}}',
    "bare, as the server has it": json.dumps(
        {"id": "call_1", "type": "function", "function": {"name": "web_search", "arguments": QUERY}}
    ),
    "bare, as a message has it": f'{{"tool_calls": [{CALL}]}}',
    "gpt-oss, its own search": f"<|channel|>commentary to=browser.search<|message|>{QUERY}<|call|>",
    "gpt-oss, to the role": f"{START} to=functions.web_search<|channel|>commentary json"
    f"<|message|>{QUERY}<|call|>",
}
# What is said, what is thought, what is answered; ``None`` for what it was all along.
THOUGHTS = {
    "gpt-oss": (f"{ANALYSIS}secret [2]<|end|>{FINAL}Steamed [1].", "secret [2]"),
    "no end": (f"{ANALYSIS}secret [2]{FINAL}Steamed [1].<|return|>", "secret [2]"),
    "opening in the prompt": (f"secret [2]<|end|>{FINAL}Steamed [1].", "secret [2]"),
    "commentary": (f"<|channel|>commentary<|message|>secret<|end|>{FINAL}Steamed [1].", "secret"),
    "quotation": (f'{ANALYSIS}Say "tea"<|end|>{FINAL}Steamed [1].', 'Say "tea"'),
    "backtick": (f"{ANALYSIS}`a lone one<|end|>{FINAL}Steamed [1].", "`a lone one"),
    "a tool's words": (
        f"{ANALYSIS}a<|end|>{TOOL}b<|end|>{FINAL}Steamed [1].",
        "ab",
    ),
    "mistral": ("[THINK]secret [2][/THINK]Steamed [1].", "secret [2]"),
    "kimi": ("◁think▷secret [2]◁/think▷Steamed [1].", "secret [2]"),
    "seed": ("<seed:think>secret [2]</seed:think>Steamed [1].", "secret [2]"),
    "cohere": (
        f"<|START_THINKING|>secret [2]<|END_THINKING|>{RESPONSE}Steamed [1].<|END_RESPONSE|>",
        "secret [2]",
    ),
    "longcat": ("<longcat_think>secret [2]</longcat_think>Steamed [1].", "secret [2]"),
    "sky-t1": (
        "<|begin_of_thought|>secret [2]<|end_of_thought|><|begin_of_solution|>Steamed [1].",
        "secret [2]",
    ),
    "apertus": ("<|inner_prefix|>secret [2]<|inner_suffix|>Steamed [1].", "secret [2]"),
    "gemma 4": ("<|channel>thoughtsecret [2]<channel|>Steamed [1].", "secret [2]"),
    "hunyuan": ("<think>secret [2]</think><answer>\nSteamed [1].</answer>", "secret [2]"),
    "glm": ("<think>secret [2]</think><|begin_of_box|>Steamed [1].<|end_of_box|>", "secret [2]"),
    "its role": ("<|im_start|>assistant\nSteamed [1].<|im_end|>", ""),
    "end of a turn": ("Steamed [1].<end_of_turn>", ""),
    "end of a message": ("Steamed [1].<|im_end|>", ""),
    "end of a header": ("Steamed [1].<|end|><|start|>assis", ""),
}
# About marks, not with them.
TALK = [
    f"Hermes writes `{CALLS['hermes']}` itself.",
    f"```\n{CALLS['hermes']}\n{ANALYSIS}x<|end|>\n[TOOL_CALLS][{CALL}]\n```\nThat is it.",
    f"~~~\n{FINAL}\n~~~",
    "The <tool_call> tag begins it, and </tool_call> ends it.",
    "Wrap it in <tool_call>{json}</tool_call>, please.",
    "Mistral puts [TOOL_CALLS] before its calls.",
    "In harmony, the <|channel|> token stands before <|message|> each time.",
    "It begins with “<|start|>”.",
    "[1] and [T] and <t and <| and ◁",
    '{"name": "green tea", "parameters": {"query": 1}}',
    '{"name": "web_search", "description": "Search.", "parameters": {"type": "object"}}',
    f"{CALL} is how it would look.",
    "a\n\n[TOOL",
    "In a form, <answer>yes</answer> is one.",
    "```tool_code\nprint(1 + 2)\n```\nprints 3.",
    '```json\n{"name": "green tea"}\n```',
    f"```json\n{CALL}\n```\nis how it looks.",
    "web_search(query) is a function.",
    '[other(query="green tea")]',
    "The tags are\n<tools>\nand\n</tools>, of no use.",
]


def split(pieces: list[str]) -> tuple[str, str, list[tuple[str, Any]]]:
    """Return the answer, the thinking, and each call with its arguments."""
    splitter = Splitter(tools=["web_search", "web_fetch"])
    answer = thinking = ""
    calls = []
    for segment in [*(s for piece in pieces for s in splitter.feed(piece)), *splitter.finish()]:
        if segment.kind == "was_thinking":
            thinking, answer = thinking + answer, ""
        elif segment.kind == "call":
            calls += [(call.name, json.loads(call.arguments)) for call in segment.calls] or [
                ("", None)
            ]
        elif segment.kind == "thinking":
            thinking += segment.text
        else:
            answer += segment.text
    return answer, thinking, calls


def cuts(text: str) -> list[list[str]]:
    return [[text], list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]


@pytest.mark.parametrize("name", CALLS)
def test_a_written_call_is_a_call(name: str) -> None:
    for pieces in cuts(CALLS[name]):
        answer, thinking, calls = split(pieces)
        assert calls == [("web_search", {"query": "green tea"})]
        assert (answer.strip(), thinking) == ("", "")


@pytest.mark.parametrize("name", [name for name in CALLS if "bare" not in name and "," not in name])
def test_a_written_call_in_the_thinking_is_a_call(name: str) -> None:
    text = f"<think>I look it up. {CALLS[name]}"
    for pieces in cuts(text):
        answer, thinking, calls = split(pieces)
        assert calls == [("web_search", {"query": "green tea"})]
        assert (answer, thinking.strip()) == ("", "I look it up.")


def test_calls_may_follow_each_other_and_a_remark() -> None:
    second = CALL.replace("green", "black")
    for both in (
        f"<tool_call>{CALL}</tool_call>\n<tool_call>{second}</tool_call>",
        f"<tool_call>{CALL}\n<tool_call>{second}",
        f"[TOOL_CALLS][{CALL}, {second}]",
        f"<|python_tag|>{CALL}; {second}",
    ):
        answer, _, calls = split(list(f"Let me search: {both}"))
        assert answer.strip() == "Let me search:"
        assert [given["query"] for _, given in calls] == ["green tea", "black tea"]


def test_a_call_that_cannot_be_read_is_one_all_the_same() -> None:
    for broken in (
        '<tool_call>{"arguments": {"query": "tea"}}</tool_call>',
        "[TOOL_CALLS]{'name'",
        '<|python_tag|>web_search("tea")',
    ):
        assert split(list(f"{broken}"))[::2] == ("", [("", None)])


def test_arguments_that_break_off_are_no_other_query() -> None:
    text = '<tool_call>{"name": "web_search", "arguments": {"query": "green te'
    assert split(list(text)) == ("", "", [("web_search", {})])


def test_python_is_read_as_python_means_it() -> None:
    text = (
        r"""<|python_tag|>web_search(query='it\'s "green" \d', n=3, new=True, no=None, a=['b'])"""
    )
    expected = {"query": 'it\'s "green" \\d', "n": 3, "new": True, "no": None, "a": ["b"]}
    assert split([text])[2] == [("web_search", expected)]


@pytest.mark.parametrize("name", THOUGHTS)
def test_thinking_of_each_template_is_no_answer(name: str) -> None:
    text, thinking = THOUGHTS[name]
    for pieces in cuts(text):
        assert split(pieces) == ("Steamed [1].", thinking, [])


@pytest.mark.parametrize("text", TALK)
def test_what_only_speaks_of_marks_is_text(text: str) -> None:
    for pieces in cuts(text):
        assert split(pieces) == (text, "", [])


@pytest.mark.release
def test_reading_costs_what_the_text_is_long() -> None:
    """However it comes, and whatever it may become: the work is counted, not timed."""
    for sign in ("<tool_call>{", "`", "<", "[", "<|start|>a", "\n", "<think>", "{"):
        passes = []
        for size in (2_000, 4_000):
            splitter = Counting(tools=["web_search"])
            for char in (sign * size)[:size]:
                splitter.feed(char)
            splitter.finish()
            passes.append(splitter.read)
        assert passes[1] < 2.5 * passes[0] + 10_000, sign


class Counting(Splitter):
    """Counts the characters that it looks at, each as often as it does."""

    read = 0

    def _split(self, text: str, *, is_last: bool) -> Any:
        self.read += len(text)
        return super()._split(text, is_last=is_last)


@pytest.mark.parametrize("chunk", [0, 1])
@pytest.mark.parametrize("name", ["hermes", "mistral", "llama, bare", "gpt-oss"])
async def test_d_a_written_call_searches_in_agent_mode(name: str, chunk: int) -> None:
    with bench() as at:
        at.model.says(CALLS[name].replace("green tea", "tea"), chunk=chunk)
        at.model.says("Steamed [1].")
        async with Assistant(at.load) as assistant:
            conversation = await assistant.open(mode="agent")
            answer = await heard(conversation.stream("tea?"))
    assert at.queries == ["tea"]
    assert answer.done.answer == f"Steamed [[1]]({address('tea', 1)})."
    call, result = at.model.requests[1].messages[-2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] != ""
    assert not call["content"]


async def test_d_a_written_call_in_separate_thinking_searches() -> None:
    with bench() as at:
        at.model.says(Thought(f"I look. {CALLS['hermes']}"), chunk=1)
        at.model.says("Steamed [1].")
        async with Assistant(at.load) as assistant:
            conversation = await assistant.open(mode="agent")
            answer = await heard(conversation.stream("tea?"))
    assert at.queries == ["green tea"]
    assert answer.done.thinking.strip() == "I look."


async def test_d_a_call_that_cannot_be_read_is_told() -> None:
    with bench() as at:
        at.model.says("Tea. <tool_call>{'name': web_search}</tool_call>")
        async with Assistant(at.load) as assistant:
            conversation = await assistant.open(mode="agent")
            answer = await heard(conversation.stream("tea?"))
    assert answer.done.answer.strip() == "Tea."
    assert "cut_tool_call" in [each.code for each in answer.of(Notice)]


async def test_d_a_written_call_in_chat_mode_is_told() -> None:
    async with chatting() as chat:
        chat.model.says(f"Steamed [1]. {CALLS['hermes']}", chunk=1)
        chat.model.says(CALLS["hermes"])
        answered, failed = await chat.say("tea"), await chat.say("tea")
    for events in (answered, failed):
        assert "tool_call>" not in done(events).text
    assert "cut_tool_call" in [each.code for each in all_of(answered, Notice)]
    (notice,) = [each for each in failed if isinstance(each, Notice) and each.code == "model"]
    assert notice.values["detail_code"] == "tool_call"
