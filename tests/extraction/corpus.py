"""Articles of our own, each in several layouts of pages: what has to come out, and what not.

An article is a list of blocks; a layout writes them as a kind of site does and puts around them
what such a site has around its articles.
"""

# ruff: noqa: E501 - a paragraph is one line

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

Block = tuple[str, str]


@dataclass(frozen=True)
class Article:
    name: str
    language: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.blocks)


@dataclass(frozen=True)
class Sample:
    name: str
    layout: str
    article: Article
    html: str


DATE = "2026-03-14"
URL = "https://site.example/section/page.html"

ARTICLES = (
    Article(
        "tide",
        "en",
        "How a harbour learned to read its tide",
        (
            ("p", "For two centuries the harbour of Selby Reach kept its tide tables in a wooden box beside the lock. The keeper copied them by hand each December, and nobody asked where the numbers came from."),
            ("p", "That changed in 1911, when a schoolteacher named Ada Morrow noticed that high water came eleven minutes late on every calm day in spring. She wrote the times on the back of attendance sheets and compared them with the moon."),
            ("h2", "The eleven minutes"),
            ("p", "Morrow suspected the new breakwater. Water that used to enter over the shoals now had to pass through a gap of sixty metres, and the gap acted as a throttle. Her letter to the harbour board was polite, short and ignored."),
            ("quote", "I do not claim that the moon is wrong, only that our table has not been told about the wall."),
            ("p", "Four years later two colliers grounded on the same afternoon. The inquiry found her letter in a drawer, and the board paid for a gauge."),
            ("ul", "The gauge recorded the level every six minutes."),
            ("ul", "A clerk read the drum on Mondays."),
            ("ul", "The corrected table was sold for twopence."),
            ("p", "The gauge house still stands. Its drum is in the town museum, and the correction of eleven minutes is printed in the margin of every chart of the estuary."),
        ),
    ),
    Article(
        "captcha",
        "en",
        "Why the CAPTCHA is losing its argument",
        (
            ("p", "A page that asks whether you are a robot assumes that robots answer worse than people do. For some years that was a safe assumption. It no longer is, and the sites that still rely on it are mostly testing patience."),
            ("p", "The first puzzles were distorted words. A reader had to verify that he was human by typing what a scanner could not read, and the scanner learned from every answer. Within a decade the machines were better at it than the visitors."),
            ("h2", "From puzzles to suspicion"),
            ("p", "Today the check is mostly invisible. The browser is measured while it loads, unusual traffic is slowed, and only a visitor who looks odd is shown a grid of traffic lights. People with screen readers, old telephones or strict privacy settings look odd all day."),
            ("p", "Operators know this. In a survey of forty site owners, thirty-one said that the challenge cost them customers, and twenty-six said that they would keep it anyway, because access denied to a person makes no noise while a flood of orders by a script does."),
            ("p", "The way out is not a harder puzzle. It is to price the resource: to let anybody read slowly, and to ask for an account where speed is wanted."),
        ),
    ),
    Article(
        "pump",
        "en",
        "Sizing a circulation pump for a small house",
        (
            ("p", "A circulation pump that is too large is noisy and wastes power; one that is too small leaves the last radiator cold. The right size follows from two numbers, the flow and the head."),
            ("h2", "Flow"),
            ("p", "Divide the heat demand in watts by 1.16 times the temperature drop in kelvin. A house that needs 8,000 watts with a drop of 15 kelvin needs about 460 litres an hour."),
            ("pre", "def flow(watts, drop):\n    return watts / (1.16 * drop)\n\nprint(round(flow(8000, 15)))"),
            ("h2", "Head"),
            ("p", "The head is the resistance of the longest circuit. Count the metres of pipe out and back, multiply by the pressure loss, and add what the valves take."),
            ("table", "Part|Loss in kPa"),
            ("table", "Pipe, 40 m|6.0"),
            ("table", "Thermostatic valve|5.0"),
            ("table", "Mixer|3.5"),
            ("p", "The sum is 14.5 kPa, or about 1.5 metres of water. Choose a pump whose curve passes through that point near its middle, and set it to constant pressure."),
        ),
    ),
    Article(
        "short-en",
        "en",
        "Library reopens on Monday",
        (
            ("p", "The town library reopens on Monday at nine after six weeks of repairs to its roof."),
            ("p", "Books that were due during the closure can be returned until the end of the month without a fee, the librarian said."),
        ),
    ),
    Article(
        "bridge",
        "zh",
        "一座石桥的三次重建",
        (
            ("p", "石泉镇的拱桥始建于明代万历年间，桥长四十二米，宽四米八，由当地青石砌成。四百年来，它经历过三次重建，每一次都留下了清楚的记录。"),
            ("p", "第一次重建发生在清康熙二十三年。那年夏天山洪暴发，桥面被冲走一半。镇上的石匠陈氏兄弟用了十一个月，把桥墩加宽了三尺，并在迎水的一面加砌了分水尖。"),
            ("h2", "以石代木"),
            ("p", "第二次重建是在一九三六年。当时桥上原有的木廊已经朽坏，县里的工程师周维新主张拆去木廊，改用石栏。老人们反对，说没有廊的桥不能避雨，也留不住人。"),
            ("quote", "桥是给人走的，也是给人停的。拆了廊，就只剩下走了。"),
            ("p", "最后双方各退一步：桥面改用石栏，桥头则修了一座四角亭。亭子里的碑文至今可读，记着捐款的三百二十七个名字。"),
            ("ul", "木料全部来自后山的杉木林。"),
            ("ul", "石料从二十里外的采石场运来。"),
            ("ul", "工钱按日结算，每日米三升。"),
            ("p", "第三次重建在二〇一九年完成。工程队给每一块石头编号，拆下、清洗、检测之后再按原位砌回。替换的新石只有四十六块，都在背面刻了年份。"),
        ),
    ),
    Article(
        "soil",
        "zh",
        "阳台种菜，先看土壤",
        (
            ("p", "很多人第一次在阳台种菜，买的是种子和花盆，却很少认真挑选土壤。结果往往是发芽很快，长到五六片叶子就停了。问题多半出在土里。"),
            ("h2", "看三个指标"),
            ("p", "第一看透气。把湿土握成团，松手后轻轻一碰就散开，说明颗粒之间有空隙；如果像泥一样黏手，根就很难呼吸。第二看酸碱，大多数叶菜喜欢中性偏微酸的环境。第三看肥力，新买的营养土一般只够六到八周。"),
            ("table", "蔬菜|适宜酸碱度"),
            ("table", "菠菜|6.5 至 7.5"),
            ("table", "番茄|6.0 至 6.8"),
            ("table", "草莓|5.5 至 6.5"),
            ("h2", "怎样配土"),
            ("p", "家里常用的办法，是园土、椰糠和腐熟堆肥按四比三比三混合，再加一小把珍珠岩。混好之后浇透水，放一个星期再用，让其中的盐分慢慢沉下去。"),
            ("p", "旧土不必扔掉。收完一茬菜之后，把根须捡净，在太阳下摊开晒三天，补一成堆肥，就可以种下一茬。只是同一科的蔬菜不要连着种。"),
        ),
    ),
    Article(
        "radio",
        "zh",
        "老收音機裡的聲音",
        (
            ("p", "父親留下一台真空管收音機，木殼已經褪色，旋鈕卻還很緊。插上電，要等半分鐘，玻璃管慢慢亮起來，聲音才從很遠的地方走近。"),
            ("p", "我小時候以為那半分鐘是電台的人在走路。後來學了電學，才知道燈絲要先熱，電子才肯離開陰極。知道之後並沒有失望，反而覺得等待有了理由。"),
            ("h2", "修理"),
            ("p", "上個月它忽然沒有聲音。修理的師傅打開後蓋，用毛刷掃去灰塵，指著一顆鼓起來的電容說，問題就在這裡。新的電容只有舊的四分之一大，裝進去顯得空蕩蕩的。"),
            ("p", "師傅問要不要順便換掉喇叭，我說不用。聲音有一點沙，但那是我認識的聲音。他笑了笑，只收了電容的錢。"),
        ),
    ),
    Article(
        "short-zh",
        "zh",
        "周末地铁延长运营",
        (
            ("p", "本周六和周日，地铁一号线和三号线末班车时间延长至凌晨零点三十分。"),
            ("p", "运营方提醒乘客，延长时段内部分出入口关闭，请留意站内广播和指示牌。"),
        ),
    ),
)  # fmt: skip

_OTHER = {
    "en": ("Ten gardens worth a detour", "What the mayor said on Tuesday", "Old maps, new owners", "A recipe for barley soup", "The ferry timetable changes again"),
    "zh": ("十个值得绕路去看的花园", "市长周二说了什么", "旧地图的新主人", "一碗大麦汤的做法", "渡轮时刻表再次调整"),
}  # fmt: skip
_MENU = {
    "en": ("Home", "News", "Sport", "Culture", "Weather", "Contact"),
    "zh": ("首页", "新闻", "体育", "文化", "天气", "联系我们"),
}
_COMMENTS = {
    "en": ("Great piece, thank you for writing it.", "I remember this differently, my uncle worked there.", "First! Also, the second picture is upside down."),
    "zh": ("写得真好，谢谢分享。", "我记得不是这样的，我叔叔当时就在那里工作。", "沙发！另外第二张图好像放反了。"),
}  # fmt: skip
_SMALL = {
    "en": ("All rights reserved. Reproduction only with written permission of the publisher.", "Subscribe to our newsletter", "Share this article", "Related articles", "We use cookies to improve your visit. By continuing you accept our cookie policy."),
    "zh": ("版权所有，未经书面授权不得转载。京ICP备00000000号", "订阅我们的每周通讯", "分享到微信 微博 QQ空间", "相关阅读", "我们使用 cookies 改善您的浏览体验，继续浏览即表示同意。"),
}  # fmt: skip


def _body(article: Article, paragraph: str = "<p>{}</p>") -> str:
    """Return the blocks as HTML; neighbours of one kind share their list or table."""
    parts: list[str] = []
    previous = ""
    for kind, text in (*article.blocks, ("", "")):
        if previous in ("ul", "table") and kind != previous:
            parts.append(f"</{previous}>")
        if kind in ("ul", "table") and kind != previous:
            parts.append(f"<{kind}>")
        safe = escape(text)
        if kind == "p":
            parts.append(paragraph.format(safe))
        elif kind == "h2":
            parts.append(f"<h2>{safe}</h2>")
        elif kind == "quote":
            parts.append(f"<blockquote><p>{safe}</p></blockquote>")
        elif kind == "ul":
            parts.append(f"<li>{safe}</li>")
        elif kind == "table":
            cells = "".join(f"<td>{cell}</td>" for cell in safe.split("|"))
            parts.append(f"<tr>{cells}</tr>")
        elif kind == "pre":
            parts.append(f"<pre><code>{safe}</code></pre>")
        previous = kind
    return "\n".join(parts)


def _links(texts: tuple[str, ...], tag: str = "li") -> str:
    return "".join(f"<{tag}><a href='/x/{n}'>{text}</a></{tag}>" for n, text in enumerate(texts))


def _page(article: Article, head: str, body: str) -> str:
    return (
        f"<!doctype html><html lang='{article.language}'><head><meta charset='utf-8'>"
        f"<title>{article.title} | Site Example</title>{head}</head><body>{body}</body></html>"
    )


def _semantic(one: Article) -> str:
    lang = one.language
    head = (
        '<meta property="og:site_name" content="Site Example">'
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",'
        f'"headline":"{one.title}","datePublished":"{DATE}T08:00:00+00:00"}}</script>'
    )
    return _page(
        one,
        head,
        f"<header><nav><ul>{_links(_MENU[lang])}</ul></nav></header><main><article><header>"
        f"<h1>{one.title}</h1><p class=byline>Ada Example</p></header>{_body(one)}</article>"
        f"</main><aside><h3>{_SMALL[lang][3]}</h3><ul>{_links(_OTHER[lang])}</ul></aside>"
        f"<footer><p>{_SMALL[lang][0]}</p></footer><script>var a = 'x';</script>",
    )


def _tables(one: Article) -> str:
    lang = one.language
    menu = "".join(f"<tr><td><a href=/x>{text}</a></td></tr>" for text in _MENU[lang])
    text = _body(one, "<font size=3>{}</font><br><br>")
    return _page(
        one,
        f"<meta name=pubdate content='{DATE}'>",
        "<table width=100%><tr><td colspan=3 bgcolor=#336699><font color=white><b>Site Example</b>"
        f"</font></td></tr><tr><td width=120 valign=top><table>{menu}</table></td>"
        f"<td valign=top><h1>{one.title}</h1>{text}</td><td width=160 valign=top>"
        f"{_links(_OTHER[lang], 'div')}</td></tr><tr><td colspan=3><center>{_SMALL[lang][0]}"
        "</center></td></tr></table>",
    )


def _portal(one: Article) -> str:
    lang = one.language
    day = "2026年03月14日 08:30" if lang == "zh" else "March 14, 2026"
    hot = "".join(f"<li><i>{n}</i><a href=/h/{n}>{t}</a></li>" for n, t in enumerate(_OTHER[lang]))
    return _page(
        one,
        "",
        f"<div class=top-bar><ul>{_links(_MENU[lang] * 3)}</ul></div><div class=wrap>"
        f"<div class=crumb><a href=/>{_MENU[lang][0]}</a> &gt; <a href=/n>{_MENU[lang][1]}</a></div>"
        f"<div class=main-left><h1 class=tit>{one.title}</h1><div class=info>"
        f"<span class=date>{day}</span> <span class=source>Site Example</span></div>"
        f"<div class=article-content id=artibody>{_body(one)}</div>"
        f"<div class=share>{_SMALL[lang][2]}</div><div class=related><h3>{_SMALL[lang][3]}</h3>"
        f"<ul>{_links(_OTHER[lang])}</ul></div></div><div class=side-right><h3>Top 5</h3><ol>{hot}"
        f"</ol></div></div><div class=foot><p>{_SMALL[lang][0]}</p></div>",
    )


def _docs(one: Article) -> str:
    lang = one.language
    return _page(
        one,
        f"<meta name=date content={DATE}>",
        f"<div class=sidebar><ul>{_links(_MENU[lang] * 6)}</ul></div><div class=document>"
        f"<div class=breadcrumbs><a href=/>Docs</a> / {one.title}</div>"
        f"<div role=main class=body><h1>{one.title}<a class=headerlink href=#a>¶</a></h1>"
        f"{_body(one)}</div><div class=prev-next><a href=/p>{_OTHER[lang][0]}</a> "
        f"<a href=/n>{_OTHER[lang][1]}</a></div></div><footer>{_SMALL[lang][0]}</footer>",
    )


def _commented(one: Article) -> str:
    lang = one.language
    comments = "".join(
        f"<li class=comment><b>user{n}</b><p>{text}</p><a href=#r>Reply</a></li>"
        for n, text in enumerate(_COMMENTS[lang] * 4)
    )
    return _page(
        one,
        f'<meta property="article:published_time" content="{DATE}T10:00:00Z">',
        f"<div id=header><a href=/>Site Example</a></div><div id=content class=post>"
        f"<h1 class=entry-title>{one.title}</h1><div class=entry-content>{_body(one)}</div></div>"
        f"<div id=comments class=comments-area><h3>12</h3><ol class=comment-list>{comments}</ol>"
        "<form action=/c><textarea></textarea><button>OK</button></form></div>"
        f"<div id=footer>{_SMALL[lang][0]}</div>",
    )


def _crowded(one: Article) -> str:
    lang = one.language
    accept = "Accept all" if lang == "en" else "全部接受"
    return _page(
        one,
        f'<meta property="article:published_time" content="{DATE}">',
        f"<div id=cookie-banner class=cookie-consent><p>{_SMALL[lang][4]}</p>"
        f"<button>{accept}</button></div><div class=modal role=dialog><h2>{_SMALL[lang][1]}</h2>"
        f"<form><input type=email><button>OK</button></form></div><header><nav>"
        f"{_links(_MENU[lang], 'span')}</nav></header><div class=content-wrapper><article>"
        f"<h1>{one.title}</h1><div class=social-share>{_SMALL[lang][2]}</div>{_body(one)}"
        f"<div class=newsletter-box><h4>{_SMALL[lang][1]}</h4><input type=email></div></article>"
        f"<section class=recommended>{_links(_OTHER[lang], 'h4')}</section></div>"
        f"<footer>{_SMALL[lang][0]}</footer>",
    )


def _bare(one: Article) -> str:
    return _page(one, "", f"<h1>{one.title}</h1>\n{_body(one)}")


def _sections(one: Article) -> str:
    lang = one.language
    text = _body(one, "<section><section style='margin:0'><span>{}</span></section></section>")
    return _page(
        one,
        "",
        f"<div id=js_article><div class=rich_media_inner><h1 id=activity-name>{one.title}</h1>"
        f"<div id=meta_content><em id=publish_time>{DATE}</em></div>"
        f"<div id=js_content style='visibility: hidden;'>{text}</div></div></div>"
        f"<div id=js_pc_qr_code><p>{_SMALL[lang][2]}</p></div><script>show();</script>",
    )


LAYOUTS = {
    "semantic": _semantic,
    "tables": _tables,
    "portal": _portal,
    "docs": _docs,
    "commented": _commented,
    "crowded": _crowded,
    "bare": _bare,
    "sections": _sections,
}


def samples() -> Iterator[Sample]:
    """Yield every article in every layout."""
    for article in ARTICLES:
        for layout, write in LAYOUTS.items():
            yield Sample(f"{article.name}-{layout}", layout, article, write(article))
