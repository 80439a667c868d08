"""The assistant: answers whose [n] are links to the sources."""
