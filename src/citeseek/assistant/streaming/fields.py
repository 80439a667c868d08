"""Where a message says what is no answer, in the words of LangChain and in ours."""

from __future__ import annotations

THINKING = "reasoning_content"
"""What the model thought, in LangChain's words."""
WAS_THINKING = "was_thinking"
"""How many characters at the beginning of its text turned out to be thinking."""
