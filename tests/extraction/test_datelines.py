"""Which label belongs to which date of a line, and whose days are not the page's."""

# ruff: noqa: E501 - a case is a row

from __future__ import annotations

import pytest

from citeseek.extraction import Document, extract
from citeseek.models import Page

DAY, LATER = "2025-03-04", "2025-03-05"


def read(line: str, language: str = "en", *, head: str = "") -> Document:
    """Return what a page says of itself that has ``line`` below its heading."""
    html = (
        f'<!doctype html><html lang="{language}"><head><title>The wall</title>{head}</head><body>'
        f"<article><h1>The wall</h1>{line}<p>It stood through the winter, and nobody in the town"
        " had to mend it before the spring came.</p></article></body></html>"
    )
    return extract(
        Page(
            url="https://port.example/wall",
            headers={"content-type": "text/html", "date": "Mon, 02 Mar 2026 01:30:00 GMT"},
            body=html.encode(),
        )
    )


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "4 March 2025, updated 5 March 2025"),
        ("en", "4 March 2025 (last updated 5 March 2025)"),
        ("en", "March 4, 2025 Updated March 5, 2025"),
        ("en", "March 4, 2025 Updated: Wednesday, March 5, 2025"),
        ("en", "4 March 2025, 10:15 – modified 5 March 2025, 11:30"),
        ("en", "2025-03-04 (updated 2025-03-05)"),
        ("en", "By Ann Lee | 4 March 2025 | Updated 5 March 2025"),
        ("en", "Updated 5 March 2025 · Published 4 March 2025"),
        (
            "en",
            "<b>Published</b> <span>4 March 2025</span> <b>Updated</b> <span>5 March 2025</span>",
        ),
        (
            "en",
            "<time datetime=2025-03-04>4 March</time>, updated <time datetime=2025-03-05>5 March</time>",
        ),
        ("en", "4 March 2025 (published), 5 March 2025 (updated)"),
        ("de", "4. März 2025, aktualisiert am 5. März 2025"),
        ("fr", "4 mars 2025, mis à jour le 5 mars 2025 à 10h15"),
        ("es", "4 de marzo de 2025 · Actualizado: 5 de marzo de 2025"),
        ("pt", "4 de março de 2025, atualizado em 5 de março de 2025"),
        ("it", "4 marzo 2025 - aggiornato il 5 marzo 2025"),
        ("nl", "4 maart 2025, bijgewerkt op 5 maart 2025"),
        ("pl", "4 marca 2025, zaktualizowano 5 marca 2025"),
        ("cs", "4. března 2025, aktualizováno 5. března 2025"),
        ("sv", "4 mars 2025, uppdaterad 5 mars 2025"),
        ("no", "4. mars 2025, oppdatert 5. mars 2025"),
        ("da", "4. marts 2025, opdateret 5. marts 2025"),
        ("fi", "4. maaliskuuta 2025, päivitetty 5. maaliskuuta 2025"),
        ("ru", "4 марта 2025 г., обновлено 5 марта 2025 г."),
        ("uk", "4 березня 2025, оновлено 5 березня 2025"),
        ("tr", "4 Mart 2025, güncelleme 5 Mart 2025"),
        ("tr", "4 Mart 2025 tarihinde yayınlandı, 5 Mart 2025 tarihinde güncellendi"),
        ("el", "4 Μαρτίου 2025, ενημερώθηκε 5 Μαρτίου 2025"),
        ("he", "4 במרץ 2025, עודכן 5 במרץ 2025"),
        ("ar", "4 مارس 2025، آخر تحديث 5 مارس 2025"),
        ("fa", "4 مارس 2025، به‌روز شده 5 مارس 2025"),
        ("hi", "4 मार्च 2025, अपडेट 5 मार्च 2025"),
        ("th", "4 มีนาคม 2568, อัปเดต 5 มีนาคม 2568"),
        ("vi", "4 tháng 3 năm 2025, cập nhật 5 tháng 3 năm 2025"),
        ("zh", "2025年3月4日，更新于2025年3月5日"),
        ("zh", "2025-03-04 10:15 发布，2025-03-05 11:30 更新"),
        ("zh", "发布时间：2025-03-04 更新时间：2025-03-05"),
        ("ja", "2025年3月4日（2025年3月5日更新）"),
        ("ja", "2025年3月4日 更新：2025年3月5日"),
        ("ja", "2025年3月4日公開 2025年3月5日更新"),
        ("ja", "2025年3月4日公開、2025年3月5日更新"),
        ("ja", "公開 2025年3月4日 更新 2025年3月5日"),
        ("ko", "입력 2025.03.04 오후 3:05 수정 2025.03.05 오전 9:10"),
        ("ko", "2025.03.04 입력 | 2025.03.05 수정"),
    ],
)
def test_a_label_belongs_to_its_own_date(language: str, line: str) -> None:
    found = read(f"<p>{line}</p>", language)
    assert (found.published_at, found.updated_at) == (DAY, LATER)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Deadline: 4 March 2025"),
        ("en", "Deadline 4 March 2025"),
        ("en", "<b>Deadline:</b> <time datetime=2025-03-04>4 March</time>"),
        ("en", "<span>Closing date</span> <span>4 March 2025</span>"),
        ("en", "Next meeting: Tuesday, 4 March 2025"),
        ("en", "Date of the event: 4 March 2025, doors open at 18:00"),
        ("en", "Event date 4 March 2025"),
        ("en", "When: 4 March 2025, 18:00 – 22:00. Where: Quay."),
        ("en", "Expires: 4 March 2025"),
        ("en", "Valid until 4 March 2025"),
        ("en", "Member since: 4 March 2025"),
        ("en", "Born 4 March 2025"),
        ("en", "4 March 2025 – 6 April 2025"),
        ("en", "4 March – 6 April 2025"),
        ("en", "March 4 – 6, 2025 and March 4 to April 6, 2025"),
        ("en", "from 4 to 6 March 2025"),
        ("en", "4 March 2025, 18:00 – Thursday, 6 March 2025"),
        ("en", "Date: 4 March 2025 to 6 March 2025"),
        (
            "en",
            "<time datetime=2025-03-04>4 March</time> – <time datetime=2025-04-06>6 April 2025</time>",
        ),
        ("de", "Termin: 4. März 2025"),
        ("de", "Bewerbungsfrist: 4. März 2025"),
        ("de", "4. bis 6. März 2025"),
        ("de", "04.03. – 06.04.2025"),
        ("fr", "Date limite : 4 mars 2025"),
        ("fr", "du 4 au 6 mars 2025"),
        ("es", "Fecha del evento: 4 de marzo de 2025"),
        ("es", "Plazo: 4 de marzo de 2025"),
        ("pt", "Data de encerramento: 4 de março de 2025"),
        ("it", "Scadenza: 4 marzo 2025"),
        ("nl", "Evenement: 4 maart 2025"),
        ("pl", "Termin: 4 marca 2025"),
        ("sv", "Sista dag: 4 mars 2025"),
        ("ru", "Срок подачи заявок: 4 марта 2025"),
        ("ru", "Дата проведения: 4 марта 2025"),
        ("tr", "Son başvuru tarihi: 4 Mart 2025"),
        ("ar", "موعد الفعالية: 4 مارس 2025"),
        ("he", "מועד אחרון: 4 במרץ 2025"),
        ("zh", "活动时间：2025年3月4日"),
        ("zh", "截止日期：2025年3月4日"),
        ("zh", "2025年3月4日至6日"),
        ("zh", "2025年3月4日截止"),
        ("ja", "開催日：2025年3月4日"),
        ("ja", "2025年3月4日（火）～6日（木）"),
        ("ja", "日時：2025年3月4日"),
        ("ko", "행사 일시: 2025년 3월 4일"),
        ("ko", "마감일 2025.03.04"),
    ],
)
def test_a_day_of_something_else_is_not_the_pages(language: str, line: str) -> None:
    found = read(f'<p class="meta">{line}</p>', language)
    assert (found.published_at, found.updated_at) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "<dl><dt>Closing date</dt><dd>4 March 2025</dd></dl>",
        "<dl><dt>Closing date</dt><dd><time datetime=2025-03-04>4 March 2025</time></dd></dl>",
        "<div>Auction:</div><div>4 March 2025</div>",
        '<p class="event-date">4 March 2025</p>',
    ],
)
def test_what_heads_a_day_is_its_label(line: str) -> None:
    assert read(line).published_at is None


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "4 March 2025"),
        ("en", "Tuesday, 4 March 2025, 10:15"),
        ("en", "Harbour Post, 4 March 2025"),
        ("en", "By Ann Lee: 4 March 2025"),
        ("en", "Date: 4 March 2025"),
        ("en", "Date and time: 10:15, 4 March 2025"),
        ("en", "Publication date: 4 March 2025"),
        ("en", "Press release: 4 March 2025"),
        ("en", "10:15 – 4 March 2025"),
        ("en", "5 min – 4 March 2025"),
        ("en", "Issue 12 – 4 March 2025"),
        ("en", "4 March 2025 – 3 comments"),
        ("en", "4 March 2025 | Updated prices"),
        ("en", "The inquest stands adjourned until July. <span>posted on 4 March 2025</span>"),
        ("en", "<a href=/events>Events</a> | <span>4 March 2025</span>"),
        ("de", "Datum: 4. März 2025"),
        ("de", "Pressemitteilung: 4. März 2025"),
        ("fr", "Date : mardi 4 mars 2025"),
        ("es", "Fecha y hora: 4 de marzo de 2025"),
        ("ru", "Дата: 4 марта 2025 г."),
        ("zh", "时间：2025-03-04 来源：海岸日报"),
        ("zh", '<span class="info">来源：海岸日报 2025-03-04 浏览：120</span>'),
        ("zh", "成文日期：2025年3月4日"),
        ("ja", "投稿日時：2025年3月4日"),
        ("ko", "작성일시: 2025.03.04"),
    ],
)
def test_a_bare_date_and_one_with_a_word_for_the_text_are_the_pages(
    language: str, line: str
) -> None:
    found = read(f"<p>{line}</p>", language)
    assert (found.published_at, found.updated_at) == (DAY, None)


@pytest.mark.parametrize(
    ("language", "line", "day"),
    [
        ("en", "Published: 20250304", DAY),
        ("en", "No. 20250304", None),
        ("es", "Publicado el 4 de setiembre de 2025", "2025-09-04"),
        ("fi", "Julkaistu 4.3.2025", DAY),
        ("id", "Diterbitkan 4 Maret 2025", DAY),
        ("id", "Selasa, 4 Maret 2025 10:30 WIB", DAY),
        ("uk", "Опубліковано 4 березня 2025 р.", DAY),
        ("fa", "تاریخ انتشار: ۱۴ اسفند ۱۴۰۳", DAY),
        ("fa", "منتشر شده در ۱۴۰۳/۱۲/۱۴", DAY),
        ("pl", "Opublikowano: 4 III 2025", DAY),
    ],
)
def test_notations_of_the_day_of_a_page(language: str, line: str, day: str | None) -> None:
    assert read(f"<p>{line}</p>", language).published_at == day


@pytest.mark.parametrize("value", ['"1741046400000"', "1741046400000", "1741046400"])
def test_a_number_of_linked_data_counts_from_1970(value: str) -> None:
    linked = f'{{"@type": "NewsArticle", "headline": "The wall", "datePublished": {value}}}'
    found = read("", head=f'<script type="application/ld+json">{linked}</script>')
    assert found.published_at == "2025-03-04T00:00:00+00:00"


@pytest.mark.parametrize(
    ("line", "updated"),
    [
        ("This page was last edited on 4 March 2025, at 10:11.", DAY),
        ("Diese Seite wurde zuletzt am 4. März 2025 um 10:11 Uhr bearbeitet.", DAY),
        ("本页面最后修订于2025年3月4日。", DAY),
        ("This site was last updated on 4 March 2025.", None),
        ("This page was published on 4 March 2025.", None),
    ],
)
def test_a_footer_may_say_when_its_page_was_changed(line: str, updated: str | None) -> None:
    found = read(f'</article><div class="page-footer"><p>{line}</p></div><article>')
    assert (found.published_at, found.updated_at) == (None, updated)
