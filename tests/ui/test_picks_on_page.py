"""What stands within reach in the composer: engine, age of pages, model, commands, pasted files."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import box, is_seen, sideways

pytestmark = [pytest.mark.browser, pytest.mark.release]
PASTE = """([name, kind]) => {
  const data = new DataTransfer();
  data.items.add(new File(["Tea keeps for a year."], name, { type: kind }));
  const how = { clipboardData: data, bubbles: true, cancelable: true };
  const event = new ClipboardEvent("paste", how);
  document.getElementById("message").dispatchEvent(event);
}"""


def listing(served: Site) -> None:
    cards = [
        {"id": "test"},
        {"id": "large", "pricing": {"prompt": "0.000003", "completion": "0.000015"}},
    ]
    served.model.http.on("/v1/models", replies.as_json({"object": "list", "data": cards}))


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_list_of_models_stands_within_the_window(
    browser: Browser, served: Site, width: int
) -> None:
    listing(served)
    with tab(browser, served, {"viewport": {"width": width, "height": 844}}) as chat:
        chat.open("/?lang=en")
        chat.page.locator("#model-pick summary").click()
        expect(chat.page.locator(".model-row")).to_have_count(3)
        box = chat.page.locator("#model-pick .fold-body").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] >= 0


@pytest.mark.parametrize("width", [360, 390, 540])
def test_what_sends_keeps_its_corner_when_the_way_to_the_end_is_there(
    browser: Browser, served: Site, width: int
) -> None:
    with tab(browser, served, {**PHONE, "viewport": {"width": width, "height": 640}}) as chat:
        chat.open("/?lang=en")
        served.model.says("Tea. " * 400)
        chat.ask("tea")
        places = [box(chat.page.locator(f"#{name}")) for name in ("attach", "newest", "send")]
        tools = box(chat.page.locator(".tools"))
    first, arrow, send = places
    assert arrow["y"] + arrow["height"] == pytest.approx(send["y"] + send["height"], abs=1)
    assert send["x"] + send["width"] == pytest.approx(tools["x"] + tools["width"], abs=1)
    # Two rows at most.
    assert tools["height"] <= 2 * first["height"] + 12


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_model_of_the_server_is_picked_and_answers(
    browser: Browser, served: Site, device: dict[str, object]
) -> None:
    listing(served)
    with tab(browser, served, {**device, "bypass_csp": True}) as chat:
        chat.open("/?lang=en")
        pick = chat.page.locator("#model-pick")
        expect(pick.locator("summary")).to_have_text("test")
        pick.locator("summary").click()
        large = pick.get_by_label("openai:large")
        expect(pick.locator(".model-row")).to_have_count(3)
        expect(pick.get_by_label("openai:test")).to_be_checked()
        expect(pick.locator(".model-row").last).to_contain_text("3 in, 15 out, a million tokens")
        assert sideways(chat.page) == []
        assert violations(chat.page, without="target-size") == []
        large.check()
        expect(chat.confirmation).to_have_text("Saved")
        # Who presses one has chosen; a finger gets no keyboard over the page by that.
        expect(pick.locator("fieldset")).to_be_hidden()
        expect(pick.locator("summary")).to_have_text("large")
        if device is DESKTOP:
            expect(chat.message).to_be_focused()
        served.model.says("A plant.")
        chat.ask("tea?")
        assert served.model.requests[-1].body["model"] == "large"
        chat.page.reload()
        expect(pick.locator("summary")).to_have_text("large")


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_model_that_no_server_lists_is_named_and_kept(
    browser: Browser, served: Site, device: dict[str, object]
) -> None:
    listing(served)
    with tab(browser, served, device, bypass_csp=True) as chat:
        chat.open("/?lang=en")
        pick = chat.page.locator("#model-pick")
        pick.locator("summary").click()
        expect(pick.locator(".model-row")).to_have_count(3)
        other = pick.get_by_label("Another model")
        other.fill("no model: has spaces")
        other.press("Enter")
        expect(pick.locator("#model-state")).to_contain_text("is no name of a model")
        expect(other).to_have_attribute("aria-invalid", "true")
        expect(other).to_have_value("no model: has spaces")
        # It is said once, and nothing lies over it.
        expect(chat.confirmation).to_be_empty()
        assert is_seen(pick.locator("#model-state"))
        assert violations(chat.page, without="target-size") == []
        other.fill("openai:small")
        other.press("Enter")
        expect(pick.locator("fieldset")).to_be_hidden()
        expect(pick.locator("summary")).to_have_text("small")
        served.model.says("A plant.")
        chat.ask("tea?")
        assert served.model.requests[-1].body["model"] == "small"
        chat.page.reload()
        pick.locator("summary").click()
        expect(pick.locator(".model-row")).to_have_count(4)
        expect(pick.get_by_label("openai:small")).to_be_checked()
        expect(other).to_have_value("")


def test_the_built_in_model_has_one_name(browser: Browser) -> None:
    with site(CITESEEK_MODEL="extractive") as served, tab(browser, served) as chat:
        for lang, name in (("en", "Built-in"), ("zh", "内置模型"), ("ja", "内蔵モデル")):
            chat.open(f"/?lang={lang}")
            pick = chat.page.locator("#model-pick")
            expect(pick.locator("summary")).to_have_text(name)
            pick.locator("summary").click()
            expect(pick.locator(".model-name")).to_have_text(name)
            chat.open(f"/status?lang={lang}")
            expect(chat.page.get_by_text(name, exact=True)).to_be_visible()


def test_models_that_cannot_be_listed_are_told_and_the_known_ones_stay(chat: ChatPage) -> None:
    pick = chat.page.locator("#model-pick")
    pick.locator("summary").click()
    expect(pick.locator("#model-state")).to_contain_text("无法列出它的模型")
    expect(pick.locator(".model-row")).to_have_count(2)


def test_engine_and_age_of_pages_are_picked_below_the_question(chat: ChatPage) -> None:
    chat.turn_on()
    freshness = chat.page.get_by_label("网页的时间")
    freshness.select_option("week")
    expect(chat.confirmation).to_have_text("已保存")
    chat.site.model.says("Tea [1].")
    chat.ask("tea")
    asked = next(each for each in chat.site.engine.requests if each.path == "/search")
    assert ("time_range", "week") in asked.query
    chat.page.get_by_label("搜索的类型").select_option("news")
    chat.site.model.says("News [1].")
    chat.ask("tea again")
    asked = [each for each in chat.site.engine.requests if each.path == "/search"][-1]
    assert ("categories", "news") in asked.query
    chat.page.locator("#pick-engine").select_option("searxng")
    chat.page.locator("#settings-button").click()
    expect(chat.page.locator("#choice-engine")).to_have_value("searxng")
    chat.page.reload()
    expect(freshness).to_have_value("week")
    expect(chat.page.locator("#pick-engine")).to_have_value("searxng")


def test_commands_are_listed_and_taken_by_keyboard(browser: Browser, served: Site) -> None:
    with tab(browser, served, DESKTOP, bypass_csp=True) as chat:
        chat.open("/?lang=en")
        options = chat.page.get_by_role("listbox", name="Commands").get_by_role("option")
        chat.message.press_sequentially("/")
        expect(options).to_have_count(12)
        expect(chat.confirmation).to_have_text("12 commands: choose with the arrows")
        assert violations(chat.page) == []
        chat.message.press_sequentially("se")
        expect(options).to_have_count(2)
        expect(options.first).to_have_attribute("aria-selected", "true")
        chat.message.press("ArrowDown")
        expect(options.last).to_have_attribute("aria-selected", "true")
        active = chat.message.get_attribute("aria-activedescendant")
        assert active == options.last.get_attribute("id")
        chat.message.press("ArrowDown")
        expect(options.first).to_have_attribute("aria-selected", "true")
        chat.message.press("Escape")
        expect(options).to_have_count(0)
        expect(chat.message).to_have_value("/se")
        chat.message.press_sequentially("a")
        chat.message.press("Enter")
        expect(chat.switch).to_have_attribute("aria-checked", "true")
        expect(chat.message).to_have_value("")
        # What is no command is sent as it is.
        served.model.says("A folder.")
        chat.ask("/usr/bin is what?")
        expect(chat.part("answer")).to_have_text("A folder.")


def test_a_command_leads_to_how_the_server_stands(chat: ChatPage) -> None:
    chat.message.press_sequentially("/status")
    option = chat.page.get_by_role("option", name="/status")
    expect(option).to_have_attribute("aria-selected", "true")
    chat.message.press("Enter")
    expect(chat.page).to_have_url(f"{chat.site.base_url}/status")
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("运行状态")


def test_a_command_is_taken_by_a_click(chat: ChatPage) -> None:
    chat.message.press_sequentially("/mode")
    chat.page.get_by_role("option", name="/mode agent").click()
    expect(chat.mode("agent")).to_have_attribute("aria-checked", "true")
    expect(chat.message).to_be_focused()


def test_a_file_is_pasted(chat: ChatPage) -> None:
    chat.message.focus()
    chat.page.evaluate(PASTE, ["notes.txt", "text/plain"])
    expect(chat.page.locator("#files li")).to_have_text("notes.txt✕")
