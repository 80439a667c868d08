"""One rule of what a code fence is, for all that read Markdown here."""

from __future__ import annotations

from markdown_it import MarkdownIt

from citeseek.citations.code_spans import CodeSpans, Fence, fence_after
from citeseek.citations.scanner import Scanner

TEXTS = (
    "```\na\n```\nb",
    "```py\na\n```py\nb",
    "   ~~~\na\n  ~~~~  \nb",
    "    ```\na",
    "````\n```\nb",
    "```\n~~~\nb",
    "```a`b\nc",
    "~~~a`b\nc",
    "```\n    ```\nb",
    "``\na",
    "```",
    "~~~ info ~~~\na\n~~~ info\nb",
)


def is_open_for_markdown_it(text: str) -> bool:
    """Whether a line behind ``text`` is code to CommonMark's parser."""
    tokens = MarkdownIt().parse(f"{text}\nlast")
    return any(token.type == "fence" and "last" in token.content for token in tokens)


def test_all_agree_with_commonmark_where_a_fence_is_open() -> None:
    for text in TEXTS:
        opened: Fence | None = None
        spans, scanner = CodeSpans(), Scanner()
        for line in text.split("\n"):
            opened = fence_after(line, opened)
        # An empty line ends what a lone backtick began.
        spans.read(f"{text}\n\n")
        scanner.scan(f"{text}\n\n", final=True)
        expected = is_open_for_markdown_it(text)
        found = (opened is not None, spans.is_open, bool(scanner.open_fence))
        assert found == (expected,) * 3, text
