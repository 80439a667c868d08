"""Who wrote a page: what it tells machines, what is marked as its author, the line that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.date_labels import WEEKDAY
from citeseek.extraction.linked_data import names_in
from citeseek.extraction.markup import HEADINGS, UNSHOWN, block_of
from citeseek.extraction.metas import Metas
from citeseek.extraction.surroundings import Surroundings
from citeseek.parsing.months import MONTH_OF
from citeseek.text import plain_line

_METAS = (
    "property=dc:creator", "name=author", "property=article:author", "name=parsely-author",
    "name=sailthru.author", "name=byl", "name=citation_author", "name=dc.creator",
    "name=dcterms.creator",
)  # fmt: skip
_MARKED = (
    "[itemprop~=author] [itemprop~=name], [itemprop~=author]",
    "a[rel~=author]",
    ".p-author, .author-name, .byline-name, .entry-author, .author.vcard",
)
# What leads to a name, in any case; with a colon also the second.
_BY = (
    r"by|written by|posted by|published by|words by|story by|text by|reported by"
    r"|von|verfasst von|geschrieben von|par|écrit par|por|escrito por|di|a cura di|scritto da|door"
    r"|geschreven door|av|skrevet av|skriven av|af|oleh|автор|авторы|текст|yazan|przez|napsal"
)
_CALLED = (
    r"authors?|words|text|reporter|writer|autore?n?|autorin|autor[ae]?s?|auteure?s?|texte"
    r"|texto|testo|tekst|forfatter|författare|skribent|kirjoittaja|yazar|penulis|tác giả"
    r"|autorzy|συντάκτης"
)
_NAMED_AFTER = re.compile(
    rf"(?i)^(?:(?P<by>{_BY})(?:\s*[:：]\s*|\s+)|(?P<called>{_CALLED})\s*[:：]\s*)(?P<name>.+)"
)
# What a text holds that may name its authors.
_HINT = re.compile(
    rf"(?i)(?:^|[|·•—–,]\s*)(?:(?:{_BY})\b|(?:{_CALLED})\s*[:：])|作者|撰文|撰稿|记者|記者|文\s*[:：/／]"
    r"|著者|筆者|執筆|ライター|기자|글|작성자|بقلم|كتب|الكاتب|نویسنده|מאת|โดย|ผู้เขียน"
)
# Languages whose letters have no case, or that write no spaces between words.
_HAN = r"[\u4e00-\u9fff\u3040-\u30ff]"
_EASTERN = re.compile(
    rf"(?:作者|撰文|撰稿|记者|(?<!{_HAN})文)\s*[:：/／]\s*"
    rf"(?P<chinese>{_HAN}{{2,8}}(?:[·、，,]{_HAN}{{2,8}})*"
    r"|[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})"
    rf"|(?:著者|筆者|執筆|記者|ライター)\s*[:：/／＝=]\s*"
    rf"(?P<japanese>{_HAN}{{2,8}}(?: {_HAN}{{1,4}}(?=$|[\s|／(（]))?)"
    r"|(?:^|[\s/／|｜(（【])(?:本报|本報)?(?:记者|記者) ?(?P<reporter>[\u4e00-\u9fff]{2,4}?)"
    r"(?=$|[\s/／|｜()（）】]|报道|報導|報道)"
    r"|(?:^|[\s|｜(（\[])(?P<korean>[가-힣]{2,4}) ?기자(?=$|[\s|｜()（）\]])"
    r"|(?:^|[|｜])\s*(?:글|작성자|글쓴이|기자)\s*[:：=]\s*(?P<writer>[가-힣]{2,4})(?=$|[\s|｜(（])"
    r"|(?:^|[|｜·])\s*글 (?P<by>[가-힣]{3}(?=$|[|｜·(（]| 사진)"
    r"|[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})"
    r"|(?:بقلم|(?:الكاتب|كتبه?|نویسنده|מאת|โดย|ผู้เขียน)\s*[:：])\s*[:：]?\s*"
    r"(?P<caseless>[^\d|،,:：]{3,40}?)\s*(?=$|[|،,–—-]|\d)"
)
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘蒋蔣蔡余杜叶葉程苏蘇"
    "魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范范石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱江尹薛闫闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴"
    "覃武戴莫孔向汤湯欧歐司诸諸上尉施洪季安乔喬赖賴文庞龐樊兰蘭殷翟倪牛康齐齊伍申颜顏柳单單章葛岑游阮"
)  # fmt: skip
_KOREAN_SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유홍전고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모"
)
_NO_KOREAN = frozenset(
    "전문 수습 선임 인턴 객원 시민 사진 편집 현장 정치 경제 사회 문화 연예".split()
)
# Accounts and offices that name nobody.
_NOBODY = re.compile(
    r"(?i)admin(?:istrator)?|webmaster|editors?|staff|team|guest|anonymous|unknown|user|root|redaktion"
    r"|redacci[óo]n|rédaction|redazione|редакция|редактор|администратор|管理员|管理員|编辑|本站|佚名|管理者"
)
_PARTICLES = frozenset(
    "de da das dos do del della di d du des la le las los van von der den dem ter ten te zu zum zur"
    " af av al el bin ibn ben abu y e i und".split()
)
_AND = re.compile(r"(?i),?\s+(?:and|und|et|y|e|en|och|og|i|и|ve|dan)\s+|\s*&\s*")
_COMMA = re.compile(r"\s*[,，、;]\s*")
_PART = re.compile(r"\s*(?:[|·•｜;；()（）\[\]]|\s[–—-]\s|[–—])\s*|\s+(?=\d)")
_BETWEEN = re.compile(r"[|·•｜]")
_DATED = re.compile(
    r"(?i)\s+(?:on|am|le|el|em|il|published|posted|updated|for|veröffentlicht|publié|publicado)\b.*$"
)
_CLASS = re.compile(
    r"(?i)(?:^|[-_\s])(?:byline|author|writer|reporter|auteur|autor)(?:[-_]{1,2}(?:names?|link))?(?=$|\s)"
)
_CLASSED = ", ".join(
    f"[class*={name} i]" for name in ("byline", "author", "writer", "reporter", "auteur", "autor")
)
# What people are, and are not called.
_ROLE = re.compile(
    r"(?i)\b(?:editor|correspondent|reporter|writer|senior|chief|director|professor|staff|news|post|daily)\b"
)
_LONGEST = 100
_LINE = 160
_BEFORE = 200
_AFTER = 500
_MOST_WORDS = 5
_MOST = 50
_UP = 3


def authors_of(
    document: LexborHTMLParser,
    metas: Metas,
    linked: list[dict[str, Any]],
    heading: LexborNode | None,
) -> str | None:
    """Return the names of those who wrote the page, apart by commas; None where nobody is named.

    Names that have commas themselves ("Lee, Ann") are apart by semicolons. ``heading`` is the
    element of the title: a line that names authors to readers stands near it.
    """
    around = Surroundings(heading)
    for names in (
        *(names_in(item, "author") for item in linked),
        *(metas.lines(key) for key in _METAS),
        *(_marked(document, selector) for selector in _MARKED),
    ):
        if found := _joined(names):
            return found
    return _joined(_visible(document, heading, around))


def _joined(names: Iterable[str]) -> str | None:
    lines = (re.sub(rf"(?i)^(?:{_BY})\b:?\s+", "", plain_line(name)) for name in names)
    kept = [
        line
        for line in dict.fromkeys(lines)
        if line and len(line) <= _LONGEST and not line.startswith(("http:", "https:", "@"))
    ][:_MOST]
    return ("; " if any(", " in one for one in kept) else ", ").join(kept) or None


def _marked(document: LexborHTMLParser, selector: str) -> list[str]:
    """Return the first name that ``selector`` finds, and those that stand beside it."""
    nodes = [node for node in document.css(selector)[:_MOST] if _joined([node.text()])]
    if not nodes:
        return []
    holder = nodes[0]
    for _ in range(_UP):
        if holder.parent is None or len(holder.parent.text()) > 2 * _LINE:
            break
        holder = holder.parent
    inside = {node.mem_id for node in holder.css(selector)} | {nodes[0].mem_id}
    beside = [node for node in nodes if node.mem_id in inside]
    # An item of a person holds the name that is its own.
    outer = {parent.mem_id for node in beside for parent in _parents(node)}
    return [node.text() for node in beside if node.mem_id not in outer]


def _visible(
    document: LexborHTMLParser, heading: LexborNode | None, around: Surroundings
) -> list[str]:
    """Return the names in the first line near the title that says who wrote the text."""
    for node, is_named in _near(document, heading):
        line = plain_line(node.text(separator=" "))
        found = names_in_line(line, is_named=is_named) if len(line) <= _LINE else []
        # A byline may be marked as a citation.
        if found and not around.is_of_others((node.parent if is_named else None) or node):
            return found
    return []


def names_in_line(line: str, *, is_named: bool) -> list[str]:
    """Return the names of those who wrote a text, by a line that says so.

    ``is_named`` tells that the page names the line as one of authors: it may then be a name alone.
    """
    if (match := _EASTERN.search(line)) and (found := _eastern(match)):
        return found
    for part in filter(None, _PART.split(line)):
        if match := _NAMED_AFTER.match(part.strip()):
            is_alone = part.rstrip() == line or _BETWEEN.search(line) is not None
            is_sure = is_named or match["called"] is not None or is_alone
            if found := _listed(match["name"], is_single=is_sure):
                return found
        elif is_named and (found := _listed(part, is_single=False)):
            return found
    return []


def _eastern(match: re.Match[str]) -> list[str]:
    group, name = match.lastgroup or "", match[match.lastgroup or 0].strip()
    if _NOBODY.fullmatch(name):
        return []
    if group == "chinese":
        return _COMMA.split(name)
    if group == "reporter" and name[0] not in _SURNAMES:
        return []
    if (
        group in ("korean", "writer", "by")
        and not name.isascii()
        and (name[0] not in _KOREAN_SURNAMES or name in _NO_KOREAN)
    ):
        return []
    is_name = _is_person(name, is_single=True) if name.isascii() else True
    return [name] if is_name and len(name.split()) <= _MOST_WORDS else []


def _listed(text: str, *, is_single: bool) -> list[str]:
    """Return the people whose names ``text`` begins with, or none.

    ``is_single`` tells that one word may be a name.
    """
    pieces = _COMMA.split(_DATED.sub("", f"{text.strip()} ").strip(" ."))
    last = next((at for at, piece in enumerate(pieces) if _AND.search(piece)), 0)
    every = [name for piece in pieces[: last + 1] for name in _AND.split(piece) if name]
    for names in (every, pieces[:1]):
        found = [_without_day(name) for name in names]
        # Of several names none is half a name, or all are.
        is_short = is_single and (len(found) == 1 or not any(" " in name for name in found))
        if found and all(_is_person(name, is_single=is_short) for name in found):
            return found
    return []


def _without_day(name: str) -> str:
    """Return ``name`` without the weekday or the month that follows it."""
    words = name.split()
    days = (at for at, word in enumerate(words) if at > 1 and _is_of_calendar(word))
    return " ".join(words[: next(days, len(words))])


def _is_of_calendar(word: str) -> bool:
    folded = word.casefold().strip(".,")
    return folded in MONTH_OF or re.fullmatch(WEEKDAY, folded) is not None


def _is_person(name: str, *, is_single: bool) -> bool:
    words = name.split()
    if not (1 if is_single else 2) <= len(words) <= _MOST_WORDS or _ROLE.search(name):
        return False
    if _NOBODY.fullmatch(name) or any(not _is_of_name(word) for word in words):
        return False
    return any(map(str.isupper, words[-1])) and not _is_of_calendar(
        words[0] if len(words) == 1 else ""
    )


def _is_of_name(word: str) -> bool:
    letters = re.sub(r"['’.\-]", "", word)
    is_cased = word[0].isupper() or word.casefold() in _PARTICLES or word[:2] in ("d'", "d’")
    return is_cased and letters.isalpha()


def _near(
    document: LexborHTMLParser, heading: LexborNode | None
) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the blocks and elements near the title that may name authors.

    With each comes whether the page names it as one of authors.
    """
    body = document.body
    if body is None or heading is None:
        return
    classed = document.css(_CLASSED)[:_MOST]
    named = {one.mem_id for one in classed if _CLASS.search(one.attributes.get("class") or "")}
    found: list[tuple[LexborNode, bool, int]] = []
    said, title = 0, None
    for node in body.traverse(include_text=True):
        if not node.is_text_node:
            if node.mem_id in named:
                found.append((node, True, said))
            if title is None and node.mem_id == heading.mem_id:
                title = said
            continue
        if title is not None and said > title + _AFTER:
            break
        text = (node.text_content or "").strip()
        if node.parent is not None and node.parent.tag not in UNSHOWN:
            if (block := _hinted(node, text)) is not None:
                found.append((block, False, said))
            said += len(text)
    if title is not None:
        yield from ((node, is_named) for node, is_named, at in found if at >= title - _BEFORE)


def _hinted(node: LexborNode, text: str) -> LexborNode | None:
    """Return the block of ``node`` where its ``text`` may name authors; a heading does not."""
    block = block_of(node) if len(text) <= _LINE and _HINT.search(text) else None
    return block if block is not None and block.tag not in HEADINGS else None


def _parents(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None and parent.tag not in ("body", "html"):
        yield parent
        parent = parent.parent
