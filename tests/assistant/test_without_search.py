"""What the built-in model's reader is told when nothing was searched, and when a search failed."""

from __future__ import annotations

from tests.assistant.chatting import all_of, chatting, done, notice
from tests.loopback import replies

from citeseek.assistant.events import Notice
from citeseek.i18n import catalogue
from citeseek.language_model.extractive_model import Phrases

CHINESE, ENGLISH = Phrases(catalogue("zh")), Phrases(catalogue("en"))


async def test_with_the_switch_off_it_names_the_switch_and_blames_no_search() -> None:
    async with chatting(CITESEEK_MODEL="extractive") as chat:
        events = await chat.say("how is tea made?", search=False)
        assert done(events).answer.startswith(ENGLISH("not_searched"))
        told = notice(events)
        assert told.code == "search_off"
        assert "联网搜索" in told.hint
        assert "/search on" in told.hint
        assert chat.engine.requests == []
        found = await chat.say("how is tea made?", search=True)
        assert all_of(found, Notice) == []
        assert done(found).sources


async def test_after_a_search_that_failed_it_says_so_and_nothing_of_the_switch() -> None:
    async with chatting(replies.status(502), CITESEEK_MODEL="extractive") as chat:
        events = await chat.say("茶怎么做？")
        assert done(events).answer.startswith(CHINESE("no_results"))
        assert notice(events).code == "unavailable"


async def test_a_language_model_answers_without_any_such_notice() -> None:
    async with chatting() as chat:
        chat.model.says("Tea is a plant.")
        assert all_of(await chat.say("tea?", search=False), Notice) == []
        assert chat.asked.prompt == "tea?"
