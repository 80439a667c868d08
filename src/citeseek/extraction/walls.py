"""Pages that stand in front of a page: challenges, refusals, consent, login, scripts.

A page that has an article is never one of them, whatever it says: the text is read first, and what
is known of walls is asked only where there is little text.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.errors import WebBlocked
from citeseek.extraction.script_shell import SHELL, ScriptSigns, is_shell
from citeseek.extraction.title import stated_title
from citeseek.models import Page
from citeseek.text import plain_line


class Wall(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of wall is known.

    ``marks`` are CSS selectors of what no other page has, ``titles`` and ``words`` regular
    expressions for its title and its text. ``most`` is how much it may say of itself, in
    :func:`~citeseek.extraction.markup.letters`, and still be a wall.
    """

    detail_code: str
    marks: str = ""
    titles: str = ""
    words: str = ""
    most: int = 600


HOSTS = {
    "consent.google.com": "consent_required",
    "consent.youtube.com": "consent_required",
    "consent.yahoo.com": "consent_required",
    "guce.yahoo.com": "consent_required",
    "wappass.baidu.com": "captcha_required",
    "geo.captcha-delivery.com": "captcha_required",
}
WALLS = (
    Wall(
        detail_code="captcha_required",
        marks=(
            "#challenge-form, #challenge-running, #challenge-error-text, #cf-challenge-running,"
            " #cf-error-details, .cf-error-details, #px-captcha, #captcha-container,"
            " #distil_ident_block, #sec-if-cpt-container, #nocaptcha, #nc_1_wrapper,"
            " script[src*='captcha-delivery.com'], iframe[src*='captcha-delivery.com'],"
            " iframe[src*='_Incapsula_Resource'], script[src*='challenge-platform/h/'],"
            " script[src*='/_sec/cp_challenge/'], script[src*='TCaptcha.js'],"
            " script[src*='awswaf.com'][src*='challenge'], form[action*='captcha' i]"
        ),
        most=1_800,
    ),
    Wall(
        detail_code="captcha_required",
        titles=(
            r"just a moment|attention required|are you (?:a )?(?:human|robot)|robot check"
            r"|human verification|security (?:check|verification)|ddos.guard"
            r"|pardon our interruption|captcha"
            r"|安全验证|安全驗證|人机验证|人機驗證|验证码|驗證碼|访问验证|滑动验证"
        ),
        words=(
            r"verify(?:ing)? (?:that )?you are (?:a )?human|not a robot|unusual traffic"
            r"|checking (?:your browser|if the site connection)|complete the (?:captcha|security)"
            r"|请完成(?:安全)?验证|請完成驗證|拖动滑块|拖動滑塊|环境异常|访问过于频繁|異常流量|异常流量"
        ),
    ),
    Wall(
        detail_code="access_denied",
        titles=(
            r"^access (?:to this page (?:has been )?)?denied|^(?:403 )?forbidden"
            r"|^request (?:blocked|rejected)"
            r"|you have been blocked|^访问被拒绝|^拒绝访问|^访问受限|^禁止访问"
        ),
        words=(
            r"you don.t have permission to access|you have been blocked"
            r"|your (?:ip|access) (?:address )?"
            r"(?:has been|is|was) blocked|request was blocked"
            r"|您的访问(?:请求)?(?:被|已被)(?:拒绝|拦截|阻断)"
            r"|您的请求(?:疑似攻击行为|已被(?:拦截|阻断))"
        ),
    ),
    Wall(
        detail_code="login_required",
        marks="input[type=password]",
        titles=r"^(?:log ?in|sign ?in)\b|^登录|^登入|^ログイン",
        words=(
            r"(?:log|sign) ?in to (?:continue|view|read|see|access)|please (?:log|sign) ?in"
            r"|(?:请|請)先?(?:登录|登入|登錄)|登录后(?:查看|阅读|可见|继续)|登入後(?:查看|閱讀|繼續)"
        ),
        most=700,
    ),
)
# What says more is no wall.
LONGEST = max(one.most for one in WALLS)
# Words and buttons of a request for consent; both must be there.
CONSENT = re.compile(r"(?i)cookies?\b|your privacy|personal data|gdpr|隐私|隱私|個人資料|クッキー")
ANSWER = re.compile(
    r"(?i)^(?:i )?(?:accept|agree|allow|consent|got it|ok\b|reject|continue without|同意|接受|允许"
    r"|允許|全部接受|我同意|拒绝|拒絕|alle akzeptieren|zustimmen|tout accepter|accepter)"
)
BUTTONS = "button, input[type=submit], input[type=button], a[role=button], a[class*=button], a.btn"
CONSENT_BOXES = (
    "[id*=cookie i], [class*=cookie i], [id*=consent i], [class*=consent i], [id*=onetrust i],"
    " [id^=sp_message], [id*=didomi], [class*=qc-cmp], [id*=usercentrics], [id*=gdpr i],"
    " [class*=gdpr i], [id*=truste], [class*=cmp-], [id*=privacy-wall]"
)
# A request for consent is long; next to an article it is short.
LONGEST_CONSENT = 6_000
MOST_BOXES = 20
_SENTENCES = {
    "captcha_required": "The site asks for a CAPTCHA or another proof.",
    "access_denied": "The site refuses this client.",
    "consent_required": "The site asks for consent to its cookies first.",
    "login_required": "The site asks to log in first.",
    "javascript_required": "The page is empty until a browser runs its JavaScript.",
}
_HINTS = {
    "login_required": "A person with an account can read it.",
    "javascript_required": "A browser can open it.",
}


def wall_error(detail_code: str, page: Page) -> WebBlocked:
    """Return the error for a wall."""
    return WebBlocked(
        _SENTENCES[detail_code],
        hint=_HINTS.get(detail_code, "A person can open it in a browser; a proxy may help."),
        detail_code=detail_code,
        page=page,
        values={"case": "page"},
    )


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at on a page of which nothing is taken out; none where its text is long."""

    title: str = ""
    marked: tuple[str, ...] = ()
    consent: str = ""
    scripts: ScriptSigns = ScriptSigns()

    @classmethod
    def of(cls, document: LexborHTMLParser, consent: str) -> Signs:
        """Return the signs of ``document`` as it came, ``consent`` its request for that."""
        return cls(
            title=stated_title(document),
            marked=tuple(
                wall.detail_code
                for wall in WALLS
                if wall.marks and document.css_first(wall.marks) is not None
            ),
            consent=consent,
            scripts=ScriptSigns.of(document),
        )


def wall(signs: Signs, text: str, said: int, url: str) -> str | None:
    """Return the detail code of the wall that a page of ``signs`` is, None when it is none.

    ``text`` is what was read as its article, without requests for consent, ``said`` how much that
    is in :func:`~citeseek.extraction.markup.letters`.
    """
    if detail_code := HOSTS.get(urlsplit(url).hostname or ""):
        return detail_code
    for one in WALLS:
        if said > one.most:
            continue
        titled = bool(one.titles) and re.search(f"(?i){one.titles}", signs.title) is not None
        worded = bool(one.words) and re.search(f"(?i){one.words}", text) is not None
        if one.detail_code == "login_required":
            if _is_login(signs, said, titled=titled, worded=worded):
                return one.detail_code
        elif (one.marks and one.detail_code in signs.marked) or titled or worded:
            return one.detail_code
    if signs.consent and said < SHELL:
        return "consent_required"
    if is_shell(signs.scripts, text, said):
        return "javascript_required"
    return None


def _is_login(signs: Signs, said: int, *, titled: bool, worded: bool) -> bool:
    has_form = "login_required" in signs.marked
    return worded or (has_form and (titled or said < SHELL)) or (titled and said < SHELL)


def consent(document: LexborHTMLParser) -> str:
    """Return the text of the first request for consent that can be answered, empty without one."""
    for box in document.css(CONSENT_BOXES)[:MOST_BOXES]:
        if box.tag in ("html", "body", "article", "main"):
            continue
        text = plain_line(box.text())
        if len(text) <= LONGEST_CONSENT and CONSENT.search(text) and _can_answer(box):
            return text
    body = document.body
    text = _short_text(body) if body is not None else ""
    if 0 < len(text) <= LONGEST_CONSENT // 3 and CONSENT.search(text) and _can_answer(body):
        return text
    return ""


def _short_text(body: LexborNode) -> str:
    """Return the line of a page that says little, of another one its beginning."""
    text = body.text()
    begin = plain_line(text[: 10 * LONGEST_CONSENT])
    return begin if len(begin) > LONGEST_CONSENT else plain_line(text)


def _can_answer(box: object) -> bool:
    for button in box.css(BUTTONS):  # type: ignore[attr-defined]
        label = plain_line(button.text()) or button.attributes.get("value") or ""
        if ANSWER.search(label.strip()):
            return True
    return False
