"""What may be said to an assistant."""

from __future__ import annotations

from citeseek.errors import InvalidInput
from citeseek.text import encodable, is_visible, without_controls

# More than a person types; a longer text would push everything else out of the model's sight.
MAX_CHARS = 32_000


def cleaned(message: str) -> str:
    """Return what can be sent and stored; raise InvalidInput for what is no message."""
    if not isinstance(message, str):
        raise InvalidInput(f"A message is text, not {type(message).__name__}.")
    message = without_controls(encodable(message))
    if not is_visible(message):
        raise InvalidInput("The message is empty.", hint="Write a question.")
    if len(message) > MAX_CHARS:
        raise InvalidInput(
            f"The message has {len(message):,} characters; the limit is {MAX_CHARS:,}.",
            hint="Send the part that matters.",
        )
    return message
