"""Pages of our own that scripts build, in the structure of real ones, and what is to be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

FIRST = "Green tea is made from leaves that are heated soon after they are picked."
MIDDLE = "In Japan they are steamed for less than a minute, in China most are tossed in a hot pan."
LAST = "What the leaves keep by that is their colour, and a taste that others lose within hours."
PARAGRAPHS = (FIRST, MIDDLE, LAST, "Water for it is poured at about seventy degrees and no more.")
ARTICLE = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
TITLE = "How green tea is made"
JS_ARTICLE = json.dumps(f"<article><h1>{TITLE}</h1>{ARTICLE}</article>").replace("</", "<\\/")
JS_TEXTS = json.dumps(PARAGRAPHS)


class ScriptedPage(NamedTuple):
    """A page, what else its site has, and what is to come of it.

    ``says`` is to be in the text, ``never`` is not; ``wall`` is the detail code of the error
    instead. ``core`` pages are read by ``make test``, all of them by ``make test-all``.
    """

    html: str
    says: tuple[str, ...] = (FIRST, LAST)
    never: tuple[str, ...] = ()
    wall: str = ""
    files: Mapping[str, tuple[str, str]] = {}
    is_rendered: bool = True
    options: Mapping[str, Any] = {}
    core: bool = False


def shell(body: str, script: str = "", *, head: str = "", title: str = TITLE) -> str:
    """Return a page with ``body`` and ``script`` behind it."""
    code = f"<script>{script}</script>" if script else ""
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body>{body}{code}</body></html>"
    )


JSON = "application/json"
SCRIPT = "text/javascript"
SHOW = f"root.innerHTML = {JS_ARTICLE};"
ROOT = '<div id="root"></div>'
CONSENT = (
    '<div id="cookie-consent" class="consent-overlay" style="position:fixed;inset:0">'
    "<p>We and our 842 partners use cookies and personal data to show what you may like.</p>"
    "<button>Accept all</button><button>Reject all</button></div>"
)
LIST = "".join(f'<li class="skeleton" data-n="{n}">…</li>' for n in range(40))
MENU = (
    "<nav><a href=/>Home</a> <a href=/a>About</a></nav><footer>© Tea Board, 12 Leaf Road</footer>"
)


# Rows of 40 pixels in a list of 400, of which the ones in sight are written.
def virtual_list(count: int) -> str:
    """Return a script: ``count`` rows of 40 pixels in a list of 400, the ones in sight written."""
    return (
        'root.innerHTML = \'<h1>Rows</h1><div id=list style="height:400px;overflow:auto">'
        f'<div id=all style="position:relative;height:{count * 40}px"></div></div>\';'
        "const draw = () => { let rows = ''; const from = Math.floor(list.scrollTop / 40);"
        f" for (let n = from; n < Math.min(from + 12, {count}); n++)"
        f' rows += `<p style="position:absolute;top:${{n * 40}}px">Row ${{n + 1}} is {FIRST}</p>`;'
        " all.innerHTML = rows; }; list.onscroll = draw; draw();"
    )


PAGES: dict[str, ScriptedPage] = {
    "react": ScriptedPage(
        shell(
            '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
            "const h = (tag, ...inside) => { const e = document.createElement(tag);"
            " e.append(...inside); return e; };"
            f"root.append(h('main', h('h1', document.title), ...{JS_TEXTS}.map(t => h('p', t))));",
        ),
        core=True,
    ),
    "vue": ScriptedPage(
        shell(
            '<div id="app"></div>',
            f"const data = {{ texts: {JS_TEXTS} }};"
            "app.innerHTML = `<article>${data.texts.map(t => `<p>${t}</p>`).join('')}</article>`;",
        )
    ),
    "svelte": ScriptedPage(
        shell(
            '<div id="svelte"></div>',
            f"const target = document.getElementById('svelte'); for (const t of {JS_TEXTS}) {{"
            "const p = document.createElement('p'); p.append(document.createTextNode(t));"
            "target.insertBefore(p, null); }",
        )
    ),
    "angular": ScriptedPage(
        shell(
            "<app-root></app-root>",
            "customElements.define('app-root', class extends HTMLElement {"
            f"connectedCallback() {{ queueMicrotask(() => this.innerHTML = {JS_ARTICLE}); }} }});",
        )
    ),
    "a module in a file": ScriptedPage(
        shell(ROOT, head="<script type=module src=/main.js></script>"),
        files={
            "/main.js": (SCRIPT, "import { show } from '/show.js'; show();"),
            "/show.js": (SCRIPT, f"export const show = () => {{ {SHOW} }};"),
        },
        core=True,
    ),
    "fetch": ScriptedPage(
        shell(
            ROOT + MENU,
            "fetch('/api/article').then(r => r.json()).then(a => root.innerHTML = a.html);",
        ),
        files={"/api/article": (JSON, json.dumps({"html": ARTICLE}))},
        core=True,
    ),
    "XMLHttpRequest": ScriptedPage(
        shell(
            ROOT,
            "const x = new XMLHttpRequest(); x.open('GET', '/api/article');"
            "x.onload = () => root.innerHTML = JSON.parse(x.responseText).html; x.send();",
        ),
        files={"/api/article": (JSON, json.dumps({"html": ARTICLE}))},
    ),
    "a chunk that is imported": ScriptedPage(
        shell(ROOT, "import('/chunk.js').then(chunk => root.innerHTML = chunk.html);"),
        files={"/chunk.js": (SCRIPT, f"export const html = {JS_ARTICLE};")},
    ),
    "three requests in a row": ScriptedPage(
        shell(
            ROOT,
            "(async () => { let at = '/one'; while (at) { const r = await (await fetch(at)).json();"
            " root.insertAdjacentHTML('beforeend', r.html); at = r.next; } })();",
        ),
        files={
            "/one": (JSON, json.dumps({"html": f"<p>{FIRST}</p>", "next": "/two"})),
            "/two": (JSON, json.dumps({"html": f"<p>{MIDDLE}</p>", "next": "/three"})),
            "/three": (JSON, json.dumps({"html": f"<p>{LAST}</p>"})),
        },
    ),
    "document.write": ScriptedPage(shell("", f"document.write({JS_ARTICLE});")),
    "a shadow root with a slot": ScriptedPage(
        shell(
            f"<tea-page id=root><p>{FIRST}</p></tea-page>",
            "customElements.define('tea-page', class extends HTMLElement { connectedCallback() {"
            "this.attachShadow({ mode: 'open' }).innerHTML ="
            f" '<main><slot></slot>' + {JS_TEXTS}.slice(1).map(t => `<p>${{t}}</p>`).join('') + '</main>'; }} }});",
        ),
        core=True,
    ),
    "a timer": ScriptedPage(shell(ROOT, f"setTimeout(() => {{ {SHOW} }}, 500);")),
    "a template": ScriptedPage(
        shell(
            f'{ROOT}<template id="t">{ARTICLE}</template>',
            "root.append(t.content.cloneNode(true));",
        )
    ),
    "a worker": ScriptedPage(
        shell(ROOT, "new Worker('/worker.js').onmessage = e => root.innerHTML = e.data;"),
        files={"/worker.js": (SCRIPT, f"postMessage({JS_ARTICLE});")},
    ),
    "events of the server": ScriptedPage(
        shell(ROOT, "new EventSource('/events').onmessage = e => root.innerHTML += e.data;"),
        files={
            "/events": ("text/event-stream", "".join(f"data: <p>{t}</p>\n\n" for t in PARAGRAPHS))
        },
    ),
    "a route in the fragment": ScriptedPage(
        shell(ROOT, f"addEventListener('hashchange', () => {{ {SHOW} }}); location.hash = '#/tea';")
    ),
    "a route by pushState": ScriptedPage(shell(ROOT, f"history.pushState(0, '', '/tea'); {SHOW}")),
    "a script that leads on": ScriptedPage(
        shell(ROOT, "location.replace('/real');"),
        files={"/real": ("text/html", shell(ARTICLE * 2))},
        is_rendered=False,
        core=True,
    ),
    "a refresh from a script": ScriptedPage(
        shell(
            ROOT,
            "const m = document.createElement('meta'); m.httpEquiv = 'refresh';"
            "m.content = '0;url=/real'; document.head.append(m);",
        ),
        files={"/real": ("text/html", shell(ARTICLE * 2))},
        is_rendered=False,
    ),
    "a request for JavaScript in Chinese": ScriptedPage(
        shell(f"<noscript>您需要启用 JavaScript 才能查看此页面。</noscript>{ROOT}{MENU}", SHOW)
    ),
    "a list that loads what is seen": ScriptedPage(
        shell(
            f'<main id="root"><ul>{LIST}</ul></main>',
            f"const texts = {JS_TEXTS}; const seen = new IntersectionObserver(all => {{"
            "for (const one of all) if (one.isIntersecting) { const e = one.target;"
            " e.className = ''; e.textContent = `${e.dataset.n}: ${texts[e.dataset.n % 4]}`; } });"
            "for (const e of document.querySelectorAll('li')) { e.style.height = '300px'; seen.observe(e); }",
        ),
        says=(f"0: {FIRST}", f"38: {LAST}"),
        core=True,
    ),
    "a skeleton": ScriptedPage(
        shell(
            '<main id="root" aria-busy="true"><div class="skeleton-line"></div></main>' + MENU,
            f"setTimeout(() => {{ {SHOW} root.removeAttribute('aria-busy'); }}, 700);",
        )
    ),
    "a list that grows when it is scrolled": ScriptedPage(
        shell(
            '<main id="root" style="min-height:6000px"></main>',
            f"const texts = {JS_TEXTS}; let at = 0; const add = () => at < 4 &&"
            " root.insertAdjacentHTML('beforeend', `<p>${texts[at++]}</p>`); add();"
            "addEventListener('scroll', add);",
        ),
        says=(FIRST, MIDDLE),
    ),
    "a list that fits into the window and listens to it": ScriptedPage(
        shell(
            '<main id="root"></main>',
            f"const texts = {JS_TEXTS}; let at = 0, soon = 0; const add = () => at < 4 &&"
            " root.insertAdjacentHTML('beforeend', `<p>${texts[at++]}</p>`); add();"
            "addEventListener('scroll', () => { clearTimeout(soon); soon = setTimeout(add, 150); });",
        ),
        says=(FIRST, MIDDLE),
        core=True,
    ),
    "a list that listens to the wheel": ScriptedPage(
        shell(
            '<main id="root"></main>',
            f"const texts = {JS_TEXTS}; let at = 0; const add = () => at < 4 &&"
            " root.insertAdjacentHTML('beforeend', `<p>${texts[at++]}</p>`); add();"
            "addEventListener('wheel', add);",
        ),
        says=(FIRST, MIDDLE),
    ),
    "a list that scrolls by itself": ScriptedPage(
        shell(
            '<main id="root" style="height:300px;overflow-y:auto"><div style="height:900px"></div></main>',
            f"const texts = {JS_TEXTS}; let at = 0; const add = () => at < 4 &&"
            " root.insertAdjacentHTML('beforeend', `<p>${texts[at++]}</p>`); add();"
            "root.addEventListener('scroll', add);",
        ),
        says=(FIRST, MIDDLE),
    ),
    "a list without an end": ScriptedPage(
        shell(
            '<main id="root"></main><div id="end" style="height:20px"></div>',
            f"let at = 0; const texts = {JS_TEXTS}; const add = () => {{ for (let n = 0; n < 20; n++)"
            " root.insertAdjacentHTML('beforeend', `<p style=height:90px>${at++} ${texts[at % 4]}</p>`); };"
            "new IntersectionObserver(([e]) => e.isIntersecting && add()).observe(end); add();"
            "addEventListener('scroll', add);",
        ),
        says=(f"0 {MIDDLE}", FIRST),
        core=True,
    ),
    "a list that holds the rows in sight alone": ScriptedPage(
        shell(ROOT, virtual_list(100)),
        says=tuple(f"Row {n} is {FIRST}" for n in range(1, 101)),
        core=True,
    ),
    "a list that makes one row after the other": ScriptedPage(
        shell(
            '<main style="height:400px;overflow-y:auto" id="root"></main>',
            "root.innerHTML = '<div style=height:4000px;position:relative id=all></div>'; const rows = {};"
            "const draw = () => { const from = Math.floor(root.scrollTop / 40);"
            " for (let n = 0; n < 100; n++) { const is = n >= from && n < from + 12;"
            " if (is && !rows[n]) { const e = rows[n] = document.createElement('p');"
            " e.style = `position:absolute;top:${n * 40}px`;"
            f" e.textContent = `Row ${{n + 1}} is {FIRST}`; all.append(e); }}"
            " if (!is && rows[n]) { rows[n].remove(); delete rows[n]; } } };"
            "root.addEventListener('scroll', draw); draw();",
        ),
        says=tuple(f"Row {n} is {FIRST}" for n in range(1, 101)),
    ),
    "a message that goes while the page is scrolled": ScriptedPage(
        shell(
            ROOT,
            f"{SHOW} root.insertAdjacentHTML('beforeend',"
            " '<p style=height:6000px id=tip>Scroll down for more.</p>');"
            "addEventListener('scroll', () => tip.remove(), { once: true });",
        ),
        never=("Scroll down for more.",),
    ),
    "consent in front": ScriptedPage(
        shell(ROOT + CONSENT, SHOW), never=("842 partners",), core=True
    ),
    "consent that a script brings": ScriptedPage(
        shell(
            ROOT,
            f"{SHOW} document.body.insertAdjacentHTML('beforeend', {json.dumps(CONSENT)});"
            "document.body.style.overflow = 'hidden';",
        ),
        never=("842 partners",),
    ),
    "dialogs": ScriptedPage(
        shell(
            ROOT,
            "addEventListener('beforeunload', e => e.preventDefault()); alert('x'); confirm('y');"
            f" prompt('z'); print(); {SHOW}",
        )
    ),
    "a clock that never rests": ScriptedPage(
        shell(
            f"{ROOT}<i id=clock>0</i>",
            f"{SHOW} setInterval(() => clock.textContent = 1 - clock.textContent, 20);",
        )
    ),
    "a log-in that a script shows": ScriptedPage(
        shell(
            ROOT,
            "root.innerHTML = '<h1>Sign in</h1><form><input name=u><input type=password name=p></form>"
            "<p>Please sign in to continue.</p>';",
            title="Sign in",
        ),
        wall="login_required",
        core=True,
    ),
    "a challenge that a script shows": ScriptedPage(
        shell(ROOT, "root.innerHTML = '<div id=px-captcha>Press and hold</div>';"),
        wall="captcha_required",
    ),
    "scripts that show nothing": ScriptedPage(
        shell(ROOT, "fetch('/never');"), wall="javascript_required", core=True
    ),
    "a script that never ends": ScriptedPage(
        shell(ROOT, "while (true);"), wall="javascript_required", options={"seconds": 2.0}
    ),
    "more than may be read": ScriptedPage(
        shell(
            ROOT,
            f"root.innerHTML = {JS_ARTICLE} + ('<p>' + 'more '.repeat(50) + '</p>').repeat(6000);",
        ),
        says=(FIRST,),
    ),
}
