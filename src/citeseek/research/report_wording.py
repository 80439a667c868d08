"""The fixed words of a report, in the language of its question."""

from __future__ import annotations

import re

import msgspec


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """The fixed words of a report in one language; ``lang`` names that of the catalogue."""

    lang: str
    extractive: str
    no_writer: str
    written_by: str
    checked: str
    summary: str
    findings: str
    sources: str
    evidence: str
    notes: str
    on_page: str
    copies: str
    nothing_found: str
    no_quotes: str
    search_failed: str
    fetch_failed: str
    differ: str
    apart: str
    voices: str
    out_of_time: str
    fewer: str
    no_plan: str
    too_late: str
    no_summary: str
    uncited: str
    contradicted: str
    absent: str
    by_judge: str
    no_judge: str
    truncated: str
    kept: str
    sent: str
    asked_model: str
    cost: str
    refused: str
    resumed: str


CHINESE = Words(
    lang="zh",
    extractive="摘录式报告：未配置语言模型，下面只有网页的原文，每一句都标明来源。",
    no_writer=(
        "摘录式报告：语言模型 {name} 没有写出可用的总结，下面只有网页的原文，每一句都标明来源。"
    ),
    written_by="由语言模型 {name} 根据“证据”中的引文撰写，每一句都标明来源。",
    checked=(
        "共 {all} 处引用：{supported} 处在网页中有依据，{contradicted} 处与网页不符，"
        "{absent} 处网页未提及（见“说明”），其余不能判断。"
    ),
    summary="总结",
    findings="要点",
    sources="来源",
    evidence="证据",
    notes="说明",
    on_page="在原文中查看",
    copies="内容相同的页面：{urls}",
    nothing_found="没有找到相关结果。",
    no_quotes="读到的网页中没有能回答这个问题的句子。",
    search_failed="搜索“{query}”没有成功：{reason}",
    fetch_failed="没有读到 {url}：{reason}",
    differ="说法不一致",
    apart="各来源说的可能不是同一个对象。",
    voices="{pages} 个页面，{origins} 个出处",
    out_of_time="到了时间限制（{seconds:g} 秒），没有再读其余的网页。",
    fewer="要求 {wanted} 个来源，只得到 {got} 个。",
    no_plan="语言模型没有给出查询，只搜索了问题本身：{reason}",
    too_late="没有及时给出。",
    no_summary="语言模型没有写出总结：{reason}",
    uncited="总结中有 {count} 句没有标明来源，已略去。",
    contradicted="总结中的这一句与来源 [{number}] 不符：“{claim}”",
    absent="总结中的这一句，来源 [{number}] 没有提及：“{claim}”",
    by_judge="其中 {count} 处由判定模型判定。",
    no_judge="判定模型 {name} 没有对全部引用作答；它没有回答的，仍照规则的结论。",
    truncated="{url} 过长，只读了开头的部分。",
    kept="沿用了此前运行的答案，最早的是 {day}（UTC）；其中的网页没有重新读取。",
    sent="网络：请求 {requests} 个，主机 {hosts} 台，发出 {sent}，收到 {received}",
    asked_model="语言模型 {name}：调用 {calls} 次",
    cost="费用 {cost:.4f}",
    refused="拒绝访问：{hosts}",
    resumed="不含此前运行的 {count} 个答案所用的",
)
ENGLISH = Words(
    lang="en",
    extractive=(
        "Extractive report: no language model is set, so it only quotes pages, each sentence with "
        "its source."
    ),
    no_writer=(
        "Extractive report: the language model {name} wrote no summary that could be used, so it "
        "only quotes pages, each sentence with its source."
    ),
    written_by=(
        "Written by the language model {name} from the quotes under “Evidence”; every sentence "
        "names its sources."
    ),
    checked=(
        "Citations: {all}; borne out by their pages: {supported}; contradicted: {contradicted}; "
        "not on the page: {absent} (see the notes); of the others it cannot be told."
    ),
    summary="Summary (总结)",
    findings="Findings",
    sources="Sources (来源)",
    evidence="Evidence (证据)",
    notes="Notes",
    on_page="see it on the page",
    copies="Pages that say the same: {urls}",
    nothing_found="Nothing was found.",
    no_quotes="No sentence of the pages that were read answers this question.",
    search_failed="The search for “{query}” failed: {reason}",
    fetch_failed="{url} was not read: {reason}",
    differ="Where sources differ",
    apart="The sources may speak of different things of this name.",
    voices="pages: {pages}, origins: {origins}",
    out_of_time="The time limit ({seconds:g} s) was reached; the other pages were not read.",
    fewer="Sources asked for: {wanted}; found: {got}.",
    no_plan="The language model gave no queries, so only the question was searched for: {reason}",
    too_late="they did not come in time.",
    no_summary="The language model wrote no summary: {reason}",
    uncited="Sentences of the summary that named no source and are left out: {count}.",
    contradicted="Source [{number}] contradicts this of the summary: “{claim}”",
    absent="Source [{number}] says nothing of this of the summary: “{claim}”",
    by_judge="A judging model told {count} of them.",
    no_judge="The judging model {name} did not answer for all citations; the others are as the "
    "rules left them.",
    truncated="{url} is long: only its beginning was read.",
    kept="Answers of an earlier run are used again, the oldest of {day} (UTC); what was read then "
    "was not read anew.",
    sent="Network: requests: {requests}, hosts: {hosts}, sent: {sent}, received: {received}",
    asked_model="language model {name}: calls: {calls}",
    cost="cost: {cost:.4f}",
    refused="refused: {hosts}",
    resumed="without what an earlier run took for {count} of the answers",
)


def words_for(question: str) -> Words:
    """Return the fixed words in the language of ``question``."""
    return CHINESE if re.search("[\u4e00-\u9fff]", question) else ENGLISH
