"""The chat page in a real Chromium: how soon it can be used, and how soon a word is on the screen.

    python -m benchmarks.page_opening

The page is opened in a new context each time, which has nothing of it, until the first frame after
its box got the focus, the last thing that its scripts do; its own clock counts from the navigation,
and nothing looks at the page before it is open: to be asked takes Chromium tens of milliseconds.
A word's time is from when the model sent it, 40 a second, to the first frame that shows it.
"""

from __future__ import annotations

import time
from statistics import median, quantiles

from benchmarks.report import GOAL_HEADER, Goal, table
from playwright.sync_api import Browser, expect, sync_playwright
from tests.loopback import Signal
from tests.ui.chat_page import DESKTOP, Site, site, tab

from citeseek.browser import find_chrome

OPENINGS = 9
WORDS = 200
PAUSE = 1 / 40
# Of a paragraph, which is read again with each of its words.
PARAGRAPH = 50

USABLE = Goal("page usable, cold, ms", "at most", 250)
SHIFT = Goal("layout shift while it opens", "at most", 0)
SHOWN = Goal("a word from the model to the screen, p95, ms", "at most", 20)

NOTE_FOCUS = """addEventListener("focusin", ({ target }) => {
  if (target.id !== "message") return;
  requestAnimationFrame(() => { window.usable ??= performance.now(); });
});"""
SHIFTED = """() => new Promise((told) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => told(shift), 300);
})"""
# When each word was first drawn, by its number, in milliseconds since 1970.
WATCH = """() => {
  window.drawn = {};
  const look = () => {
    const text = document.querySelector('.turn [data-part="answer"]')?.textContent ?? "";
    const last = Number(/w(\\d+)\\D*$/.exec(text)?.[1] ?? -1);
    const now = performance.timeOrigin + performance.now();
    for (let word = last; word >= 0 && !(word in window.drawn); word -= 1) window.drawn[word] = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def open_often(browser: Browser, served: Site) -> tuple[float, float]:
    """Return the median of the milliseconds until the page can be used, and the worst shift."""
    took, shifts = [], []
    for _ in range(OPENINGS):
        context = browser.new_context(**DESKTOP)
        page = context.new_page()
        page.add_init_script(NOTE_FOCUS)
        page.goto(served.base_url)
        took.append(page.wait_for_function("() => window.usable").json_value())
        shifts.append(page.evaluate(SHIFTED))
        context.close()
    return median(took), max(shifts)


def show_words(browser: Browser, served: Site) -> list[float]:
    """Return the milliseconds from the model to the screen of each word of an answer."""
    served.results(5)
    signals = [Signal() for _ in range(WORDS)]
    said: list[Signal | str] = []
    for number, signal in enumerate(signals):
        said += [signal, f"w{number}" + ("\n\n" if number % PARAGRAPH == PARAGRAPH - 1 else " ")]
    served.model.says(*said)
    with tab(browser, served, DESKTOP) as chat:
        chat.open().turn_on()
        chat.page.evaluate(WATCH)
        chat.page.locator("#message").fill("How is tea made?")
        chat.page.locator("#message").press("Enter")
        expect(chat.page.locator(".turn")).to_be_visible()
        chat.page.wait_for_timeout(2_000)
        sent = []
        for signal in signals:
            sent.append(time.time() * 1_000)
            signal.set()
            time.sleep(PAUSE)
        expect(chat.page.locator(".turn").last).to_have_attribute("data-outcome", "answered")
        drawn = chat.page.evaluate("() => window.drawn")
    return [drawn[str(number)] - at for number, at in enumerate(sent)]


def main() -> None:
    """Measure, and print the goals."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chrome(None))
        with site() as served:
            # The first answers are slower: the server loads what it needs.
            open_often(browser, served)
            usable, shift = open_often(browser, served)
            words = show_words(browser, served)
        browser.close()
    rows = [USABLE.row(usable), SHIFT.row(shift), SHOWN.row(quantiles(words, n=20)[-1])]
    print(f"a word from the model to the screen, p50: {median(words):.1f} ms\n")
    print(table(GOAL_HEADER, rows))


if __name__ == "__main__":
    main()
