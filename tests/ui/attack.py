"""Texts that try to run a script in the page, and how a test would know that one did."""

from __future__ import annotations

from playwright.sync_api import Dialog, Page

RUN = "window.pwned=1"
TEXTS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"</title><img src=x onerror={RUN}>",
    f'"><svg onload={RUN}>',
    f"'><iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"</textarea><details open ontoggle={RUN}>",
    f"<a href=javascript:{RUN}>here</a>",
    f"{{{{constructor.constructor('{RUN}')()}}}} ${{{RUN}}} %3Cscript%3E{RUN}%3C/script%3E",
)
ADDRESSES = (
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}//https://site.example",
    f"data:text/html,<script>opener.{RUN}</script>",
    f"vbscript:{RUN}",
    f'https://site.example/"onmouseover={RUN}//',
    f"https://site.example/'><script>{RUN}</script>",
    "//evil.example/x",
)
_WATCH = """() => {
  window.refused = [];
  document.addEventListener("securitypolicyviolation", event => {
    window.refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
}"""
# Whatever else may be in the page, none of this is from us.
_FOREIGN = """() => {
  const own = ["words", "state"];
  const names = [...document.querySelectorAll(
    `iframe, object, embed, base, img, video, audio, style, template, [style*='url'], frame,
    svg:not(.glyph), svg.glyph > :not(use[href^="/static/icons.svg#"])`
  )].map(each => each.outerHTML.slice(0, 100));
  for (const script of document.scripts) {
    const isOwn = own.includes(script.id) || script.getAttribute("src") === "/static/main.js";
    if (!isOwn) names.push(script.outerHTML.slice(0, 100));
  }
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) names.push(`${name} of ${element.outerHTML.slice(0, 100)}`);
      const scheme = /^\\s*(javascript|data|vbscript|file|blob):/i.test(value);
      if (["href", "src", "action", "formaction"].includes(name) && scheme) names.push(value);
    }
  }
  return names;
}"""
_POKE = """() => {
  for (const element of document.querySelectorAll("main *, #history *, #settings *")) {
    for (const kind of ["mouseover", "focus", "mouseenter", "error", "load", "toggle"]) {
      element.dispatchEvent(new Event(kind));
    }
  }
}"""


class Watch:
    """Sees what a hostile text does to a page that is opened afterwards."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._dialogs: list[str] = []
        page.on("dialog", self._opened)
        page.add_init_script(f"({_WATCH})()")

    def harm(self) -> list[str]:
        """Return everything that should not be, empty for a page that withstood."""
        self._page.evaluate(_POKE)
        refused: list[str] = self._page.evaluate("() => window.refused")
        foreign: list[str] = self._page.evaluate(_FOREIGN)
        pwned = self._page.evaluate("() => 'pwned' in window")
        return [*self._dialogs, *refused, *foreign, *(["a script ran"] if pwned else [])]

    def _opened(self, dialog: Dialog) -> None:
        self._dialogs.append(dialog.message)
        dialog.dismiss()
