"""How Markdown of a language model is taken apart, the same for the page and the terminal."""
