"""The HTML of a block of code: the name of its language, and colours for what it is made of."""

from __future__ import annotations

import re
import time
from html import escape
from typing import Any

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    String,
)

LANGUAGE = re.compile(r"[a-z0-9+#-]{1,32}")

# How languages are written behind a fence, and the names that Pygments and people have for them.
# Each of its lexers goes on in small steps, whatever it reads: those that do not are left out.
_LANGUAGES = {
    "bash": ("bash", "Bash"),
    "c": ("c", "C"),
    "c#": ("csharp", "C#"),
    "c++": ("cpp", "C++"),
    "cmake": ("cmake", "CMake"),
    "cpp": ("cpp", "C++"),
    "cs": ("csharp", "C#"),
    "csharp": ("csharp", "C#"),
    "css": ("css", "CSS"),
    "dart": ("dart", "Dart"),
    "diff": ("diff", "Diff"),
    "docker": ("docker", "Dockerfile"),
    "dockerfile": ("docker", "Dockerfile"),
    "elixir": ("elixir", "Elixir"),
    "go": ("go", "Go"),
    "golang": ("go", "Go"),
    "graphql": ("graphql", "GraphQL"),
    "haskell": ("haskell", "Haskell"),
    "html": ("html", "HTML"),
    "java": ("java", "Java"),
    "javascript": ("javascript", "JavaScript"),
    "js": ("javascript", "JavaScript"),
    "json": ("json", "JSON"),
    "jsx": ("jsx", "JSX"),
    "julia": ("julia", "Julia"),
    "kotlin": ("kotlin", "Kotlin"),
    "latex": ("latex", "LaTeX"),
    "lua": ("lua", "Lua"),
    "makefile": ("makefile", "Makefile"),
    "markdown": ("markdown", "Markdown"),
    "md": ("markdown", "Markdown"),
    "nginx": ("nginx", "nginx"),
    "perl": ("perl", "Perl"),
    "php": ("php", "PHP"),
    "powershell": ("powershell", "PowerShell"),
    "protobuf": ("protobuf", "Protocol Buffers"),
    "py": ("python", "Python"),
    "python": ("python", "Python"),
    "r": ("r", "R"),
    "rb": ("ruby", "Ruby"),
    "rs": ("rust", "Rust"),
    "ruby": ("ruby", "Ruby"),
    "rust": ("rust", "Rust"),
    "scala": ("scala", "Scala"),
    "scss": ("scss", "SCSS"),
    "sh": ("bash", "Shell"),
    "shell": ("bash", "Shell"),
    "sql": ("sql", "SQL"),
    "swift": ("swift", "Swift"),
    "tex": ("latex", "LaTeX"),
    "toml": ("toml", "TOML"),
    "ts": ("typescript", "TypeScript"),
    "tsx": ("typescript", "TSX"),
    "typescript": ("typescript", "TypeScript"),
    "xml": ("xml", "XML"),
    "yaml": ("yaml", "YAML"),
    "yml": ("yaml", "YAML"),
    "zsh": ("bash", "Zsh"),
}
# The first kind that a token belongs to gives it its class.
_CLASSES = (
    (Comment, "code-comment"),
    (Keyword, "code-keyword"),
    (String, "code-string"),
    (Number, "code-number"),
    (Name.Builtin, "code-builtin"),
    (Name.Function, "code-name"),
    (Name.Class, "code-name"),
    (Name.Decorator, "code-name"),
    (Name.Tag, "code-keyword"),
    (Name.Attribute, "code-name"),
    (Generic.Inserted, "code-inserted"),
    (Generic.Deleted, "code-deleted"),
    (Generic.Heading, "code-name"),
    (Generic.Subheading, "code-name"),
)
CLASSES = frozenset(name for _, name in _CLASSES)
# Code that a page of the web has put into an answer may have been made to be slow.
# One step of a lexer may look at all of it again and again, which no clock stops.
_MOST_CHARS = 6_000
_SECONDS = 0.05
_SECONDS_A_CHAR = 10e-6


def code(content: str, language: str = "", *, growing: bool = False) -> str:
    """Return a block of code in ``language``, as it is written behind a fence, empty for none.

    Code that is ``growing`` has no colours yet: what opens a string may be closed by what follows.
    """
    named = f' class="language-{language}"' if language else ""
    label = f'<span class="code-language">{escape(name_of(language))}</span>' if language else ""
    inside = escape(content) if growing else highlight(content, language)
    return (
        f'<div class="code">{label}<pre dir="ltr" tabindex="0"><code{named}>'
        f"{inside}</code></pre></div>\n"
    )


def name_of(language: str) -> str:
    """Return what people call ``language``, itself where that is not known."""
    return _LANGUAGES[language][1] if language in _LANGUAGES else language


def highlight(content: str, language: str) -> str:
    """Return code as HTML in which its parts have classes, without any where that takes long."""
    if language not in _LANGUAGES or len(content) > _MOST_CHARS:
        return escape(content)
    # PHP counts as such from its opening tag on, which examples leave out.
    lexer = get_lexer_by_name(_LANGUAGES[language][0], startinline="<?" not in content)
    until = time.thread_time() + _SECONDS + _SECONDS_A_CHAR * len(content)
    pieces: list[tuple[str, list[str]]] = []
    for _, token, text in lexer.get_tokens_unprocessed(content):
        name = _class_of(token)
        if not pieces or pieces[-1][0] != name:
            pieces.append((name, []))
        pieces[-1][1].append(text)
        if time.thread_time() > until:
            return escape(content)
    return "".join(_span(name, escape("".join(texts))) for name, texts in pieces)


def _span(name: str, html: str) -> str:
    return f'<span class="{name}">{html}</span>' if name else html


def _class_of(token: Any) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")
