"""An answer as it is written, in a real Chromium: frames a second, and what moves on the page.

    python -m benchmarks.page_streaming

A model says 40 tokens a second of a long answer with paragraphs, lists, tables, code and citations,
after a search. Counted are the frames that the browser drew while it was written, and the layout
shifts from the question to the end, as the browser reports them; those in the half second after the
question was sent are no shifts to it and are told beside them. Without a screen it draws 60 frames
a second at most; a machine that works for others as well draws fewer, so the same page without an
answer is measured beside it.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import NamedTuple

from benchmarks.report import GOAL_HEADER, Goal, table
from playwright.sync_api import Page, expect, sync_playwright
from tests.loopback import Signal
from tests.ui.chat_page import DESKTOP, PHONE, Site, site, tab

from citeseek.browser import find_chrome

TOKENS_A_SECOND = 40
SECONDS = 12
TEXT = (
    "Both come from the same plant; what differs is oxidation. Green tea is heated within hours of "
    "plucking, so its enzymes stop and the leaf stays green [1] [3].\n\n"
    "- Black tea is withered, rolled and left to oxidise [2].\n"
    "- It keeps around two years at room temperature [4].\n\n"
    "| Kind | Oxidised | Water | Steeped |\n| --- | --- | --- | --- |\n"
    "| **Green** | hardly [1] | 75 °C | 2 minutes [5] |\n"
    "| **Black** | wholly [2] | 95 °C | 4 minutes [3] |\n\n"
    "The time for a pot, by its `kind`:\n\n"
    "```python\n"
    "def steep(kind: str, grams: float) -> float:\n"
    '    """Return the seconds for a pot of tea."""\n'
    "    seconds = 120 if kind == 'green' else 240\n"
    "    return seconds * (1 if grams > 3 else 1.25)\n"
    "```\n\n"
    "1. Warm the pot.\n2. Pour, and wait [5].\n\n"
)

# 60 is what can be drawn; of 12 seconds three frames may be late.
FRAMES = Goal("frames a second while it is written", "at least", 59.5)
SHIFT = Goal("layout shift, from the question to the end", "at most", 0.0)

WATCH = """() => {
  const watched = { began: performance.now(), frames: 0, late: 0, shift: 0, sent: 0, moved: [] };
  window.watched = watched;
  let last = watched.began;
  const draw = (now) => {
    if (watched.until) return;
    watched.frames += 1;
    if (now - last > 25) watched.late += 1;
    last = now;
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      watched[hadRecentInput ? "sent" : "shift"] += value;
      if (hadRecentInput) continue;
      watched.moved.push(...sources.map(({ node }) => `${node?.nodeName}.${node?.className}`));
    }
  }).observe({ type: "layout-shift" });
}"""
DRAWN = """() => {
  window.watched.until = performance.now();
  const { began, frames, late, until } = window.watched;
  return [frames / (until - began) * 1000, late];
}"""


class Watched(NamedTuple):
    """What was seen of a page."""

    frames_a_second: float
    late: int
    shift: float = 0.0
    shift_when_sent: float = 0.0
    moved: tuple[str, ...] = ()


def main() -> None:
    """Measure on a desktop and on a phone."""
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chrome(None))
        for name, device in (("desktop", DESKTOP), ("phone", PHONE)):
            with site() as served, tab(browser, served, device) as chat:
                chat.open().turn_on()
                idle = _rest(chat.page)
                seen = _answer(chat.page, _let_say(served))
                print(f"{name}: {idle.frames_a_second:.1f} frames a second without an answer")
                print(f"{name}: {seen.late} late while it is written, moved: {seen.moved}")
                print(f"{name}: layout shift by sending the question: {seen.shift_when_sent:.4f}")
                rows += [
                    (name, *FRAMES.row(seen.frames_a_second)),
                    (name, *SHIFT.row(seen.shift)),
                ]
        browser.close()
    print(table(("device", *GOAL_HEADER), rows))


def _let_say(served: Site) -> list[Signal]:
    """Let the model say the text token by token, each behind a signal."""
    served.results(5)
    words = itertools.cycle(TEXT.replace(" ", " \0").split("\0"))
    signals = [Signal() for _ in range(TOKENS_A_SECOND * SECONDS)]
    served.model.says(*(part for signal in signals for part in (next(words), signal)), "The end.")
    return signals


def _rest(page: Page) -> Watched:
    """Watch a page on which nothing happens."""
    page.evaluate(WATCH)
    page.wait_for_timeout(3_000)
    return Watched(*page.evaluate(DRAWN))


def _answer(page: Page, signals: list[Signal]) -> Watched:
    """Watch an answer: its frames from the first word on, its shifts from the question on."""
    page.locator("#message").fill("How does the making of green and black tea differ?")
    page.wait_for_timeout(500)
    page.evaluate(WATCH)
    page.locator("#message").press("Enter")
    expect(page.locator('.turn [data-part="answer"]')).not_to_be_empty()
    speaking = threading.Thread(target=_let_go, args=(signals,))
    speaking.start()
    page.evaluate(
        "() => Object.assign(window.watched, { began: performance.now(), frames: 0, late: 0 })"
    )
    page.wait_for_timeout((SECONDS - 1) * 1_000)
    drawn = page.evaluate(DRAWN)
    speaking.join()
    expect(page.locator(".turn").last).to_have_attribute("data-outcome", "answered")
    page.wait_for_timeout(500)
    seen = page.evaluate("() => window.watched")
    return Watched(*drawn, seen["shift"], seen["sent"], tuple(sorted(set(seen["moved"]))))


def _let_go(signals: list[Signal]) -> None:
    began = time.monotonic()
    for place, signal in enumerate(signals):
        time.sleep(max(0.0, began + place / TOKENS_A_SECOND - time.monotonic()))
        signal.set()


if __name__ == "__main__":
    main()
