"""Citation marks become links while the answer arrives."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from citeseek.citations.citation_links import Conversion, Span, convert_mark, linkable
from citeseek.citations.marks import Event, Link, LinkDefinition, Mark, items, label_key
from citeseek.citations.registry import CitationRegistry
from citeseek.citations.scanner import MAY_BE_MARK, Scanner

_log = logging.getLogger(__package__)

# An answer may name any number of sources that do not exist: so many of them are logged one by one.
_MOST_WARNINGS = 5
# Undecided text up to this length is looked at again with every chunk, longer text whenever it
# has grown by half, which keeps the whole linear.
_SHORT = 128


@dataclass(frozen=True, slots=True)
class _Parked:
    """A mark that stays as it is should ``label`` still be defined."""

    mark: Mark
    conversion: Conversion
    label: str


@dataclass(frozen=True, slots=True)
class _OwnLink:
    """The rest of a link that the model wrote itself to a source; ``before`` was given out."""

    text: str
    number: int
    before: int


class CitationStream:
    """Turns ``[n]`` into ``[[n]](url)`` in an answer that arrives in chunks.

    Only the numbers of ``registry`` are converted, and only where a Markdown reader sees running
    text; everything else stays byte for byte. The pieces given out, joined, are the same however
    the answer was cut. Text is given out as soon as no mark in it is undecided. A reference link
    such as ``[text][2]`` is undecided until the answer is over or defines ``2``. A definition that
    comes after its number was converted is escaped: it would take the converted mark apart.

    A number without a usable source is logged once as a warning, unless ``warn`` is off; of many
    such numbers the first are named.
    """

    def __init__(self, registry: CitationRegistry, *, warn: bool = True) -> None:
        self._registry = registry
        self._warn = warn
        self._scanner = Scanner()
        self._finished = False
        # Text from where the scanner has to begin again, then the chunks it has not seen.
        self._text = ""
        self._fresh: list[str] = []
        self._fresh_chars = 0
        self._before = ""  # the character before all of it
        self._given = 0  # how much of both has been given out
        self._clear = True  # whether all of both has been
        self._out: deque[str | Conversion | _Parked | _OwnLink] = deque()
        self._out_chars = 0  # how much has left it
        self._spans: list[Span] = []
        self._cited: set[int] = set()
        self._missing: dict[str, None] = {}
        # Labels by what became of them first.
        self._defined: set[str] = set()
        self._converted: set[str] = set()
        self._awaited: set[str] = set()

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers cited so far that have a source, ascending."""
        return tuple(sorted(self._cited))

    @property
    def spans(self) -> Sequence[Span]:
        """Where the links to sources stand in all that was given out so far."""
        return self._spans

    @property
    def missing(self) -> tuple[str, ...]:
        """The numbers in marks that have no source, as they were written, each once."""
        return tuple(self._missing)

    @property
    def open_fence(self) -> str:
        """The line that closes a code fence that the answer left open, else an empty text."""
        return self._scanner.open_fence

    def feed(self, chunk: str) -> str:
        """Take the next piece of the answer and return what can be shown now.

        Raise :class:`ValueError` after :meth:`finish`.
        """
        if self._finished:
            raise ValueError("The answer is finished.")
        undecided = self._text or self._fresh or self._out
        if not undecided and self._scanner.passes(chunk):
            self._before = chunk[-1:] or self._before
            self._out_chars += len(chunk)
            return chunk
        before = self._fresh[-1] if self._fresh else self._text
        self._fresh.append(chunk)
        self._fresh_chars += len(chunk)
        if (
            len(self._text) <= _SHORT
            or len(self._text) <= 2 * self._fresh_chars
            or "\n\n" in before[-1:] + chunk  # decides all that stands before it
        ):
            self._look(final=False)
        elif self._clear and not MAY_BE_MARK.search(chunk):
            self._out.append(chunk)
            self._given += len(chunk)
        else:
            self._clear = False
        return self._take()

    def finish(self) -> str:
        """Return what was still held back. A second call returns an empty text."""
        if not self._finished:
            self._look(final=True)
            self._finished = True
            if self._warn and (more := len(self._missing) - _MOST_WARNINGS) > 0:
                _log.warning("%d more citations have no source that can be linked", more)
        return self._take()

    def _look(self, *, final: bool) -> None:
        text = self._text + "".join(self._fresh)
        scan = self._scanner.scan(text, final=final)
        at = self._given
        for event in scan.events:
            # The beginning of a link may have been given out: its text stays as it is.
            start = max(at, event.start)
            self._out.append(text[at:start])
            before = text[event.start - 1] if event.start else self._before
            if isinstance(event, Mark) and event.text == "[0]" and _is_identifier(before):
                self._out.append(event.text)  # an index, as in array[0]
            else:
                self._read(event, text[start : event.end])
            at = event.end
        self._out.append(text[at : scan.settled])
        self._before = text[scan.end - 1] if scan.end else self._before
        self._text = text[scan.end :]
        self._fresh, self._fresh_chars = [], 0
        self._given = max(at, scan.settled) - scan.end
        self._clear = scan.settled == len(text)

    def _read(self, event: Event, written: str) -> None:
        if isinstance(event, Mark):
            self._read_mark(event)
        elif isinstance(event, Link):
            self._out.append(self._link(event, written))
        else:
            self._out.append(self._definition(event, written))

    def _read_mark(self, mark: Mark) -> None:
        conversion = convert_mark(mark.text, self._registry)
        self._report(conversion.missing)
        if not conversion.numbers:
            self._out.append(mark.text)
            return
        parked = _Parked(mark, conversion, self._awaited_label(mark, conversion))
        if self._hangs(parked):
            self._awaited.add(parked.label)
            self._out.append(parked)
        else:
            self._out.append(self._settle(parked))

    def _awaited_label(self, mark: Mark, conversion: Conversion) -> str:
        if mark.unless:
            return label_key(mark.unless)
        return next(iter(conversion.labels(mark.text) & self._awaited), "")

    def _link(self, link: Link, written: str) -> str | _OwnLink:
        members = items(link.text)
        if len(members) == 1 and link.target == linkable(members[0].first, self._registry):
            number = members[0].first
            self._cited.add(number)
            return _OwnLink(written, number, link.end - link.start - len(written))
        return written

    def _definition(self, definition: LinkDefinition, written: str) -> str:
        label = label_key(definition.label)
        if label in self._converted:
            # The blank line keeps a following definition from becoming text of the same paragraph.
            return f"\\{written}\n" if written.endswith("\n") else f"\\{written}"
        self._defined.add(label)
        return written

    def _hangs(self, parked: _Parked) -> bool:
        decided = parked.label in self._defined or parked.label in self._converted
        return bool(parked.label) and not decided and not self._finished

    def _settle(self, parked: _Parked) -> str | Conversion:
        mark, conversion = parked.mark, parked.conversion
        labels = conversion.labels(mark.text)
        if not self._defined.isdisjoint({parked.label, label_key(mark.following), *labels}):
            return mark.text
        self._converted |= labels
        self._cited.update(conversion.numbers)
        return conversion

    def _take(self) -> str:
        taken: list[str] = []
        while self._out:
            piece = self._out[0]
            if isinstance(piece, _Parked):
                if self._hangs(piece):
                    break
                piece = self._settle(piece)
            self._out.popleft()
            taken.append(self._place(piece))
        return "".join(taken)

    def _place(self, piece: str | Conversion | _OwnLink) -> str:
        """Return the text of ``piece``, which is given out now, and take note of its links."""
        at = self._out_chars
        text = piece if isinstance(piece, str) else piece.text
        self._out_chars += len(text)
        if isinstance(piece, Conversion):
            self._spans += [span.move(at) for span in piece.spans]
        elif isinstance(piece, _OwnLink):
            self._spans.append(Span(at - piece.before, self._out_chars, piece.number))
        return text

    def _report(self, missing: tuple[str, ...]) -> None:
        for number in missing:
            is_new = number not in self._missing
            if self._warn and is_new and len(self._missing) < _MOST_WARNINGS:
                _log.warning("Citation [%s] has no source that can be linked", number)
            self._missing[number] = None


def _is_identifier(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def convert(answer: str, registry: CitationRegistry) -> str:
    """Return the whole of ``answer`` with its marks as links; see :class:`CitationStream`."""
    stream = CitationStream(registry)
    return stream.feed(answer) + stream.finish()


def cited_numbers(answer: str, registry: CitationRegistry) -> tuple[int, ...]:
    """Return the numbers with a source that ``answer`` cites, ascending, each once.

    The answer may be as the model wrote it or converted already.
    """
    stream = CitationStream(registry, warn=False)
    stream.feed(answer)
    stream.finish()
    return stream.cited
