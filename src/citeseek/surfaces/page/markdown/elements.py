"""The HTML of code, tables, links, images and formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from operator import attrgetter

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from citeseek.surfaces.page.markdown.code import LANGUAGE, code
from citeseek.surfaces.page.markdown.links import Ends, citation, ends
from citeseek.surfaces.page.markdown.mathml import mathml

# What the library would leave out of a text without elements.
_AS_TEXT: Mapping[str, Callable[[Token], str]] = {
    "formula": attrgetter("info"),
    "citation": attrgetter("content"),
}


class Elements(RendererHTML):
    """Writes tokens as HTML. A method is named after the kind of token that it writes."""

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Begin a link; what ends it depends on its text and waits in the closing token."""
        token = tokens[idx]
        end = idx + 1
        while tokens[end].level > token.level:
            end += 1
        around = Ends()
        if not token.meta.get("in_link"):
            inside = tokens[idx + 1 : end]
            for each in inside:
                each.meta["in_link"] = True
            text = self.renderInlineAsText(inside, options, env)
            around = ends(str(token.attrGet("href") or ""), text)
        tokens[end].meta["html"] = around.closing
        return around.opening

    def link_close(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,  # noqa: ARG002
    ) -> str:
        """End a link."""
        return str(tokens[idx].meta["html"])

    def renderInlineAsText(  # noqa: N802 - the name is the library's
        self, tokens: Sequence[Token] | None, options: OptionsDict, env: EnvType
    ) -> str:
        """Return what can be read of ``tokens``, formulas as they were written."""
        plain = super().renderInlineAsText
        return "".join(
            _AS_TEXT[token.type](token) if token.type in _AS_TEXT else plain([token], options, env)
            for token in tokens or ()
        )

    def citation(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,
    ) -> str:
        """Write a citation as a mark that leads to its source."""
        token = tokens[idx]
        manner, number = env["manner"], token.meta["number"]
        gap = token.meta.get("gap", "")
        address = manner.addresses.get(number)
        if address is None:
            return f"{gap}{token.content}"
        note = manner.notes.get(number, "")
        return citation(number, token.content, address, note, gap)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Write a link with the image's description: pictures from elsewhere are not loaded."""
        token = tokens[idx]
        text = self.renderInlineAsText(token.children, options, env)
        if token.meta.get("in_link"):
            return escape(text)
        around = ends(str(token.attrGet("src") or ""), text)
        return f"{around.opening}{escape(text)}{around.closing}"

    def fence(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,
    ) -> str:
        """Write code with the name of its language."""
        name = [*tokens[idx].info.lower().split(), ""][0]
        language = name if LANGUAGE.fullmatch(name) else ""
        return code(tokens[idx].content, language, growing=env["manner"].growing)

    def code_block(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,  # noqa: ARG002
    ) -> str:
        """Write indented code."""
        return code(tokens[idx].content)

    def table_open(
        self,
        tokens: Sequence[Token],  # noqa: ARG002
        idx: int,  # noqa: ARG002
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,
    ) -> str:
        """Begin a table in a region of its own that scrolls, with the keyboard as well."""
        label = escape(env["manner"].labels.table)
        return f'<div class="table" tabindex="0" role="region" aria-label="{label}"><table>\n'

    def table_close(
        self,
        tokens: Sequence[Token],  # noqa: ARG002
        idx: int,  # noqa: ARG002
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,  # noqa: ARG002
    ) -> str:
        """End a table."""
        return "</table></div>\n"

    def task(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,
    ) -> str:
        """Write the box of a task, which nobody can tick."""
        labels = env["manner"].labels
        name, label = (
            ("task done", labels.done) if tokens[idx].meta["is_done"] else ("task", labels.to_do)
        )
        return f'<span class="{name}" role="img" aria-label="{escape(label)}"></span> '

    def formula(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,  # noqa: ARG002
    ) -> str:
        """Write a formula as MathML, or as it was written when that cannot be."""
        token = tokens[idx]
        is_display = token.markup in {"$$", "\\["}
        drawn = None if token.meta.get("open") else mathml(token.content, display=is_display)
        if drawn is None:
            source = f'<code class="formula" dir="ltr">{escape(token.info)}</code>'
            return f'<p dir="auto">{source}</p>\n' if token.block else source
        if not is_display:
            return drawn
        # A division inside of a paragraph would end it.
        tag, line_end = ("div", "\n") if token.block else ("span", "")
        return f'<{tag} class="formula" dir="ltr" tabindex="0">{drawn}</{tag}>{line_end}'
