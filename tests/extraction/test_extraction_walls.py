"""Pages in front of a page are recognised, and articles about them are articles."""

# ruff: noqa: E501 - a page is one line

from __future__ import annotations

import pytest
from tests.extraction.corpus import ARTICLES, LAYOUTS

from citeseek.errors import WebBlocked
from citeseek.extraction import Document, extract, wall_of
from citeseek.models import Page

CAPTCHA = next(article for article in ARTICLES if article.name == "captcha")
COOKIES = (
    "We and our 842 partners store and access personal data, like cookies, on your device."
    " You can accept or manage your choices at any time. "
)
WALLS = {
    "just a moment": (
        ("<title>Just a moment...</title><noscript><h2>Enable JavaScript and cookies to continue</h2>"
        "</noscript><script src=/cdn-cgi/challenge-platform/h/b/orchestrate/x></script>"),
        "captcha_required",
    ),
    "blocked by a firewall": (
        "<title>Attention Required!</title><div id=cf-error-details><h1>Sorry, you have been blocked"
        "</h1><p>" + "This website uses a security service against attacks. " * 10 + "</p></div>",
        "captcha_required",
    ),
    "widget": (
        "<title>site.example</title><iframe src=https://geo.captcha-delivery.com/captcha/></iframe>",
        "captcha_required",
    ),
    "press and hold": ("<title>Access</title><div id=px-captcha></div>", "captcha_required"),
    "安全验证": ("<title>安全验证</title><p>请完成安全验证后继续访问</p>", "captcha_required"),
    "环境异常": ("<title></title><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p>", "captcha_required"),
    "access denied": (
        ("<title>Access Denied</title><h1>Access Denied</h1>You don't have permission to access"
        ' "http://site.example/" on this server.<p>Reference #18.2d'),
        "access_denied",
    ),
    "拒绝": ("<title>405</title><p>您的请求疑似攻击行为，已被拦截。</p>", "access_denied"),
    "cookie wall": (
        (f"<title>Site</title><div id=consent-page><h1>Before you continue</h1><p>{COOKIES * 5}</p>"
        "<form><button>Reject all</button><button>Accept all</button></form></div>"),
        "consent_required",
    ),
    "cookie wall without a name": (
        f"<title>Site</title><div class=c1><p>{COOKIES}</p><button>I agree</button></div>",
        "consent_required",
    ),
    "cookie 墙": (
        ("<title>新闻</title><div class=cookie-wall><p>我们使用 cookies 并重视您的隐私。</p>"
        "<button>全部接受</button></div>"),
        "consent_required",
    ),
    "log in": (
        ("<title>Log in to Example</title><form><input name=u><input type=password>"
        "<button>Log in</button></form><a href=/forgot>Forgot?</a>"),
        "login_required",
    ),
    "sign in to read": (
        "<title>A story</title><p>Please sign in to read this story.</p>",
        "login_required",
    ),
    "登录后查看": ("<title>帖子</title><div>您好，登录后查看全部内容</div>", "login_required"),
    "shell of an app": (
        "<title>App</title><div id=root></div><script src=/app.js></script>",
        "javascript_required",
    ),
    "noscript": (
        ("<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript>"
        "<div id=app>Loading…</div><script>var a=1;</script>"),
        "javascript_required",
    ),
    "只有脚本": ("<script>document.write('x')</script>", "javascript_required"),
}  # fmt: skip


def at(body: str, url: str = "https://site.example/story") -> Page:
    return Page(url=url, headers={"content-type": "text/html; charset=utf-8"}, body=body.encode())


def detail_code(page: Page) -> str:
    with pytest.raises(WebBlocked) as caught:
        extract(page)
    assert caught.value.page is page
    assert caught.value.hint
    return caught.value.detail_code


def text(body: str) -> Document:
    return extract(at(body))


@pytest.mark.parametrize("name", WALLS)
def test_a_page_in_front_of_the_page_is_named(name: str) -> None:
    body, wanted = WALLS[name]
    assert detail_code(at(body)) == wanted
    assert wall_of(at(body)).detail_code == wanted


_SHELL = (
    "<title>Tea house</title><noscript>Please enable JavaScript.</noscript>{}<div id=root></div>"
    "<script src=/app.js></script>"
)


@pytest.mark.parametrize(
    "said",
    [
        "The tea house is open from ten to five on all days but Monday.",
        "How do I steep a green tea so that it does not become bitter at all?",
        "茶馆每天从上午十点开到下午五点，星期一休息，入场免费。",
        "The tea house is open from ten to five on all days but Monday. " * 2,
    ],
)
@pytest.mark.parametrize("around", ["{}", "<header>Tea</header>{}<footer>Since 1890</footer>"])
def test_a_sentence_beside_an_empty_root_is_the_page(said: str, around: str) -> None:
    document = text(_SHELL.format(around.format(f"<p>{said}</p>")))
    assert said.strip() in document.text
    assert document.awaits_scripts


@pytest.mark.parametrize(
    "said",
    [
        "Tea house",
        "Please wait while the tea house is being opened for you, it takes a moment.",
        "This tea house needs JavaScript to be enabled in your browser, so please do that.",
        "© 2024 The Tea House of the Valley Limited. All rights reserved in every country.",
        "Something went wrong while the page was being built, so please come back to it.",
    ],
)
def test_what_a_shell_says_of_itself_is_no_page(said: str) -> None:
    assert detail_code(at(_SHELL.format(f"<p>{said}</p>"))) == "javascript_required"


@pytest.mark.parametrize("host", ["consent.google.com", "consent.youtube.com", "guce.yahoo.com"])
def test_a_redirect_to_a_consent_page_is_known_by_its_host(host: str) -> None:
    assert detail_code(at("<p>Bevor Sie fortfahren", f"https://{host}/m")) == "consent_required"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_article_about_captchas_is_an_article(layout: str) -> None:
    assert "robots answer worse than people" in text(LAYOUTS[layout](CAPTCHA)).text


@pytest.mark.parametrize(
    "around",
    [
        "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>{}",
        "{}<form action=/comment><div class=g-recaptcha></div><button>OK</button></form>",
        "<form action=/login><input type=password></form>{}",
        f"<div id=onetrust-banner><p>{COOKIES * 3}</p><button>Accept all</button></div>{{}}",
        "<noscript>Please enable JavaScript.</noscript><div id=root>{}</div><script src=a></script>",
        "{}<p>Log in to read the comments.</p>",
    ],
)
def test_results_win_over_what_stands_around_them(around: str) -> None:
    article = LAYOUTS["semantic"](CAPTCHA)
    document = text(around.format(article))
    assert "robots answer worse than people" in document.text
    assert "842 partners" not in document.text


@pytest.mark.parametrize(
    "body",
    [
        "<title>Status</title><h1>All systems operational</h1><p>Updated 5 minutes ago.</p>",
        (
            "<title>Cookie policy</title><main class=cookie-policy><h1>Cookie policy</h1>"
            "<p>This site sets two cookies. One keeps your language, the other your basket.</p></main>"
        ),
        "<title>Hi</title><p>Our office is closed today.</p><script src=/analytics.js></script>",
    ],
)
def test_a_short_page_is_a_page(body: str) -> None:
    assert text(body).text


@pytest.mark.parametrize("body", ["<title>Nothing</title>", "<html><body></body></html>", " \n"])
def test_an_empty_page_is_an_empty_text(body: str) -> None:
    document = text(body)
    assert (document.text, document.method) == ("", "none")
    assert wall_of(at(body)) is None
