"""The dates that a reader sees on a page, and what they are told to be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.markup import BLOCKS
from citeseek.extraction.stated_dates import Kind, iso
from citeseek.extraction.surroundings import Surroundings
from citeseek.parsing.iso_dates import DateInText, find_dates, parse_date
from citeseek.text import plain_line

_PUBLISHED = re.compile(
    r"publi|posted|post date|released?|issued|first appeared|created|written|uploaded|submitted"
    r"|veröffentlicht|erschienen|erstellt|eingestellt|verfasst|paru|mis en ligne"
    r"|créé|rédigé|écrit|creado|escrito|postad|criado|pubblicat|inserito|scritto"
    r"|опубликован|размещен|добавлен|создан|yayın|eklenme|oluşturul|opublikowan"
    r"|dodano|publicer|publiser|geplaatst|gepubliceerd|vydáno|zveřejněno|megjelen|közzété"
    r"|发布|發布|發佈|发表|發表|出版|上传|刊登|公開|公开|投稿|掲載|配信|作成|登録|提交"
    r"|등록|입력|작성|게시|승인|발행"
    r"|نشر|منتشر|פורסם|ngày đăng|diterbitkan|δημοσ|प्रकाशित|เผยแพร่"
)
# What heads a date of either kind.
_ANY = re.compile(
    r"\bdate\b|\bdatum\b|fecha|\bdata\b|\bдата|\btarih|时间|時間|日期|日時|일시|تاريخ"
)
_UPDATED = re.compile(
    r"updat|modif(?:ied|ié|icad|icat|iert)|last (?:edit|review|chang)|revis|edited|amended|changed"
    r"|aktualisiert|geändert|bearbeitet|\bstand\b|mise? à jour|\bmàj\b|\bmaj\b|actualizad|editad"
    r"|atualizad|alterad|aggiornat|modificat|обновлен|изменен|отредактирован|güncelle|değiştiril"
    r"|zaktualiz|modyfik|uppdater|oppdater|opdater|bijgewerkt|更新|修改|修订|修訂|编辑|編輯|編集|改定"
    r"|改訂|修正|수정|업데이트|갱신|تحديث|تعديل|עודכן|به‌روز|cập nhật|diperbarui|ενημερ|อัปเดต"
)
_WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so)"
    r"|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
    r"|(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
    r"|(?:segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?"
    r"|(?:luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica)"
    r"|(?:понедельник|вторник|сред[аы]|четверг|пятниц[аы]|суббот[аы]|воскресенье)"
    r"|(?:pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar)"
    r"|(?:الاثنين|الإثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت|الأحد))"
)
_DAY_BEFORE = re.compile(rf"(?:^|(?<=[\s(])){_WEEKDAY}[\s.,،]*$")
# Who wrote it, and words that lead to a date, in small letters.
_LEADING = re.compile(
    r"(?:(?:by|von|par|por|di|автор|door) .{2,60}|(?:(?:on|at|of|the|am|vom|den|der|le|du|el|del|il"
    r"|em|dia|día|en|de|от|в|с|på|op|dne|dnia|w|于|於|在)(?:[\s.,]+|$))+)"
)
_PART = re.compile(r"[|·•,،:：;()/（）【】\[\]–—\-»>←→✎📅🕒]")
_NOT = re.compile(r"(?i)©|\(c\)|copyright|all rights|版权|版權|著作権|저작권|حقوق")
_NAMED = re.compile(
    r"(?i)date(?!picker)|(?<![a-z])time(?!line)|publi|posted|-meta|meta-|(?<![a-z])meta(?![a-z])"
    r"|byline|(?<![a-z])info|source|datum|fecha|data-|author|submitted|stamp|pubtime|when|details"
)
_CHANGED = re.compile(r"(?i)updat|modif|lastmod|edited|changed|revis")
# What may hold a year, or an age.
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)|\d\d\.\d\d\.\d\d|[〇零]|令和|平成|民[國国]|ago\b|前")
_DIGIT = re.compile(r"\d")
_SILENT = frozenset({"script", "style", "noscript", "template", "option", "textarea", "title"})
_LONGEST = 300
# Prose goes on after its date.
_REST = 90
# So many letters before and after its title the lines of a page tell of the page.
_BEFORE = 400
_AFTER = 800
_UP = 3
_FEW = 3
_MOST = 400
# The year is looked for first: few texts hold one, and most hold numbers.
_SLASHED_YEAR = re.compile(r"[/-](?:19|20)\d\d(?!\d)")
_SLASHED = re.compile(r"(?<![\d/-])(\d{1,2})[/-](\d{1,2})\Z")
_SLASHED_LENGTH = 5
_MONTHS = 12
_MONTH_FIRST = frozenset("en-us en-ph fil".split())
_DAY_FIRST = frozenset("uk au nz ie in za sg my hk ng ke".split())
_AMERICAN = frozenset("us gov mil edu".split())


class SeenDate(msgspec.Struct, frozen=True):
    """A ``day`` on a page and what it is of.

    ``rank`` tells how sure it is that it is the page's, 0 is best; ``is_told`` that words or names
    beside it say its kind; ``is_markup`` that it was read from an attribute.
    """

    day: str
    kind: Kind
    rank: int
    is_told: bool
    is_markup: bool = False


def order_of_days(document: LexborHTMLParser, url: str) -> bool | None:
    """Return whether 3/4/2026 is in April on this page, None where nothing tells.

    The language and the country tell, or another date on the page.
    """
    root = document.css_first("html")
    tag = (root.attributes.get("lang") or "" if root is not None else "").lower().replace("_", "-")
    ending = (urlsplit(url).hostname or "").rpartition(".")[2]
    if tag in _MONTH_FIRST or (tag == "en" and ending in _AMERICAN):
        return False
    if ending in _DAY_FIRST or (tag and tag != "en"):
        return True
    text = document.body.text(separator=" ") if document.body is not None else ""
    for year in _SLASHED_YEAR.finditer(text):
        if found := _SLASHED.search(text, max(0, year.start() - _SLASHED_LENGTH), year.start()):
            first, second = map(int, found.groups())
            if (first > _MONTHS) != (second > _MONTHS):
                return first > _MONTHS
    return None


def visible_dates(
    document: LexborHTMLParser,
    heading: LexborNode | None,
    around: Surroundings,
    *,
    now: datetime | None,
    day_first: bool | None,
) -> list[SeenDate]:
    """Return the dates on a page that may be its own, in their order.

    ``heading`` is the element of its title, ``now`` the time that ages are counted from.
    """
    seen: list[SeenDate] = []
    for node, distance in _places(document, heading):
        is_near = distance is not None and -_BEFORE <= distance <= _AFTER
        names = _names(node)
        if (
            is_near
            or _NAMED.search(names)
            or node.tag == "time"
            or _is_told(_line(node) + _headed(node))
        ):
            found = _dates_at(node, names, is_near=is_near, now=now, day_first=day_first)
            seen.extend(one for one in found if not around.is_of_others(node))
    return seen


def _places(
    document: LexborHTMLParser, heading: LexborNode | None
) -> Iterator[tuple[LexborNode, int | None]]:
    """Yield where dates may stand, and how many letters after the title that is."""
    found: list[tuple[LexborNode, int]] = []
    said, title = 0, None
    at = heading.mem_id if heading is not None else None
    body = document.body
    for node in body.traverse(include_text=True) if body is not None else ():
        if node.is_text_node:
            text = (node.text_content or "").strip()
            if not text or node.parent is None or node.parent.tag in _SILENT:
                continue
            if _may_hold_date(text):
                found.append((node, said))
            said += len(text)
        else:
            if title is None and node.mem_id == at:
                title = said
            if node.tag == "time" and node.attributes.get("datetime"):
                found.append((node, said))
        if len(found) > _MOST:
            break
    yield from ((node, None if title is None else at - title) for node, at in found)


def _may_hold_date(text: str) -> bool:
    is_likely = not text.isascii() or "ago" in text or _DIGIT.search(text) is not None
    return is_likely and _YEAR.search(text) is not None


def _dates_at(
    node: LexborNode, names: str, *, is_near: bool, now: datetime | None, day_first: bool | None
) -> Iterator[SeenDate]:
    line = _line(node)
    if _NOT.search(line):
        return
    if not node.is_text_node:
        if day := iso(node.attributes.get("datetime") or "", day_first=day_first):
            own = plain_line(node.text(separator=" ")).casefold()
            before, _, after = line.casefold().partition(own) if own else (line, "", "")
            kind = _kind(before, after, names)
            yield SeenDate(day, kind or "published", 1 + (not is_near), bool(kind), is_markup=True)
        return
    own = plain_line(node.text_content or "")
    is_named = bool(_NAMED.search(names))

    def in_line(text: str) -> list[DateInText]:
        dates = find_dates(text, day_first=day_first)
        return [one for one in dates if _stands_alone(one, is_named=is_named)]

    found = in_line(own)
    context = "" if own == line else line.casefold().partition(own.casefold())[0]
    if not found and len(line) <= _LONGEST:
        # Its parts may be elements of their own.
        found = in_line(line)
        context = ""
    if not found and now and is_near and (age := _age(own, now)):
        found = [DateInText(age, "", "")]
    head = _headed(node)
    for one in found:
        told = _kind(f"{head}: {context}{one.before}", one.after, names)
        if head and not told:  # the day of something else
            continue
        rank = (0 if told else 2 if is_named else 3) if is_near else (4 if told else 5)
        if is_near or told or is_named:
            yield SeenDate(one.day, told or "published", rank, bool(told))


def _is_told(line: str) -> bool:
    folded = line.casefold()
    return any(pattern.search(folded) for pattern in (_PUBLISHED, _UPDATED, _ANY))


def _kind(before: str, after: str, names: str) -> Kind | None:
    """Return what the words next to a date say that it is, or the names of its elements."""
    for text, is_last in ((before[-60:], True), (after[:20], False)):
        marks: list[tuple[int, Kind]] = [
            *((match.start(), "published") for match in _PUBLISHED.finditer(text)),
            *((match.start(), "updated") for match in _UPDATED.finditer(text)),
        ]
        if marks:
            return (max if is_last else min)(marks)[1]
        if _ANY.search(text):
            return "published"
    if _CHANGED.search(names):
        return "updated"
    return "published" if "publi" in names.lower() else None


def _stands_alone(found: DateInText, *, is_named: bool) -> bool:
    """Whether a date is a statement of its own and none in a sentence."""
    if len(found.after) > _REST:
        return False
    lead = _PART.split(_DAY_BEFORE.sub("", found.before))[-1].strip()
    is_short = len(lead.split()) <= _FEW
    return (
        not any(sign.isalpha() for sign in lead)
        or _LEADING.fullmatch(lead) is not None
        or (is_short and is_named)
        or _is_told(lead[-40:])
    )


def _age(text: str, now: datetime) -> str | None:
    part = _PART.split(text.casefold())[-1]
    return parse_date(_PUBLISHED.sub("", _UPDATED.sub("", part)), now)


def _line(node: LexborNode) -> str:
    """Return the line that ``node`` is part of."""
    own = node if not node.is_text_node else node.parent
    block = _block(node)
    text = plain_line(block.text(separator=" ")) if block is not None else ""
    if len(text) > _LONGEST and own is not None:
        text = plain_line((own if own is not block else node).text(separator=" "))
    return text[:_LONGEST]


def _headed(node: LexborNode) -> str:
    """Return what heads the cell of a table, or the term of a list, that ``node`` is in."""
    block = _block(node)
    if block is None or block.tag not in ("dd", "td"):
        return ""
    before = block.prev
    while before is not None and before.is_text_node:
        before = before.prev
    return (
        plain_line(before.text(separator=" "))[:_LONGEST].casefold() if before is not None else ""
    )


def _block(node: LexborNode) -> LexborNode | None:
    block = node if not node.is_text_node else node.parent
    while block is not None and block.tag not in BLOCKS and block.parent is not None:
        block = block.parent
    return block


def _names(node: LexborNode) -> str:
    names = []
    one = node if not node.is_text_node else node.parent
    for _ in range(_UP):
        if one is None or one.tag in ("body", "html"):
            break
        names += [one.attributes.get("class") or "", one.attributes.get("id") or ""]
        one = one.parent
    return " ".join(names)
