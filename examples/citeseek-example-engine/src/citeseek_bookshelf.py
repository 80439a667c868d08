"""An engine of one's own in the plain form: an id and one coroutine.

This one searches a short list of books. Installed, it is found through its entry point; its tests
run the contract with ``citeseek.testing``.
"""

from __future__ import annotations

from typing import Final

SHELF: Final = (
    ("The Book of Tea", "https://books.example.org/tea", "How a cup of tea is a way of life."),
    ("House Plants", "https://books.example.org/plants", "Forty plants for a dark house."),
    ("Tea Houses", "https://books.example.org/tea-houses", "Where to drink tea, town by town."),
)


class Bookshelf:
    """Finds the books that have a word of the query in their title or description."""

    id = "bookshelf"

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        """Return up to ``num_results`` books, those with more of the words first."""
        words = query.casefold().split()
        found = [
            (sum(word in f"{title} {snippet}".casefold() for word in words), position, book)
            for position, book in enumerate(SHELF)
            for title, _, snippet in [book]
        ]
        ranked = sorted((entry for entry in found if entry[0]), key=lambda e: (-e[0], e[1]))
        return [
            {"title": title, "url": url, "snippet": snippet}
            for _, _, (title, url, snippet) in ranked[:num_results]
        ]


ENGINE: Final = Bookshelf()
