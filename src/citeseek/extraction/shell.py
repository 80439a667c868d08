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
    r"(?i)(?:enable|activate|requires?|turn on|need|without|support) .{0,40}java ?script"
    r"|java ?script (?:is )?(?:required|disabled|not enabled)"
    r"|(?:aktivier|erforder|activez|habilit|abilit).{0,40}java ?script"
    r"|(?:启用|开启|啟用|開啟|打开|需要|支持).{0,12}java ?script"
    r"|java ?script.{0,8}(?:启用|开启|有効)"
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


def is_shell(signs: ScriptSigns, text: str) -> bool:
    """Whether a page whose article is ``text`` is nothing but the place of one."""
    said = letters(text)
    if not signs.has_scripts or said >= 2 * SHELL:
        return False
    if signs.asks or _NEEDS_SCRIPTS.search(text):
        return said < SHELL or signs.has_root
    return said == 0 or (signs.has_root and said < SHELL // 2)


def awaits_scripts(signs: ScriptSigns, text: str) -> bool:
    """Whether a page whose article is ``text`` says less than its scripts promise."""
    said = letters(text)
    if not signs.has_scripts or said >= _WHOLE:
        return False
    if signs.asks or signs.is_root_empty or signs.waits or _NEEDS_SCRIPTS.search(text):
        return True
    return said < _WHOLE // 2 and signs.code > _PROMISE * max(said, SHELL)
