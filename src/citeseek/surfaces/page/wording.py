"""What happened, in the reader's language: notices, failures, times, the switch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import structs

from citeseek.assistant.notices import DEPLOYMENT, MODEL_FAILED, NO_ENGINE, SEARCH_FAILED
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import ModeSwitch
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.health.finding import Finding, FindingText
from citeseek.i18n import Catalogue
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt, ModelUse
from citeseek.searching.engine_choice import LAST_RESORT
from citeseek.surfaces.page.source_list import Use
from citeseek.surfaces.page.views import ReadView, SearchView, TurnView
from citeseek.surfaces.verdict_text import judge_lines, moment, reason_of
from citeseek.text import byte_size
from citeseek.verification import CitationCheck, JudgeUse

# Failures by their type: what to call them, and why they came.
_FAILURES = {
    "Timeout": ("timeout", "timeout"),
    "NetworkError": ("unavailable", "network"),
    "AuthError": ("unavailable", "configuration"),
    "WebBlocked": ("unavailable", "blocked"),
    "InvalidInput": ("not_searchable", "not_searchable"),
}
_OTHER = ("unavailable", "unavailable")
_ABOUT_END = frozenset(
    {
        "interrupted",
        "unknown_sources",
        "unread_marks",
        "sources_differ",
        "no_search",
        "earlier_sources",
    }
)
# What buttons beside a notice do: hints, and notices whose hint is that.
_OF_BUTTONS = frozenset({DEPLOYMENT, "other_engine"})
_ONLY_BUTTONS = frozenset({NO_ENGINE, "blocked", "unavailable"})
# In the order in which they are tried.
_DEPLOYMENT_COMMANDS = (
    ("running", "docker ps"),
    ("start", "docker compose up -d"),
    ("native", "citeseek searxng up --native"),
    ("init", "citeseek searxng init"),
    ("verify", "curl '{address}/search?q=test&format=json'"),
    ("doctor", "citeseek doctor searxng"),
)
_ENGINE_COMMANDS = (
    ("search", "citeseek search test --engine {engine}"),
    ("engines", "citeseek doctor engines"),
)
_SECOND_MS = 1_000
_THOUGHTS_SHOWN = 2_000  # characters


class Wording:
    """Says things in the language of ``words``; ``labels`` are the engines' names by their ids.

    ``alternatives`` are the engines that may be asked where another one does not answer, the first
    ones first.
    """

    def __init__(
        self,
        words: Catalogue,
        labels: dict[str, str],
        alternatives: Sequence[str] = (LAST_RESORT,),
    ) -> None:
        self._words = words
        self._labels = labels
        self._alternatives = alternatives

    def egress(self, receipt: EgressReceipt) -> str:
        """Return in one line what an answer sent out and brought in."""
        if not receipt.requests:
            return self._words("egress.none")
        key = "egress.one" if receipt.requests == 1 else "egress.summary"
        return self._words(
            key,
            requests=receipt.requests,
            hosts=len(receipt.hosts),
            received=self.size(receipt.received_bytes),
        )

    def over_budget(self, receipt: EgressReceipt) -> str:
        """Return in one line what a budget kept back."""
        told = (
            self._words(
                "egress.kept_back",
                host=each.host,
                limit=self._words(f"egress.limit.{each.limit}"),
                times=each.times,
            )
            for each in receipt.over_budget
        )
        return self._words("egress.over_budget", told=", ".join(told))

    def moment(self, at: float) -> str:
        """Return a time in seconds since 1970, as it was at Greenwich."""
        return moment(at)

    def verdict_counts(self, checks: Iterable[CitationCheck]) -> Sequence[tuple[str, int]]:
        """Return how often the citations of an answer have each verdict, the first ones first."""
        return tuple(Counter(check.verdict for check in checks).items())

    def reason(self, check: CitationCheck) -> str:
        """Return why a citation has its verdict, and who says so."""
        return reason_of(check, self._words)

    def failure(self, failure: Failure) -> str:
        """Return a failure of a page or of the judge in a sentence."""
        return self._words.explain(failure)[0]

    def judging(self, use: JudgeUse) -> str:
        """Return who was asked about what the rules cannot tell, and what went wrong with that."""
        return ". ".join(judge_lines(use, self._words))

    def size(self, count: int) -> str:
        """Return a number of bytes."""
        return byte_size(count)

    def tokens(self, model: ModelUse) -> str:
        """Return what a model was asked, and what it took if its server says."""
        name = f"{model.name} ({model.host})" if model.host else model.name
        if model.input_tokens is None or model.output_tokens is None:
            return self._words("egress.model", name=name, calls=model.calls)
        sentence = self._words(
            "egress.tokens",
            name=name,
            calls=model.calls,
            tokens_in=model.input_tokens,
            tokens_out=model.output_tokens,
        )
        if model.cost is None:
            return sentence
        return sentence + self._words("egress.cost", cost=f"{model.cost:.4f}")

    def notice(self, notice: Said) -> str:
        """Return the sentence of a notice."""
        return notice.sentence(self._words, self._labels)

    def hint(self, notice: Said) -> str:
        """Return what the reader of a notice can do, but for what links, buttons and commands do.

        It is a line; what looks at an engine is told by :meth:`commands`.
        """
        if notice.hints == (DEPLOYMENT,) or (not notice.hints and notice.code in _ONLY_BUTTONS):
            return ""
        said = (hint for hint in notice.hints if hint not in _OF_BUTTONS)
        return structs.replace(notice, hints=tuple(said)).advice(self._words)

    def commands(self, notice: Said) -> Sequence[tuple[str, str]]:
        """Return what looks at the engine that failed: names of sentences, and commands.

        The reader's own SearXNG can be started as well.
        """
        if self.is_about_deployment(notice):
            address = notice.values.get("address", SEARXNG.base_url)
            told = [(name, text.format(address=address)) for name, text in _DEPLOYMENT_COMMANDS]
            return [(f"notice.deployment.{name}", command) for name, command in told]
        engine = notice.values.get("engine", "")
        told = [(name, text) for name, text in _ENGINE_COMMANDS if engine or "{" not in text]
        return [(f"notice.command.{name}", text.format(engine=engine)) for name, text in told]

    def other_engines(self, notice: Said) -> Sequence[str]:
        """Return the engines to ask in place of those that do not answer, none where all failed.

        It is the first one that is left; where several failed, all of them are worth asking.
        """
        failed = self._unusable(notice)
        left = [one for one in self._alternatives if self.engine(one) not in failed]
        return left if len(failed) > 1 else left[:1]

    def all_failed(self, notice: Said) -> str:
        """Return that none of the engines that may be asked here answers."""
        return self._words("notice.all_failed", engines=self.engines(self._unusable(notice)))

    def engines(self, names: Iterable[str]) -> str:
        """Return what to call several engines."""
        return self._words("search.joint").join(map(self.engine, names))

    def _unusable(self, notice: Said) -> Sequence[str]:
        """Return what to call the engines that do not answer, in the order of the alternatives."""
        failed = dict.fromkeys(map(self.engine, notice.unusable_engines))
        known = [label for label in map(self.engine, self._alternatives) if label in failed]
        return tuple(dict.fromkeys((*known, *failed)))

    def is_failed_search(self, notice: Said) -> bool:
        """Whether an engine did not answer, so that another one may."""
        return notice.code in SEARCH_FAILED

    def is_failed_model(self, notice: Said) -> bool:
        """Whether the model did not answer, so that the built-in one may."""
        return notice.code in MODEL_FAILED

    def is_about_deployment(self, notice: Said) -> bool:
        """Whether the reader's own SearXNG has to be looked at, for which there is a guide."""
        return DEPLOYMENT in notice.hints

    def is_about_end(self, notice: Said, view: TurnView) -> bool:
        """Whether it says how the answer ended: then it stands below it.

        So does the failure of a model that had begun to answer, where the text breaks off.
        """
        if self.is_failed_model(notice):
            return bool(view.answer.strip())
        return notice.code.startswith("cut_") or notice.code in _ABOUT_END

    def thinking(self, view: TurnView) -> str:
        """Return that the model thinks, or for how long it thought."""
        if view.doing == "thinking":
            return self._words("thinking.running")
        seconds = round(view.thinking_ms / _SECOND_MS)
        return self._words("thinking.seconds" if seconds else "thinking.over", seconds=seconds)

    def thoughts(self, view: TurnView) -> str:
        """Return what the model thought; of what still grows, the end, which is sent each time."""
        if view.is_over:
            return view.thinking.strip()
        return view.thinking[-_THOUGHTS_SHOWN:].strip()

    def state(self, search: SearchView) -> str:
        """Return how far a search is."""
        if search.state == "running":
            return self._words("search.running")
        if search.state == "failed":
            kind = _kind(search.failure)[0] if search.failure else None
            return self._words(f"failure.{kind}" if kind else "search.stopped")
        return self._found(len(search.sources))

    def _found(self, count: int) -> str:
        if count > 1:
            return self._words("search.found", count=count)
        return self._words("search.found_one" if count else "search.nothing")

    def steps(self, view: TurnView) -> str:
        """Return in one line what was searched for and read, and how long the search took."""
        done = [search for search in view.searches if search.state == "done"]
        read = sum(each.state == "done" for each in view.reads)
        parts = []
        if done:
            names = [name for each in done for name in each.provider.split("+") if name]
            engines = " + ".join(self.engine(name) for name in dict.fromkeys(names))
            parts.append(self._words("steps.searched", engines=engines).strip())
            if len(done) > 1:
                parts.append(self._words("steps.rounds", count=len(done)))
            found = {source.number for search in done for source in search.sources}
            parts.append(self._found(len(found)))
        elif view.searches:
            parts.append(self._words("steps.failed"))
        if read:
            parts.append(self._words("steps.read" if read > 1 else "steps.read_one", count=read))
        if len(done) == 1:
            parts.append(self._time(done[0]))
        return " · ".join(filter(None, parts))

    def support(self, uses: Sequence[Use]) -> str:
        """Return how many sentences of the answer a source stands behind, or is cited in."""
        verdicts = Counter(use.verdict for use in uses)
        if not uses:
            return ""
        if count := verdicts["contradicted"]:
            one, many = "support.contradicts_one", "support.contradicts"
        elif count := verdicts["supported"]:
            one, many = "support.supports_one", "support.supports"
        else:
            count, one, many = len(uses), "support.cited_one", "support.cited"
        return self._words(one if count == 1 else many, count=count)

    def reading(self, read: ReadView) -> str:
        """Return how far the reading of a page is, or why it failed."""
        if read.state == "running":
            return self._words("read.running")
        if read.state == "done":
            return self._words("read.done")
        if read.failure is None:
            return self._words("search.stopped")
        return self._words("read.failed", reason=self._words.explain(read.failure)[0])

    def why(self, search: SearchView) -> str:
        """Return why a search failed; what its site answered is never said."""
        if search.failure is None:
            return self._words("why.stopped")
        key = f"why.{_kind(search.failure)[1]}"
        return self._words(key, engine=self.engine(search.failure.engine))

    def origin(self, search: SearchView) -> str:
        """Return who answered a search, and how fast."""
        return " · ".join(filter(None, (self._provider(search.provider), self._time(search))))

    def _time(self, search: SearchView) -> str:
        if search.cached:
            return self._words("search.cached")
        return self.duration(search.took_ms) if search.took_ms else ""

    def duration(self, took_ms: int) -> str:
        """Return a time for people."""
        if took_ms < _SECOND_MS:
            return self._words("search.milliseconds", milliseconds=took_ms)
        return self._words("search.seconds", seconds=f"{took_ms / _SECOND_MS:.1f}")

    def switch_hint(self, switch: ModeSwitch) -> str:
        """Return the words beside a switch."""
        return switch.hint_in(self._words)

    def switch_state(self, switch: ModeSwitch) -> str:
        """Return the state of a switch."""
        return switch.state_in(self._words)

    def engine(self, name: str) -> str:
        """Return what to call an engine."""
        if not name:
            return self._words("search.some_engine")
        return self._labels.get(name, name)

    def finding(self, finding: Finding) -> FindingText:
        """Return a finding of the look at the search services in words."""
        return finding.text(self._words)

    def _provider(self, provider: str) -> str:
        return " + ".join(self.engine(name) for name in provider.split("+") if name)


def _kind(failure: Failure) -> tuple[str, str]:
    return _FAILURES.get(failure.type, _OTHER)
