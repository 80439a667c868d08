"""What a model says for one answer while it does: the text with its citations, and thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from citeseek.assistant.events import Citation, Event, Thinking, Token
from citeseek.citations import CitationRegistry, CitationStream, Round, Span, references
from citeseek.concurrency.clock import Clock
from citeseek.i18n import Catalogue
from citeseek.locators import Locator


class AnswerText:
    """What a model wrote and what its reader was shown of it, with the numbers of ``registry``.

    The references are in the words of ``say``.
    """

    def __init__(self, registry: CitationRegistry, say: Catalogue) -> None:
        self.references = ""
        self._registry = registry
        self._say = say
        self._stream = CitationStream(registry)
        self._written: list[str] = []
        self._shown: list[str] = []
        self._told_cited: tuple[int, ...] = ()
        self._told_spans = 0

    @property
    def written(self) -> str:
        """As the model wrote it."""
        return "".join(self._written)

    @property
    def shown(self) -> str:
        """As the reader got it, without the references."""
        return "".join(self._shown)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the links of citations stand in what was shown."""
        return tuple(self._stream.spans)

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers cited so far that have a source, ascending."""
        return self._stream.cited

    @property
    def missing(self) -> tuple[str, ...]:
        """The numbers in marks that have no source, as they were written."""
        return self._stream.missing

    def write(self, text: str) -> Iterator[Event]:
        """Take more of the text, and show what can be shown of it."""
        if text:
            self._written.append(text)
            yield from self._show(self._stream.feed(text))

    def close(self) -> Iterator[Event]:
        """Show what was held back: no more comes."""
        yield from self._show(self._stream.finish())

    def refer(
        self,
        rounds: Sequence[Round] | None,
        read: set[int],
        pages: Mapping[int, tuple[Locator, ...]],
    ) -> Iterator[Event]:
        """Show the references behind it, with the ``pages`` of documents that it cites.

        See :func:`citeseek.citations.references`.
        """
        known = CitationRegistry.of(
            replace(source, pages=pages.get(source.number, ())) for source in self._registry
        )
        self.references = references(
            self.cited,
            known,
            rounds,
            read=read,
            open_fence=self._stream.open_fence,
            say=self._say,
        )
        if self.references:
            yield Token(text=self.references, part="references")

    def _show(self, text: str) -> Iterator[Event]:
        if text:
            self._shown.append(text)
            new_spans = tuple(self._stream.spans[self._told_spans :])
            self._told_spans += len(new_spans)
            yield Token(text=text, spans=new_spans)
        if (cited := self.cited) != self._told_cited:
            new = set(cited) - set(self._told_cited)
            self._told_cited = cited
            for source in filter(None, map(self._registry.get, sorted(new))):
                yield Citation(source=source)


class Thoughts:
    """What a model thinks aloud for one answer, and for how long.

    It collects the pieces; the time runs from each one to what is said or done next.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pieces: list[str] = []
        self._since: float | None = None
        self._seconds = 0.0

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    @property
    def ms(self) -> int:
        """How long it took, 0 without a thought."""
        return self._clock.in_ms(self._seconds) if self._pieces else 0

    def think(self, text: str) -> Thinking:
        """Take the next piece."""
        self.end()
        self._since = self._clock.now()
        self._pieces.append(text)
        return Thinking(text=text)

    def end(self) -> None:
        """Take note that something else is said or done."""
        if self._since is not None:
            self._seconds += self._clock.now() - self._since
            self._since = None
