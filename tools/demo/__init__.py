"""A small web of our own, to try the chat page without keys and without the internet."""
