"""The page by keys alone: every task, from the moment the page is there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, expect
from tests.loopback import replies
from tests.ui.chat_page import PATIENCE_MS, ChatPage, Site, site, tab
from tests.ui.geometry import shows
from tests.ui.kept import kept, source, turn
from tests.ui.test_agents_on_page import AGENTS
from tests.ui.test_picks_on_page import listing
from tests.ui.test_tasks_on_page import last_week

pytestmark = pytest.mark.browser

ANSWER = """Tea [1] is *not* coffee [2]. It is made so [3].

```sh
ls
```

| a | b |
|---|---|
| 1 | 2 |
"""
HAS_RING = """() => {
  const focused = document.activeElement;
  if (focused === document.body) return false;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  return focused.id === "message" || (outlineStyle === "solid" && outlineWidth === "2px");
}"""
# The browser's own window for a file is not opened: it is enough that it would be.
NOTE_CHOOSING = """() => {
  document.getElementById("file-input").addEventListener("click", (event) => {
    event.preventDefault();
    window.isChoosing = true;
  });
}"""
NEAR = 15  # what is farther than so many presses is out of reach


class Keys:
    """Presses keys, and sees after each where they go."""

    def __init__(self, chat: ChatPage) -> None:
        self.chat = chat
        self.presses = 0

    @property
    def focused(self) -> Locator:
        """What has the focus; the body has none."""
        return self.chat.page.locator(":focus")

    def press(self, *keys: str) -> None:
        """Press keys one after the other; the focus is never lost, and always seen."""
        for key in keys:
            self.chat.page.keyboard.press(key)
            self.presses += 1
        # Something has the focus, and whoever looks sees what: the box of the message has its ring
        # around it.
        self.chat.page.wait_for_function(HAS_RING, timeout=PATIENCE_MS)

    def go(self, where: str, key: str = "Tab") -> None:
        """Press ``key`` until ``where`` has the focus."""
        for _ in range(NEAR):
            self.press(key)
            assert shows(self.focused), self.focused.inner_html()
            if self.focused.evaluate("(element, where) => element.matches(where)", where):
                return
        pytest.fail(f"{where} is farther than {NEAR} presses of {key}.")

    def type(self, text: str) -> None:
        self.chat.page.keyboard.type(text)

    def ask(self, text: str, answer: str = ANSWER) -> None:
        """Ask a question, whose box has the focus, and wait until it is answered."""
        self.chat.site.model.says(answer)
        self.type(text)
        self.press("Enter")
        expect(self.chat.last).to_have_attribute("data-outcome", "answered")

    def counted(self) -> int:
        """Return how many keys were pressed since this was asked last."""
        presses, self.presses = self.presses, 0
        return presses


def test_the_newest_answer_and_its_sources_are_three_keys_away(browser: Browser) -> None:
    said = turn(
        1, "What is tea?", "A plant [[1]](https://site1.example/page).", *map(source, range(1, 9))
    )
    with site(store=kept(said)) as served, tab(browser, served) as chat:
        chat.open("/c/kept")
        keys = Keys(chat)
        keys.press("Shift+Tab")
        expect(keys.focused).to_have_text("跳到最新回答")
        assert shows(keys.focused)
        keys.press("Enter")
        expect(chat.part("answer")).to_be_focused()
        keys.press("Tab")
        citation = chat.part("answer").locator(".citation a")
        expect(citation).to_be_focused()
        expect(chat.page.locator("#citation-card")).to_contain_text("Title 1")
        assert keys.counted() == 3
        keys.press("Escape")
        expect(chat.page.locator("#citation-card")).to_be_hidden()
        expect(citation).to_be_focused()
        keys.press("Escape")
        expect(chat.message).to_be_focused()


def test_nothing_leads_to_an_answer_before_there_is_one(browser: Browser) -> None:
    with site() as served, tab(browser, served) as chat:
        chat.open()
        expect(chat.page.locator(".to-answer").first).to_be_hidden()
        keys = Keys(chat)
        keys.press("Shift+Tab")
        expect(keys.focused).to_have_text("搜索对话")
        keys.press("Enter")
        expect(chat.page.locator("#history-query")).to_be_focused()


@pytest.mark.release
def test_the_tasks_of_a_newcomer(browser: Browser) -> None:
    with (
        site(store=last_week(), CITESEEK_CHAT_SEARCH="on") as served,
        tab(browser, served) as chat,
    ):
        listing(served)
        chat.open()
        keys = Keys(chat)
        keys.ask("What is tea?")
        assert keys.counted() == 1

        keys.press("Shift+Tab", "Enter", "Tab")
        expect(chat.page.locator("#citation-card")).to_contain_text("Summary 1.")
        assert keys.counted() == 3
        keys.press("Escape", "Escape")
        keys.counted()

        keys.go("#model-pick summary")
        keys.press("Enter")
        expect(chat.page.locator(".model-row input:checked")).to_be_focused()
        usual = chat.page.locator("#model-picked").inner_text()
        while "openai:large" not in chat.page.locator(".model-row:has(:focus)").inner_text():
            keys.press("ArrowDown")
        keys.press("Enter")
        expect(chat.page.locator("#model-list")).to_be_hidden()
        expect(keys.focused).to_have_attribute("aria-label", "模型")
        expect(chat.page.locator("#model-picked")).to_have_text("large")
        assert usual == "test"
        assert keys.counted() <= 10

        chat.page.reload()
        keys.press("Shift+Tab", "Shift+Tab", "Enter")
        keys.type("bellagio")
        rows = chat.page.locator("#history-list li[data-session] a")
        expect(rows).to_have_count(1)
        keys.press("ArrowDown")
        with chat.page.expect_navigation():
            chat.page.keyboard.press("Enter")
        expect(chat.part("answer")).to_contain_text("On the lake")
        expect(chat.message).to_be_focused()
        assert keys.counted() == 4


@pytest.mark.release
def test_an_engine_that_is_down_is_asked_again(browser: Browser) -> None:
    with (
        site(replies.status(500), CITESEEK_CHAT_SEARCH="on") as served,
        tab(browser, served) as chat,
    ):
        chat.open()
        keys = Keys(chat)
        keys.ask("What is tea?", "From memory.")
        keys.counted()
        keys.press("Shift+Tab", "Enter")
        expect(keys.focused).to_have_class("notice")
        keys.press("Tab")
        expect(keys.focused).to_have_class("retry")
        served.results(2)
        served.model.says("It is a plant [1].")
        keys.press("Enter")
        assert keys.counted() == 4
        expect(chat.part("answer").locator(".citation a")).to_have_count(1)
        expect(chat.turns).to_have_count(1)
        expect(chat.message).to_be_focused()  # what was pressed is gone


@pytest.mark.release
def test_what_can_be_done_with_an_answer(chat: ChatPage) -> None:
    chat.turn_on()
    chat.message.focus()
    keys = Keys(chat)
    keys.ask("What is tea?")
    keys.press("Shift+Tab", "Shift+Tab")
    keys.go(".copy", "Shift+Tab")
    keys.press("Enter")
    expect(chat.confirmation).to_have_text("已复制")
    keys.go(".check")
    keys.press("Enter")
    expect(chat.last.locator(".checks")).to_be_visible()
    expect(chat.last.locator(".check")).to_be_focused()  # it rested meanwhile

    keys.go(".share summary")
    keys.press("Enter")
    make = chat.last.locator(".make-link")
    expect(make).to_be_visible()
    keys.press("Tab", "Enter")
    expect(chat.last.locator(".share-link input")).to_be_focused()
    keys.press("Tab", "Tab", "Enter")
    expect(make).to_be_focused()
    keys.press("Escape")
    expect(chat.last.locator(".share summary")).to_be_focused()
    expect(make).to_be_hidden()

    keys.go(".exports summary")
    keys.press("Enter", "Tab")
    with chat.page.expect_download() as downloading:
        chat.page.keyboard.press("Enter")
    assert downloading.value.suggested_filename.endswith(".md")
    keys.press("Escape")
    expect(chat.last.locator(".exports summary")).to_be_focused()

    keys.go('[data-part="actions"] .about summary')
    keys.press("Enter", "Tab", "Enter")
    expect(chat.last.locator(".watched")).to_be_visible()
    expect(chat.last.locator("button.watch")).to_be_focused()
    keys.press("Escape")
    expect(chat.last.locator('[data-part="actions"] .about summary')).to_be_focused()
    keys.press("Escape")
    expect(chat.message).to_be_focused()


@pytest.mark.release
def test_a_question_is_asked_again_and_written_anew(chat: ChatPage) -> None:
    keys = Keys(chat)
    keys.ask("What is tea?", "First.")
    keys.go(".retry", "Shift+Tab")
    chat.site.model.says("Second.")
    keys.press("Enter")
    expect(chat.part("answer")).to_have_text("Second.")
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.message).to_be_focused()

    keys.go('.version[data-step="earlier"]', "Shift+Tab")
    keys.press("Enter")
    expect(chat.part("answer")).to_have_text("First.")
    expect(keys.focused).to_have_attribute("data-step", "later")
    keys.press("Enter")
    expect(chat.part("answer")).to_have_text("Second.")

    keys.go(".edit")
    keys.press("Enter")
    expect(chat.page.locator(".editing textarea")).to_be_focused()
    keys.press("Escape")
    expect(chat.last.locator(".edit")).to_be_focused()
    keys.press("Enter", "End")
    keys.type(" Green tea?")
    chat.site.model.says("Third.")
    keys.press("Enter")
    expect(chat.part("answer")).to_have_text("Third.")
    expect(chat.last.locator(".question")).to_have_text("What is tea? Green tea?")
    expect(chat.message).to_be_focused()
    keys.press("ArrowUp")
    expect(chat.page.locator(".editing textarea")).to_be_focused()


@pytest.mark.release
def test_conversations_are_gone_through_renamed_and_deleted(browser: Browser) -> None:
    with site(store=last_week()) as served, tab(browser, served) as chat:
        chat.open()
        keys = Keys(chat)
        keys.ask("What is tea?", "A plant.")
        rows = chat.page.locator("#history-list li[data-session]")
        expect(rows).to_have_count(2)
        query = chat.page.locator("#history-query")
        keys.press("Shift+Tab", "Shift+Tab", "Enter")
        keys.type("bellagio")
        expect(rows).to_have_count(1)
        keys.press("Escape")  # empties the box, and leaves the list where it is
        expect(rows).to_have_count(2)
        expect(query).to_be_focused()
        keys.press("ArrowDown", "ArrowDown")
        expect(rows.last.locator("a")).to_be_focused()
        keys.press("ArrowUp", "ArrowUp")
        expect(query).to_be_focused()
        keys.press("ArrowDown", "End", "Tab", "Enter", "Enter")
        keys.type("Boats")
        keys.press("Enter")
        expect(rows.last.locator("a")).to_have_text("Boats")
        expect(rows.last.locator(".row-menu")).to_be_focused()
        keys.press("Enter", "ArrowDown", "Enter", "Shift+Tab", "Enter")
        expect(rows).to_have_count(1)
        expect(rows.first.locator("a")).to_be_focused()
        keys.press("Escape")
        expect(chat.page.locator("#history")).to_be_hidden()
        expect(chat.page.locator("#history-button")).to_be_focused()


@pytest.mark.release
def test_the_focus_in_the_list_of_conversations_stays_when_the_list_is_renewed(
    browser: Browser,
) -> None:
    with site(store=last_week()) as served, tab(browser, served) as chat:
        chat.open()
        keys = Keys(chat)
        keys.ask("What is tea?", "A plant.")
        rows = chat.page.locator("#history-list li[data-session]")
        expect(rows).to_have_count(2)
        keys.press("Shift+Tab", "Shift+Tab", "Enter", "ArrowDown", "ArrowDown")
        expect(rows.last.locator("a")).to_be_focused()
        with tab(browser, served) as other:
            served.model.says("Another plant.")
            other.open().ask("What is coffee?")
        expect(rows).to_have_count(3)
        expect(rows.last.locator("a")).to_be_focused()


@pytest.mark.release
def test_settings_are_chosen_and_a_list_that_leads_elsewhere_waits_for_enter(
    chat: ChatPage,
) -> None:
    keys = Keys(chat)
    root, panel = chat.page.locator("html"), chat.page.locator("#settings")
    keys.go("#settings-button", "Shift+Tab")
    keys.press("Enter")
    keys.go("#choice-theme")
    theme = root.get_attribute("data-theme")
    keys.press("ArrowDown")
    expect(root).not_to_have_attribute("data-theme", theme or "")
    keys.press("Tab")
    language = chat.page.locator("#choice-ui-language")
    expect(language).to_be_focused()
    keys.press("ArrowDown", "ArrowDown")
    expect(language).to_have_value("ja")
    keys.press("Escape")  # takes back what was only gone through
    expect(panel).to_be_hidden()
    expect(chat.page.locator("#settings-button")).to_be_focused()
    expect(language).to_have_value("zh")
    keys.press("Enter")
    keys.go("#choice-ui-language")
    keys.press("ArrowDown")
    expect(root).to_have_attribute("lang", "zh-CN")
    with chat.page.expect_navigation():
        chat.page.keyboard.press("Enter")
    expect(root).to_have_attribute("lang", "en")
    expect(chat.message).to_be_focused()


@pytest.mark.release
def test_an_agent_a_command_and_a_file(browser: Browser) -> None:
    with site(agents=AGENTS) as served, tab(browser, served) as chat:
        chat.open()
        keys = Keys(chat)
        keys.go("#choice-agent", "Shift+Tab")
        keys.press("ArrowDown", "ArrowDown")  # past the first, which is not meant
        expect(chat.page).to_have_url(re.compile("/$"))
        with chat.page.expect_navigation():
            chat.page.keyboard.press("Enter")
        expect(chat.page.locator(".agent")).to_have_text("Agent：quiet")
        expect(chat.message).to_be_focused()

        commands = chat.page.locator("#commands")
        keys.type("/")
        expect(commands).to_be_visible()
        keys.press("Escape")
        expect(commands).to_be_hidden()
        keys.press("Backspace")
        keys.type("/he")
        keys.press("Enter")
        expect(chat.last).to_have_attribute("data-outcome", "command")
        expect(chat.message).to_be_focused()

        keys.go("#attach")
        chat.page.evaluate(NOTE_CHOOSING)
        keys.press("Enter")
        chat.page.wait_for_function("() => window.isChoosing", timeout=PATIENCE_MS)
        tea = FilePayload(name="tea.txt", mimeType="text/plain", buffer=b"Tea is a plant.")
        chat.page.locator("#file-input").set_input_files(tea)
        files = chat.page.locator("#files")
        expect(files.locator("li")).to_have_count(1)
        expect(chat.message).to_be_focused()
        keys.press("Shift+Tab", "Enter")
        expect(files).to_be_hidden()
        expect(chat.message).to_be_focused()


@pytest.mark.release
def test_enter_in_a_list_below_the_box_sends_nothing(browser: Browser, served: Site) -> None:
    listing(served)
    with tab(browser, served) as chat:
        chat.open()
        keys = Keys(chat)
        keys.type("What is tea?")
        keys.go("#model-pick summary")
        keys.press("Enter")
        expect(chat.page.locator(".model-row input:checked")).to_be_focused()
        keys.press("ArrowDown", "Enter")
        expect(chat.page.locator("#model-list")).to_be_hidden()
        expect(chat.message).to_have_value("What is tea?")
        expect(chat.turns).to_have_count(0)
