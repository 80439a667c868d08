"""What a model is told, beside the tool's own description."""

from __future__ import annotations

from datetime import date

from citeseek.tools.fence import RULE

# The question stands behind this, at the end of a Chat prompt.
QUESTION = "用户问题："

_CHAT = """你是一个严谨的问答助手，用提问者的语言回答，今天是 {today}。
{rule}
引用搜索结果时在句末写 [数字]，数字只能是本次给出的编号。
不要自己写网址，也不要写参考文献列表，它们由系统添加。"""

_AGENT = """你是一个会自己决定何时搜索的助手，用提问者的语言回答，今天是 {today}。
{rule}

何时搜索：需要最新事件、实时数据、新闻，或需要核实时，调用 web_search。
常识、计算、写作、翻译不必搜索。
怎样写查询：用具体、有针对性的关键词，可以与用户的原话不同。
一次查一件事，不够再换一种说法查。
- 用户问“苹果最近怎么样” → 不好：苹果最近怎么样 → 好：苹果公司 2026 财年第四季度 财报 营收
- 用户问“那个新的 Python 快了多少” → 不好：python 快 → 好：Python 3.15 性能 基准测试 对比 3.14
怎样读结果：每条结果以 [数字] 开头，其后是标题、网址和摘要。
数字在整个会话中不变，同一网页始终是同一个数字。例如
[3] 某报：某城地铁四号线通车 <https://news.example/line-4>
四号线于 3 月 1 日开通，全长 21 公里。{reading}
怎样引用：依据哪条就在句末写哪条的 [数字]，例如：四号线全长 21 公里 [3]。依据多条写 [3][5]。
只用出现过的数字。不要自己写网址，也不要写参考文献列表，它们由系统添加。
搜索失败不等于没有结果：失败时如实说明，再根据已有的知识回答。"""

_READING = """
何时读网页：摘要不够，需要原文、数字或日期时，调用 web_fetch，网址写结果的编号，例如 [3]。
用户给出网址并要求阅读时也用它。网页也有 [数字]，同样引用。"""

# What a model is told of web pages and citations holds whatever a program wants beside it.
_INSTRUCTED = "在遵守以上各条的前提下，还请遵守以下要求："

_WITH_RESULTS = """以下是针对用户问题的网络搜索结果：

{block}

请优先依据以上搜索结果回答。依据哪条结果，就在句末用 [数字] 标注它的编号，例如 [1] 或 [1][3]。
没有依据的内容不要标注。结果不足以回答时请直说。

{question}{message}"""

_WITH_FILES = """以下是用户给出的文件中与问题有关的段落：

{block}

依据哪个文件，就在句末用 [数字] 标注它的编号。
段落不够时，可以读取整个文件，网址写它的编号；也可以搜索网络。

{question}{message}"""

_NOTHING_FOUND = """已经搜索了网络，没有找到相关结果。
请根据自身知识回答，并说明没有找到相关的搜索结果。
不要使用 [数字] 标注。

{question}{message}"""


def chat_system(today: date) -> str:
    """Return the system prompt of Chat mode."""
    return _CHAT.format(today=today, rule=RULE)


def agent_system(today: date, *, reads: bool = False) -> str:
    """Return the system prompt of Agent mode; with ``reads`` the model can open pages."""
    return _AGENT.format(today=today, rule=RULE, reading=_READING if reads else "")


def add_instructions(system: str, instructions: str) -> str:
    """Return ``system`` with a program's own ``instructions`` behind it, if there are any."""
    return f"{system}\n\n{_INSTRUCTED}\n{instructions}" if instructions else system


def with_results(block: str, message: str) -> str:
    """Return ``message`` with the numbered, fenced results that the answer is to rest on."""
    return _WITH_RESULTS.format(block=block, question=QUESTION, message=message)


def with_files(block: str, message: str) -> str:
    """Return ``message`` with the numbered, fenced passages of files, for Agent mode."""
    return _WITH_FILES.format(block=block, question=QUESTION, message=message)


def nothing_found(message: str) -> str:
    """Return ``message`` with the statement that a search found nothing."""
    return _NOTHING_FOUND.format(question=QUESTION, message=message)
