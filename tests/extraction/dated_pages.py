"""A set of 168 pages with titles, authors and dates: 28 structures of pages in 12 languages.

The structures are those in which systems for blogs, news, forums and documents write what a page is
called and when it was published and changed; the text is our own. Each page also has dates that
are not its own: of comments, teasers, the masthead or the foundation of the site.
"""

# ruff: noqa: E501 - a language is a row; its signs are its own

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}
# How each language writes a date: {d} {m} {y} are numbers, {dd} {mm} have two digits, {M} is a name.
_NOTATIONS = {
    "en": ("{M} {d}, {y}", "{d} {M} {y}", "{M:.3} {d}, {y}", "{mm}/{dd}/{y}"),
    "de": ("{d}. {M} {y}", "{dd}.{mm}.{y}", "{dd}.{mm}.{y}, 10:15 Uhr", "Dienstag, {d}. {M} {y}"),
    "fr": ("{d} {M} {y}", "le {d} {M} {y} à 10h15", "{dd}/{mm}/{y}", "mardi {d} {M} {y}"),
    "es": ("{d} de {M} de {y}", "{dd}/{mm}/{y} 10:15", "{d} {M}, {y}", "martes, {d} de {M} del {y}"),
    "pt": ("{d} de {M} de {y}", "{dd}/{mm}/{y} às 10h15", "{dd}.{mm}.{y}", "{d} {M} {y}"),
    "it": ("{d} {M} {y}", "{dd}/{mm}/{y}", "martedì {d} {M} {y}", "{dd}-{mm}-{y}"),
    "tr": ("{d} {M} {y}", "{dd}.{mm}.{y} 10:15", "{d} {M} {y} Salı", "{dd}/{mm}/{y}"),
    "ru": ("{d} {M} {y}", "{dd}.{mm}.{y}", "{d} {M} {y} г., 10:15", "10:15, {dd}.{mm}.{y}"),
    "ar": ("{d} {M} {y}", "{d} {M}، {y}", "الثلاثاء {d} {M} {y}", "{y}/{mm}/{dd}"),
    "zh": ("{y}年{m}月{d}日", "{y}-{mm}-{dd} 10:15", "{y}年{mm}月{dd}日10:15", "{y}/{mm}/{dd}"),
    "ja": ("{y}年{m}月{d}日", "{y}/{mm}/{dd}(火)", "{y}年{m}月{d}日 10:15", "{y}.{mm}.{dd}"),
    "ko": ("{y}년 {m}월 {d}일", "{y}. {m}. {d}.", "{y}.{mm}.{dd} 10:15", "{y}-{mm}-{dd}"),
}  # fmt: skip


class Words(NamedTuple):
    """What pages of one language say around their texts."""

    site: str
    published: str
    updated: str
    by: str
    founded: str
    deadline: str
    section: str
    home: str
    titles: tuple[str, ...]
    line: str


WORDS = {
    "en": Words("Harbour Letter", "Published", "Last updated", "By", "Founded on", "Deadline:", "News", "Home",
        ("Ferries will sail later on Sundays", "How to mend a net - and when not to", "What the tide table does not say", "Ten knots: a short guide", "The old crane stays"),
        "The town council heard the harbour master in June, and the figures that he gave are in the record of the meeting."),
    "de": Words("Seeblatt", "Veröffentlicht am", "Zuletzt aktualisiert:", "Von", "Gegründet am", "Bewerbungsfrist:", "Nachrichten", "Startseite",
        ("Die Fähre fährt sonntags länger", "Wie man ein Netz flickt - und wann nicht", "Was die Gezeitentafel verschweigt", "Zehn Knoten: eine kurze Anleitung", "Der alte Kran bleibt stehen"),
        "Der Gemeinderat hörte im Juni den Hafenmeister an, und seine Zahlen stehen im Protokoll der Sitzung."),
    "fr": Words("La Lettre du port", "Publié le", "Mis à jour le", "Par", "Fondée le", "Date limite :", "Actualités", "Accueil",
        ("Le bac circulera plus tard le dimanche", "Réparer un filet - et quand y renoncer", "Ce que ne dit pas la table des marées", "Dix nœuds : un petit guide", "La vieille grue reste en place"),
        "Le conseil a entendu le capitaine du port en juin, et ses chiffres figurent au procès-verbal de la séance."),
    "es": Words("La Carta del Puerto", "Publicado el", "Actualizado el", "Por", "Fundada el", "Fecha límite:", "Noticias", "Inicio",
        ("El transbordador navegará hasta más tarde", "Cómo remendar una red - y cuándo no", "Lo que calla la tabla de mareas", "Diez nudos: una guía breve", "La vieja grúa se queda"),
        "El ayuntamiento escuchó en junio al capitán del puerto, y sus cifras constan en el acta de la sesión."),
    "pt": Words("Carta do Porto", "Publicado em", "Atualizado em", "Por", "Fundada em", "Prazo:", "Notícias", "Início",
        ("A balsa vai circular até mais tarde", "Como remendar uma rede - e quando não", "O que a tábua de marés não diz", "Dez nós: um guia breve", "O velho guindaste fica"),
        "A câmara ouviu em junho o capitão do porto, e os números que ele deu estão na ata da reunião."),
    "it": Words("La Lettera del Porto", "Pubblicato il", "Aggiornato il", "Di", "Fondata il", "Scadenza:", "Notizie", "Home",
        ("Il traghetto viaggerà fino a tardi", "Come riparare una rete - e quando no", "Quello che la tavola delle maree tace", "Dieci nodi: una breve guida", "La vecchia gru resta"),
        "Il consiglio ha ascoltato in giugno il capitano del porto, e le sue cifre sono nel verbale della seduta."),
    "tr": Words("Liman Mektubu", "Yayınlanma tarihi:", "Güncelleme:", "Yazan", "Kuruluş", "Son başvuru:", "Haberler", "Ana sayfa",
        ("Vapurlar pazar günleri geç saate kadar çalışacak", "Ağ nasıl onarılır - ve ne zaman onarılmaz", "Gelgit çizelgesinin söylemediği", "On düğüm: kısa bir kılavuz", "Eski vinç yerinde kalıyor"),
        "Belediye meclisi haziran ayında liman başkanını dinledi ve verdiği rakamlar toplantı tutanağına geçti."),
    "ru": Words("Портовая газета", "Опубликовано", "Обновлено", "Автор", "Основана", "Срок подачи:", "Новости", "Главная",
        ("Паром по воскресеньям будет ходить дольше", "Как чинить сеть - и когда не стоит", "О чём молчит таблица приливов", "Десять узлов: краткое руководство", "Старый кран остаётся"),
        "Городской совет в июне заслушал начальника порта, и его цифры занесены в протокол заседания."),
    "ar": Words("رسالة الميناء", "تاريخ النشر:", "آخر تحديث:", "بقلم", "تأسست في", "آخر موعد:", "أخبار", "الرئيسية",
        ("العبارات تبحر حتى وقت متأخر يوم الأحد", "كيف ترقع الشبكة - ومتى لا تفعل", "ما لا يقوله جدول المد", "عشر عقد: دليل قصير", "الرافعة القديمة باقية"),
        "استمع مجلس البلدة إلى مدير الميناء في الصيف، والأرقام التي ذكرها مدونة في محضر الجلسة."),
    "zh": Words("港口来信", "发布时间：", "更新时间：", "作者：", "成立于", "截止日期：", "新闻", "首页",
        ("渡轮周日将延长运营时间", "怎样补渔网 - 以及何时不补", "潮汐表没有说的事", "十种绳结：简明指南", "老吊车留在码头"),
        "镇议会在六月听取了港务长的说明，他提供的数字都记在会议纪要里，居民可以到图书馆查阅。"),
    "ja": Words("港だより", "公開日：", "最終更新日：", "文：", "創立", "締切：", "ニュース", "ホーム",
        ("渡し船、日曜の運航を延長へ", "網の繕い方 - 繕わないほうがよいとき", "潮見表が語らないこと", "十の結び方：小さな手引き", "古いクレーンは残る"),
        "町議会は六月に港長の説明を聞き、示された数字は議事録に残されており、図書館で読むことができます。"),
    "ko": Words("항구 편지", "등록일", "최종 수정", "글", "설립", "마감일:", "뉴스", "홈",
        ("일요일 나룻배 운항이 늦게까지 늘어난다", "그물을 깁는 법 - 그리고 깁지 않을 때", "물때표가 말하지 않는 것", "열 가지 매듭: 짧은 안내", "낡은 기중기는 남는다"),
        "읍의회는 유월에 항만장의 설명을 들었고, 그가 밝힌 수치는 회의록에 남아 도서관에서 볼 수 있다."),
}  # fmt: skip


class DatedPage(NamedTuple):
    """A page with what it is called, and when it was published and updated."""

    name: str
    language: str
    url: str
    html: str
    title: str
    author: str
    published: str
    updated: str


class Facts(NamedTuple):
    """What a structure is filled with."""

    language: str
    words: Words
    title: str
    day: date
    later: date
    strange: date
    notation: str

    def write(self, day: date, notation: str = "") -> str:
        """Return ``day`` as the language writes it."""
        months = _MONTHS.get(self.language, "").split()
        return (notation or self.notation).format(
            d=day.day, m=day.month, y=day.year, dd=f"{day.day:02}", mm=f"{day.month:02}",
            M=months[day.month - 1] if months else "",
        )  # fmt: skip

    @property
    def shown(self) -> str:
        """The day of the page for a reader."""
        return self.write(self.day)

    @property
    def text(self) -> str:
        """The paragraphs of the page."""
        return f"<p>{self.words.line}</p>" * 4


def _linked(**data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **data})}</script>'


def _comments(f: Facts) -> str:
    return "".join(
        f'<li class="comment"><b>ada{n}</b> <time datetime="{f.strange}T1{n}:00:00Z">{f.write(f.strange)}</time><p>+1</p></li>'
        for n in range(3)
    )


def _teasers(f: Facts) -> str:
    return "".join(
        f'<li><a href="/x{n}">{t}</a> <span class="post-date">{f.write(f.strange)}</span></li>'
        for n, t in enumerate(f.words.titles)
    )


def wordpress(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title} – {f.words.site}</title><meta property="og:title" content="{f.title} – {f.words.site}"><meta property="og:site_name" content="{f.words.site}">',
        f'<div id="page" class="site"><header class="site-header"><p class="site-title"><a href="/">{f.words.site}</a></p></header><div id="content" class="has-sidebar"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">{f.title}</h1><div class="entry-meta"><span class="posted-on">{f.words.published} <a href="/p" rel="bookmark"><time class="entry-date published" datetime="{f.day}T08:00:00+01:00">{f.shown}</time><time class="updated" datetime="{f.later}T09:00:00+01:00">{f.write(f.later)}</time></a></span></div></header><div class="entry-content">{f.text}</div></article><div id="comments" class="comments-area"><ol class="comment-list">{_comments(f)}</ol></div></div><aside id="secondary" class="widget-area"><ul>{_teasers(f)}</ul></aside></div>',
    )


def old_blog(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.words.site} » {f.title}</title>",
        f'<div id="header"><h1 id="logo"><a href="/">{f.words.site}</a></h1></div><div id="main"><div class="post"><h2 class="title">{f.title}</h2><p class="meta"><span class="date">{f.shown}</span> | {f.words.by} Ada</p><div class="entry">{f.text}</div></div><div id="sidebar"><ul>{_teasers(f)}</ul></div></div>',
    )


def drupal(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} | {f.words.site}</title>",
        f'<header role="banner"><a href="/" class="site-logo">{f.words.site}</a><div class="current-date">{f.write(f.strange)}</div></header><main role="main"><h1 class="page-title"><span class="field--name-title">{f.title}</span></h1><article class="node"><footer class="node__meta"><div class="node__submitted">{f.words.by} <span>ada</span>, {f.shown}</div></footer><div class="node__content">{f.text}</div><section class="comments">{_comments(f)}</section></article></main>',
    )


def ghost(f: Facts) -> tuple[str, str]:
    linked = _linked(
        **{"@type": "Article"},
        headline=f.title,
        publisher={"@type": "Organization", "name": f.words.site},
        datePublished=f"{f.day}T08:00:00.000Z",
        dateModified=f"{f.later}T08:00:00.000Z",
    )
    return (
        f'<title>{f.title}</title><meta property="og:title" content="{f.title}">{linked}',
        f'<header class="gh-head"><a class="gh-head-logo" href="/">{f.words.site}</a></header><main><article class="article"><h1 class="article-title">{f.title}</h1><time class="article-byline-date" datetime="{f.day}">{f.shown}</time><section class="gh-content">{f.text}</section></article></main><section class="read-more"><article><h2>{f.words.titles[0]}</h2><time datetime="{f.strange}">{f.write(f.strange)}</time></article></section>',
    )


def platform(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title} | by Ada | {f.words.site}</title><meta property="og:site_name" content="{f.words.site}"><meta property="og:title" content="{f.title}"><meta property="article:published_time" content="{f.day}T10:00:00.000Z">',
        f'<div id="root"><article><section><h1 class="pw-post-title">{f.title}</h1><div><a rel="author" href="/@ada">Ada</a><span>5 min · {f.shown}</span></div>{f.text}</section></article><div class="responses"><span>{f.write(f.strange)}</span></div></div>',
    )


def news_graph(f: Facts) -> tuple[str, str]:
    other = {
        "@type": "NewsArticle",
        "headline": f.words.titles[1],
        "url": "https://port.example/other",
        "datePublished": f"{f.strange}",
    }
    own = {
        "@type": "NewsArticle",
        "headline": f.title,
        "mainEntityOfPage": {"@id": "https://port.example/n/story"},
        "datePublished": f"{f.day}T06:30:00+02:00",
        "dateModified": f"{f.later}T07:00:00+02:00",
        "author": [{"@type": "Person", "name": "Ada Example"}],
    }
    return (
        f'<title>{f.title} - {f.words.section} - {f.words.site}</title><link rel="canonical" href="https://port.example/n/story"><meta property="og:title" content="{f.title}"><meta property="og:site_name" content="{f.words.site}">{_linked(**{"@graph": [other, own]})}',
        f'<div class="ticker latest"><time datetime="{f.strange}">{f.write(f.strange)}</time></div><h1>{f.title}</h1><div class="story">{f.text}</div>',
    )


def news_lines(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title}_{f.words.section}_{f.words.site}</title>",
        f'<div class="topbar"><span class="date">{f.write(f.strange)}</span></div><div class="crumb"><a href="/">{f.words.home}</a> &gt; {f.words.section}</div><div class="main"><h1>{f.title}</h1><div class="article-info"><span>{f.shown}</span> <span>{f.words.site}</span></div><div class="article-body">{f.text}</div><div class="related"><ul>{_teasers(f)}</ul></div></div>',
    )


def forum(f: Facts) -> tuple[str, str]:
    posts = "".join(
        f'<div class="post"><p class="author">{f.words.by} <b>ada{n}</b> » {f.write(day)}</p><div class="content">{f.text if n == 0 else "<p>+1</p>"}</div></div>'
        for n, day in enumerate((f.day, f.later, f.strange))
    )
    return (
        f"<title>{f.title} - {f.words.site}</title>",
        f'<div id="page-header"><h1>{f.words.site}</h1></div><div id="page-body"><h2 class="topic-title"><a href="/t/1">{f.title}</a></h2>{posts}</div>',
    )


def blogger(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.words.site}: {f.title}</title><meta property="og:title" content="{f.title}">',
        f'<div class="header"><h1 class="title"><a href="/">{f.words.site}</a></h1></div><div class="date-outer"><h2 class="date-header"><span>{f.shown}</span></h2><div class="post hentry"><h3 class="post-title entry-title">{f.title}</h3><div class="post-body">{f.text}</div></div></div><div class="sidebar">{_teasers(f)}</div>',
    )


def manual(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} — {f.words.site}</title>",
        f'<div class="sphinxsidebar"><ul><li><a href="/a">{f.words.titles[0]}</a></li></ul></div><div class="document"><div role="main"><h1>{f.title}<a class="headerlink" href="#x">¶</a></h1>{f.text}<p class="last-updated">{f.words.updated} {f.write(f.later)}</p></div></div>',
    )


def office(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title}-{f.words.site}</title><meta name="ArticleTitle" content="{f.title}"><meta name="PubDate" content="{f.day} 09:30"><meta name="SiteName" content="{f.words.site}">',
        f'<div class="head"><img src="/logo.png" alt="{f.words.site}"></div><div class="pages-title"><h1>{f.title}</h1></div><div class="pages-date">{f.shown}</div><div class="pages_content">{f.text}</div>',
    )


def press_release(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title}</title><meta property="og:title" content="{f.title}"><meta property="og:site_name" content="{f.words.site}">',
        f'<header><h1 class="logo">{f.words.site}</h1></header><main><h1>{f.title}</h1><p class="release-date">{f.shown}</p>{f.text}<h3>{f.words.site}</h3><p>{f.words.founded} {f.write(f.strange)}. {f.words.line}</p></main>',
    )


def static_site(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} | {f.words.site}</title>",
        f'<nav><a href="/">{f.words.site}</a></nav><main><h1>{f.title}</h1><time datetime="{f.day}">{f.shown}</time>{f.text}</main><footer><p>© {f.strange.year} {f.words.site}</p><time datetime="{f.strange}">{f.strange}</time></footer>',
    )


def by_address(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} · {f.words.site}</title>",
        f'<h1 class="post-title">{f.title}</h1><p>{f.words.by} Ada</p>{f.text}<footer>{f.words.founded} {f.write(f.strange)}</footer>',
    )


def table_of_facts(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title}</title>",
        f"<h1>{f.title}</h1><table><tr><th>{f.words.founded}</th><td>{f.write(f.strange)}</td></tr><tr><th>{f.words.published}</th><td>{f.shown}</td></tr><tr><th>{f.words.updated}</th><td>{f.write(f.later)}</td></tr></table>{f.text}",
    )


def hatom(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.words.site} - {f.title}</title><meta name="twitter:title" content="{f.title}">',
        f'<div class="hentry"><h2 class="entry-title"><a href="/p" rel="bookmark">{f.title}</a></h2><abbr class="published" title="{f.day}T07:00:00+03:00">{f.shown}</abbr><div class="entry-content">{f.text}</div></div><div class="hfeed related"><abbr class="published" title="{f.strange}">{f.write(f.strange)}</abbr></div>',
    )


def microdata(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} :: {f.words.site}</title>",
        f'<div itemscope itemtype="https://schema.org/Comment"><meta itemprop="datePublished" content="{f.strange}">+1</div><div itemscope itemtype="https://schema.org/BlogPosting"><h1 itemprop="headline">{f.title}</h1><aside class="byline"><span itemprop="author">Ada</span> <meta itemprop="datePublished" content="{f.day}"><meta itemprop="dateModified" content="{f.later}">{f.shown}</aside><div itemprop="articleBody">{f.text}</div></div>',
    )


def journal(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title} | {f.words.site}</title><meta name="citation_title" content="{f.title}"><meta name="citation_publication_date" content="{f.day:%Y/%m/%d}"><meta name="DC.title" content="{f.title}"><meta name="citation_journal_title" content="{f.words.site}">',
        f'<h1 class="journal-name">{f.words.site}</h1><h2 class="article-title">{f.title}</h2><p class="history">{f.write(f.strange)}</p>{f.text}',
    )


def recipe(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} - {f.words.site}</title>{_linked(**{'@type': 'Recipe'}, name=f.title, datePublished=f'{f.day}')}",
        f'<h1 class="recipe-title">{f.title}</h1><div class="recipe">{f.text}<ul><li>2</li></ul></div><div class="reviews">{_comments(f)}</div>',
    )


def state(f: Facts) -> tuple[str, str]:
    data = json.dumps(
        {"page": {"article": {"title": f.title, "publishedAt": f"{f.day}T05:00:00.000Z"}}}
    )
    return (
        f'<title>{f.title} | {f.words.site}</title><meta property="og:site_name" content="{f.words.site}">',
        f'<div id="__next"><main><h1>{f.title}</h1>{f.text}</main></div><script id="__NEXT_DATA__" type="application/json">{data}</script>',
    )


def both_in_a_line(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} | {f.words.section} | {f.words.site}</title>",
        f'<header><a href="/">{f.words.site}</a></header><main><h1>{f.title}</h1><p>{f.words.published} {f.shown} | {f.words.updated} {f.write(f.later)}</p>{f.text}</main><aside>{_teasers(f)}</aside>',
    )


def undated(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title} | {f.words.site}</title><meta property="og:site_name" content="{f.words.site}">',
        f'<h1>{f.title}</h1>{f.text}<p>{f.words.founded} {f.write(f.strange)}.</p><div class="comments">{_comments(f)}</div><footer>© 2001-{f.strange.year} {f.words.site}</footer>',
    )


def wiki(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} - {f.words.site}</title>",
        f'<h1 id="firstHeading">{f.title}</h1><div id="mw-content-text">{f.text}<ol class="references"><li><cite>{f.words.titles[2]}. <span class="accessdate">{f.write(f.strange)}</span></cite></li></ol></div><div id="footer"><ul id="footer-info"><li id="footer-info-lastmod">{f.words.updated} {f.write(f.later)}</li></ul></div>',
    )


def questions(f: Facts) -> tuple[str, str]:
    return (
        f'<title>{f.title} - {f.words.site}</title><meta property="og:title" content="{f.title}">',
        f'<div id="question-header"><h1 itemprop="name"><a href="/q/1" class="question-hyperlink">{f.title}</a></h1></div><div><time itemprop="dateCreated" datetime="{f.day}T12:00:00">{f.shown}</time></div><div class="question">{f.text}</div><div id="answers"><div itemscope itemtype="https://schema.org/Answer"><time itemprop="dateCreated" datetime="{f.strange}T12:00:00">{f.write(f.strange)}</time><p>{f.words.line}</p></div></div>',
    )


def messenger(f: Facts) -> tuple[str, str]:
    return (
        f'<meta property="og:title" content="{f.title}"><title></title>',
        f'<div id="js_article"><h1 class="rich_media_title" id="activity-name">{f.title}</h1><a id="js_name">{f.words.site}</a> <em id="publish_time"></em><div id="js_content">{f.text}</div></div><script>var publish_time = "{f.day}" || "";</script>',
    )


def dateline(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} | {f.words.site}</title>",
        f'<header><a href="/">{f.words.site}</a></header><main><h1>{f.title}</h1><p class="byline">{f.words.by} Ada Lind | {f.shown}, {f.words.updated} {f.write(f.later)}</p>{f.text}</main><aside>{_teasers(f)}</aside>',
    )


def event(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.title} | {f.words.site}</title>",
        f'<header><a href="/">{f.words.site}</a></header><main><h1>{f.title}</h1><p class="info">{f.write(f.day)} – {f.write(f.later)}</p><p>{f.words.deadline} {f.write(f.strange)}</p>{f.text}</main>',
    )


def logo_alone(f: Facts) -> tuple[str, str]:
    return (
        f"<title>{f.words.site}</title>",
        f'<h1><a href="/"><img src="/logo.png" alt="{f.words.site}"></a></h1><svg><title>{f.words.section}</title></svg><article><h2>{f.title}</h2><p class="meta">{f.shown}</p><p>{f.words.by} Ada Lind</p>{f.text}</article>',
    )


STRUCTURES: tuple[Callable[[Facts], tuple[str, str]], ...] = (
    wordpress, old_blog, drupal, ghost, platform, news_graph, news_lines, forum, blogger, manual,
    office, press_release, static_site, by_address, table_of_facts, hatom, microdata, journal,
    recipe, state, both_in_a_line, undated, wiki, questions, messenger,
    dateline, event, logo_alone,
)  # fmt: skip
_UNPUBLISHED = (manual, undated, wiki, event)
_UPDATED = (
    wordpress,
    ghost,
    news_graph,
    manual,
    table_of_facts,
    microdata,
    both_in_a_line,
    wiki,
    dateline,
)
_AUTHORS = {
    "Ada": (old_blog, platform, by_address, microdata),
    "Ada Example": (news_graph,),
    "Ada Lind": (dateline, logo_alone),
}
_FIRST = date(2011, 1, 13)


def pages() -> Iterator[DatedPage]:
    """Yield the pages: each language takes every other structure."""
    for row, (language, words) in enumerate(WORDS.items()):
        for column in range(row % 2, len(STRUCTURES), 2):
            write = STRUCTURES[column]
            number = row * len(STRUCTURES) + column
            # The days of a month are told from its number, as in 3/14/2024.
            day = _FIRST + timedelta(days=number * 15)
            day = day.replace(day=13 + number % 15)
            notation = _NOTATIONS[language][(row + column // 2) % 4]
            filled = Facts(
                language,
                words,
                words.titles[column % 5],
                day,
                day + timedelta(days=9),
                day + timedelta(days=400),
                notation,
            )
            head, body = write(filled)
            address = "https://port.example/" + (
                f"{day:%Y/%m/%d}/story" if write is by_address else "n/story"
            )
            yield DatedPage(
                name=f"{write.__name__}-{language}",
                language=language,
                url=address,
                html=f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>',
                title=filled.title,
                author=next((name for name, known in _AUTHORS.items() if write in known), ""),
                published="" if write in _UNPUBLISHED else f"{day}",
                updated=f"{filled.later}" if write in _UPDATED else "",
            )  # fmt: skip
