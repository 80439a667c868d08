"""Pages that scripts build: what tells, on the page as it came, that its text is yet to come."""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.markup import letters
from citeseek.text import plain_line

# A shell that waits for its scripts says no more than its name and "loading".
SHELL = 120
# A text as long as this is a page, whatever else may come.
_WHOLE = 600
# A root with no more than this (a name, "loading") is empty.
_EMPTY = 60
ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #app-root, #react-root, #vue-app,"
    " #main-app, app-root, [data-reactroot], [ng-app], [ng-version], [data-server-rendered],"
    " [data-sveltekit], [data-sveltekit-hydrate], [q\\:container]"
)
_PLACEHOLDERS = (
    "[aria-busy=true], [class*=skeleton i], [class*=shimmer i], [class*=spinner i],"
    " [class*=lazy-list i], [class*=lazyload-wrapper i], [class*=infinite-scroll i],"
    " [data-infinite-scroll], [class*=loading i]:not(html):not(body)"
)
_NEEDS_SCRIPTS = re.compile(
    r"(?i)(?:enable|activate|requires?|turn on|needs?|without|supports?) .{0,40}java ?script"
    r"|java ?script (?:is )?(?:required|disabled|not enabled)"
    r"|(?:aktivier|erforder|activez|habilit|abilit).{0,40}java ?script"
    r"|(?:启用|开启|啟用|開啟|打开|需要|支持).{0,12}java ?script"
    r"|java ?script.{0,8}(?:启用|开启|有効)"
)
# A line that stands where a text is to come; what follows its first words is more of the same.
_WAITING = re.compile(
    r"(?i)\W*(?:(?:now |still |page |content )?loading(?: (?:the |your |this )?(?:page|site|content"
    r"|data|app|application|results))?(?=\W*$|[.…,!])|loading,? please\b|please (?:wait|hold on)\b"
    r"|(?:wait|hold on|one moment|just a moment)(?:,? please)?(?=\W*$|[.…])"
    r"|(?:initiali[sz]ing|starting up|wird geladen|chargement(?: en cours)?|cargando|carregando"
    r"|caricamento(?: in corso)?|загрузка)(?=\W*$|[.…,!])|bitte warten\b|veuillez patienter\b"
    r"|(?:(?:正在|数据|數據|页面|頁面|内容)*(?:加载|加載|载入|載入)中?(?=\W*$|[.…。，！])|请稍[候等后]|請稍[候等後]"
    r"|(?:読み込み|ロード)中|(?:少々)?お待ちください|로딩 ?중))"
)
# A line of so many letters that ends as a sentence does is a text, however little there is.
_LEAST_SENTENCE = 40
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]）」』]*$")
# What also a shell says below its root.
_IMPRINT = re.compile(
    r"(?i)^\W*(?:©|\(c\)|copyright)|all rights reserved|版权所有|無断転載|alle rechte"
)
_FAILED = re.compile(
    r"(?i)something went wrong|(?:failed|unable) to (?:load|fetch)|could ?n[o']t (?:be )?load"
    r"|an? (?:unexpected |unknown )?error (?:has )?occurred|application error|try again later"
    r"|(?:加载|加載|载入|載入|请求|請求)(?:失败|失敗|出错|出錯)|出错了|出錯了"
    r"|エラーが発生|読み込みに失敗|fehler aufgetreten|une erreur"
)
_DATA = re.compile(r"(?i)json|template|x-")
# What a script in a file of its own is taken to hold, in characters.
_FILE = 4_000
# A page is small beside scripts that are so many times its text.
_PROMISE = 60


class ScriptSigns(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at before scripts are taken out of the page.

    ``asks`` tells that it asks for JavaScript in ``noscript``, ``is_root_empty`` that where an
    application is put there is hardly any text, ``waits`` that placeholders stand where more is to
    come. ``code`` is how much there is of scripts, in characters, those in files guessed.
    """

    has_scripts: bool = False
    has_root: bool = False
    is_root_empty: bool = False
    asks: bool = False
    waits: bool = False
    code: int = 0

    @classmethod
    def of(cls, document: LexborHTMLParser) -> ScriptSigns:
        """Return the signs of ``document`` as it came."""
        scripts = document.css("script:not([type='application/ld+json'])")
        if not scripts:
            return cls()
        roots = document.css(ROOTS)
        said = " ".join(plain_line(node.text()) for node in document.css("noscript"))
        return cls(
            has_scripts=True,
            has_root=bool(roots),
            is_root_empty=bool(roots) and all(letters(root.text()) <= _EMPTY for root in roots),
            asks=_NEEDS_SCRIPTS.search(said) is not None,
            waits=document.css_first(_PLACEHOLDERS) is not None,
            code=sum(
                _FILE if script.attributes.get("src") else len(script.text())
                for script in scripts
                if not _DATA.search(script.attributes.get("type") or "")
            ),
        )


def is_shell(signs: ScriptSigns, text: str, said: int) -> bool:
    """Whether a page whose article is ``text``, ``said`` letters long, is only a place of one.

    A page with one sentence of its own is none, also where an empty root stands beside it.
    """
    if not signs.has_scripts or said >= 2 * SHELL or _has_sentence(text):
        return False
    if is_placeholder(text):
        return True
    if signs.asks or _NEEDS_SCRIPTS.search(text):
        return said < SHELL or signs.has_root
    return said == 0 or (signs.has_root and said < SHELL // 2)


def awaits_scripts(signs: ScriptSigns, text: str, said: int) -> bool:
    """Whether a page whose article is ``text``, ``said`` letters long, has scripts for more."""
    if not signs.has_scripts or said >= _WHOLE:
        return False
    if signs.asks or signs.is_root_empty or signs.waits or _NEEDS_SCRIPTS.search(text):
        return True
    return said < _WHOLE // 2 and signs.code > _PROMISE * max(said, SHELL)


def is_placeholder(text: str) -> bool:
    """Whether ``text`` does nothing but ask to wait for another."""
    lines = [line for line in text.splitlines() if letters(line)]
    is_short = 0 < letters(text) < 2 * SHELL
    return is_short and all(_WAITING.match(line) for line in lines)


def _has_sentence(text: str) -> bool:
    """Whether a line of ``text`` tells something else than that more is to come."""
    return any(
        letters(line) >= _LEAST_SENTENCE
        and _SENTENCE_END.search(line) is not None
        and not any(one.search(line) for one in (_NEEDS_SCRIPTS, _IMPRINT, _FAILED))
        and not _WAITING.match(line)
        for line in map(str.strip, text.splitlines())
    )


def is_failure(text: str) -> bool:
    """Whether ``text`` is what scripts say that could not get theirs."""
    return letters(text) < SHELL and _FAILED.search(text) is not None
