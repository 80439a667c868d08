"""What the words and the names beside a date say that it is the day of."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from citeseek.extraction.stated_dates import Kind

Meaning: TypeAlias = Kind | Literal["other"]

_PUBLISHED = re.compile(
    r"publi|posted|post date|released?|issued|first appeared|created|written|uploaded|submitted"
    r"|veröffentlicht|erschienen|erstellt|eingestellt|verfasst|paru|mis en ligne"
    r"|créé|rédigé|écrit|creado|escrito|postad|criado|pubblicat|inserito|scritto"
    r"|опубл[иі]кован|размещен|добавлен|создан|yayın|eklenme|oluşturul|opublikowan"
    r"|dodano|publicer|publiser|geplaatst|gepubliceerd|vydáno|zveřejněno|megjelen|közzété"
    r"|julkais|发布|發布|發佈|发表|發表|出版|上传|刊[登发]|公開|公开|投稿|掲載|配信|作成|登録|提交"
    r"|发[文稿帖]|發[文稿]|印发|成文|[录錄]入|添加|撰写|创建|建立|发行|発行"
    r"|등록|입력|작성|게시|승인|발행"
    r"|نشر|نُشر|منتشر|انتشار|פורסם|ngày đăng|diterbitkan|dipublikasikan|δημοσ|प्रकाशित|เผยแพร่"
)
# What heads a date of either kind.
_ANY = re.compile(
    r"\bdate\b|\bdatum\b|fecha|\bdat[ae]\b|\bдата|\btarih|时间|時間|日期|날짜|تاريخ|تاریخ"
    r"|päivämäärä|\btanggal\b|ημερομηνία|\bngày\b"
)
_UPDATED = re.compile(
    r"updat|modif(?:ied|ié|icad|icat|iert)|last (?:edit|review|chang)|revis|edited|amended|changed"
    r"|aktualisiert|zuletzt am|geändert|bearbeitet"
    r"|\bstand\b|mise? à jour|\bmàj\b|\bmaj\b|actualizad|editad"
    r"|editó|modification|atualizad|alterad|aggiornat|modificat|обновлен|изменен|отредактирован"
    r"|оновлен|güncelle|değiştiril|zaktualiz|modyfik|edytowan|uppdater|oppdater|opdater|redigera"
    r"|bijgewerkt|bewerkt|aktualizováno|päivitet|frissít"
    r"|更新|修改|修订|修訂|编辑|編輯|編集|改定|改訂|修正|수정|업데이트|갱신|편집"
    r"|تحديث|تعديل|עודכן|به‌روز|بروزرسانی|ویرایش|cập nhật|diperbarui|ενημερ|อัปเดต|अद्यतन|अपडेट"
)
# What a day may be besides, and is then none of the page.
_OTHER = re.compile(
    r"deadline|\bdue\b|expir|\bvalid\b|\bclos(?:es?|ing)\b|\buntil\b|\bborn\b|\bdied\b|founded"
    r"|\bsince\b|\bjoined\b|\bnext\b|\bstart(?:s|ing)?\b|\bends?\b|\bbegins\b|\bopens\b"
    r"|effective|\bretrieved\b|\baccessed\b"
    r"|frist\b|(?:anmelde|einsende|bewerbungs|melde|annahme)schluss\b"
    r"|gültig|geboren|gestorben|gegründet|\bnächste|\bbeginn|\bseit\b|läuft ab"
    r"|échéance|limite|clôture|expire|valable|jusqu|\bnée?\b|fondée?\b|prochain|depuis"
    r"|plazo|cierre|\bvence|caduca|válid|hasta|nacid|fundad|próxim|desde|prazo|\baté\b|nascid|encerra"
    r"|scaden|\bentro\b|fino al|\bnat[oa] |fondat|prossim|\bdal\b"
    r"|\bсрок|действ|истека|родил|основан|следующ|\bдо\b|son tarih|bitiş|başlangıç|geçerli|doğum"
    r"|kuruluş|sonraki|ważn[yae] do|\btermin\b|urodz|założon|następn|\bod\b"
    r"|geldig|geboren|opgericht"
    r"|آخر موعد|انتهاء|صالح|ولد|تأسس|القادم|مهلت|انقضا|מועד אחרון|בתוקף|hạn|kedaluwarsa|berlaku"
    r"|截止|截至|到期|有效|开始|開始|结束|結束|报名|報名|生效|施行|实施|成立|出生|注册|开幕|开考"
    r"|发布会|發布會|発表会|締切|締め切|〆切|期限|期間|開催|終了|有効|募集|生年|誕生|設立|創立|入会"
    r"|마감|기한|기간|행사|개최|만료|유효|시작|종료|설립|가입|시행|생년|출생"
)
# What may stand beside a word for dates without making them those of something else: the hour, and
# words for the text itself.
_NEUTRAL = re.compile(
    r"\b(?:(?:the|of|time|hour|and|post|page|article|news|entry|blog|story|press|document|report"
    r"|uhrzeit|und|des|der|vom|beitrags?|artikels?|nachricht|meldung|pressemitteilung"
    r"|heure|et|de|du|la|le|l|el|article|communiqué|hora|y|del|artículo|noticia|nota|comunicado"
    r"|e|da|do|ora|notizia|articolo|comunicato|время|и|статьи|новости|saati?|i|haber"
    r"|och|og|en|het|van|artykułu)\b)|文章|新闻|新聞|稿件|信息|记事|記事|기사"
)
WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so)"
    r"|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
    r"|(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
    r"|(?:segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?"
    r"|(?:luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica)"
    r"|(?:понедельник|вторник|сред[аы]|четверг|пятниц[аы]|суббот[аы]|воскресенье)"
    r"|(?:pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar)"
    r"|(?:senin|selasa|rabu|kamis|jum'?at|sabtu|minggu)"
    r"|(?:الاثنين|الإثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت|الأحد))"
)
DAY_BEFORE = re.compile(rf"(?:^|(?<=[\s(:：])){WEEKDAY}[\s.,،]*$")
# Who wrote it, and words that lead to a date, in small letters.
_LEADING = re.compile(
    r"(?:(?:by|von|par|por|di|автор|door) .{2,60}|(?:(?:on|at|of|the|am|vom|den|der|le|du|el|del|il"
    r"|em|dia|día|en|de|от|в|с|på|op|dne|dnia|w|于|於|在)(?:[\s.,]+|$))+)"
)
SEPARATOR = re.compile(r"[|·•,，、،;；()/（）【】\[\]–—»>←→✎📅🕒]| - ")
_PIECE = re.compile(rf"{SEPARATOR.pattern}|[:：-]|(?<=[^\W\d_]{{3}})[.!?]\s|。")
COLON = re.compile(r"[:：][\s\[(（【「]*$")
_NAMED_OTHER = re.compile(
    r"(?i)event[-_]?(?:date|time|day|start|end)|(?:date|time)[-_]?event|deadline|expir"
    r"|(?:due|start|end|birth|death|opening|closing)[-_]?date|birthday"
)
_CHANGED = re.compile(r"(?i)updat|modif|lastmod|edited|changed|revis")
_BEFORE = 60
_BEHIND = 24
_LEAD = 40
_FEW = 3


def is_told(line: str) -> bool:
    """Whether ``line``, in small letters, has a word for days of pages."""
    return any(pattern.search(line) for pattern in (_PUBLISHED, _UPDATED, _ANY))


def meaning_of(before: str, behind: str, names: str = "") -> Meaning | None:
    """Return what a date is by the words ``before`` and ``behind`` it and its elements' ``names``.

    "other" is the day of something else: of an event, a deadline, a birth; so is one with a label
    that has no word for either kind. None is a date without a label.
    """
    meaning = _meaning_before(before) or _meaning_behind(behind[:_BEHIND])
    if meaning is None and _NAMED_OTHER.search(names):
        return "other"
    if meaning is None and _CHANGED.search(names):
        return "updated"
    return meaning or ("published" if "publi" in names.lower() else None)


def _meaning_before(before: str) -> Meaning | None:
    lead = DAY_BEFORE.sub("", before)
    pieces = [one.strip() for one in _PIECE.split(COLON.sub("", lead))]
    label = pieces[-1]
    if _OTHER.search(label):
        return "other"
    if kind := _kind(before[-_BEFORE:], is_last=True):
        return kind
    heading = next((one for one in reversed(pieces) if not _is_neutral(one)), "")
    if _ANY.search(heading):
        return "published" if _is_neutral(_ANY.sub(" ", heading)) else "other"
    is_name = _LEADING.match(f"{label} ") is not None
    return "other" if COLON.search(lead) and not _is_neutral(label) and not is_name else None


def _meaning_behind(behind: str) -> Meaning | None:
    kind = _kind(behind, is_last=False)
    return kind or ("other" if _OTHER.search(behind) else None)


def leads_to_date(before: str, *, is_named: bool) -> bool:
    """Whether a date behind ``before`` is a statement of its own and none in a sentence.

    ``is_named`` tells that its element is named as one for dates.
    """
    lead = _PIECE.split(DAY_BEFORE.sub("", before))[-1].strip()
    return (
        not any(sign.isalpha() for sign in lead)
        or _LEADING.fullmatch(lead) is not None
        or (len(lead.split()) <= _FEW and is_named)
        or is_told(lead[-_LEAD:])
    )


def without_labels(text: str) -> str:
    """Return the last piece of ``text`` without words for the days of pages."""
    return _PUBLISHED.sub("", _UPDATED.sub("", _PIECE.split(text.casefold())[-1]))


def _kind(text: str, *, is_last: bool) -> Kind | None:
    """Return the kind that the last, or the first, word for one in ``text`` is of."""
    marks: list[tuple[int, Kind]] = [
        *((match.start(), "published") for match in _PUBLISHED.finditer(text)),
        *((match.start(), "updated") for match in _UPDATED.finditer(text)),
    ]
    return (max if is_last else min)(marks)[1] if marks else None


def _is_neutral(label: str) -> bool:
    return not any(sign.isalpha() for sign in _NEUTRAL.sub(" ", label))
