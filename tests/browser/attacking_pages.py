"""Pages whose scripts try to reach what nobody may, and show their article all the same.

``INNER`` stands for the address of a server that no page may reach, ``INNER6`` for one on IPv6;
``PORT`` is the port of the former, and ``STUN`` that of one for UDP.
"""

from __future__ import annotations

from typing import Any

from tests.browser.scripted_pages import JS_ARTICLE, SCRIPT, ScriptedPage, shell


def attack(script: str, *, body: str = "", head: str = "", **fields: Any) -> ScriptedPage:
    """Return a page that shows its article and does ``script`` before and after."""
    html = shell(
        f'<div id="root"></div>{body}',
        f"const go = () => {{ {script} }}; try {{ go(); }} catch (error) {{}}"
        f" root.innerHTML = {JS_ARTICLE}; try {{ go(); }} catch (error) {{}}",
        head=head,
    )
    return ScriptedPage(html, **fields)


ATTACKS: dict[str, ScriptedPage] = {
    "fetch": attack(
        "for (const url of ['INNER/fetch', 'INNER6/fetch', 'http://169.254.169.254/latest/meta-data',"
        " 'http://10.0.0.1/', 'http://2130706433:PORT/', 'http://0x7f.1:PORT/', 'http://localhost:PORT/',"
        " 'http://inner.example:PORT/', 'http://mixed.example:PORT/', 'http://[::ffff:127.0.0.1]:PORT/',"
        " 'file:///etc/passwd']) fetch(url, { mode: 'no-cors' }).then(r => r.text())"
        ".then(t => root.append(t)).catch(() => 0);",
        core=True,
    ),
    "XMLHttpRequest that waits": attack(
        "const x = new XMLHttpRequest(); x.open('GET', 'INNER/xhr', false); x.send();"
    ),
    "WebSocket": attack(
        "new WebSocket('INNERWS/ws'); new WebSocket('ws://169.254.169.254/');"
        " new EventSource('INNER/events');",
        core=True,
    ),
    "elements": attack(
        "for (const [tag, name] of Object.entries({ iframe: 'src', img: 'src', script: 'src', video: 'src',"
        " embed: 'src', object: 'data', track: 'src', audio: 'src' })) { const e = document.createElement(tag);"
        " e.setAttribute(name, 'INNER/' + tag); document.body.append(e); }",
        head="<link rel=stylesheet href=INNER/css><link rel=icon href=INNER/icon>"
        "<link rel=manifest href=INNER/manifest>",
        core=True,
    ),
    "hints": attack(
        "",
        head="<link rel=preconnect href=INNER><link rel=dns-prefetch href=//inner.example>"
        "<link rel=prefetch href=INNER/prefetch><link rel=preload as=script href=INNER/preload>"
        "<link rel=modulepreload href=INNER/module><link rel=prerender href=INNER/prerender>"
        '<script type=speculationrules>{"prerender":[{"urls":["INNER/spec"]}],'
        '"prefetch":[{"urls":["INNER/spec2"]}]}</script>',
        core=True,
    ),
    "beacons": attack(
        "navigator.sendBeacon('INNER/beacon', 'x'); fetch('INNER/keep', { method: 'POST', keepalive: true,"
        " mode: 'no-cors', body: 'x' }); const f = document.createElement('form'); f.method = 'post';"
        " f.action = 'INNER/form'; document.body.append(f); f.submit();",
        core=True,
    ),
    "windows": attack(
        "for (const url of ['INNER/window', 'file:///etc/passwd', 'view-source:INNER/', 'about:blank'])"
        " { const w = open(url); if (w) w.location = 'INNER/window'; }"
        " const a = document.createElement('a'); a.href = 'INNER/blank'; a.target = '_blank';"
        " document.body.append(a); a.click();",
        core=True,
    ),
    "a script that leads inside": attack(
        "location = 'INNER/location';", wall="ssrf_blocked", core=True
    ),
    "a refresh that leads inside": attack(
        "const m = document.createElement('meta'); m.httpEquiv = 'refresh';"
        " m.content = '0;url=INNER/refresh'; document.head.append(m);",
        wall="ssrf_blocked",
    ),
    "places that are no web": attack(
        "for (const url of ['file:///etc/passwd', 'view-source:INNER/', 'chrome://settings', 'data:text/html,x'])"
        " try { location = url; } catch (error) {}"
    ),
    "a request that is redirected": attack(
        "fetch('/hop', { mode: 'no-cors' }).catch(() => 0); new Image().src = '/hop';"
        " const s = document.createElement('script'); s.src = '/hop'; document.head.append(s);",
        core=True,
    ),
    "WebRTC": attack(
        "const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:STUN' }, { urls:"
        " ['turn:127.0.0.1:STUN', 'turn:127.0.0.1:PORT?transport=tcp'], username: 'a', credential: 'b' }] });"
        " p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o));"
        " new WebTransport('https://127.0.0.1:STUN/');",
        core=True,
    ),
    "workers": attack(
        "navigator.serviceWorker.register('/evil.js'); new Worker('/evil.js'); new SharedWorker('/evil.js');"
        " new Worker(URL.createObjectURL(new Blob([\"fetch('INNER/blob', { mode: 'no-cors' })\"])));"
        " Navigator.prototype.__lookupGetter__('serviceWorker').call(navigator).register('/evil.js?2');",
        files={
            "/evil.js": (
                SCRIPT,
                "fetch('INNER/worker', { mode: 'no-cors' }); importScripts('INNER/import');",
            )
        },
    ),
    "a frame of its own": attack(
        "const f = document.createElement('iframe'); f.srcdoc ="
        " \"<script>fetch('INNER/srcdoc', { mode: 'no-cors' }); top.location = 'file:///etc/passwd'<\\/script>\";"
        " document.body.append(f);"
    ),
}
