"""The citations of an answer that a conversation holds, against the pages that they cite."""

from __future__ import annotations

from citeseek.assistant.checking import check_citations
from citeseek.assistant.citation_judge import judge_of
from citeseek.assistant.file_reading import FilesAndWeb
from citeseek.assistant.responder import Responder
from citeseek.assistant.session import OpenSession
from citeseek.client import Client
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.errors import NoConversation


async def check_turn(
    session: OpenSession, turn_id: str, client: Client, responder: Responder
) -> CheckedCitations:
    """Check an answer of ``session``, with the judge of the settings if they name one.

    It may be a version that is not shown. ``responder`` is who answers in the session; its files
    are there and not fetched. Raise NoConversation when there is no such turn.
    """
    turn = session.record.find(turn_id)
    if turn is None:
        raise NoConversation(
            f"There is no turn {turn_id!r:.60} in this conversation.",
            values={"case": "no_turn_here", "id": f"{turn_id!r:.60}"},
        )
    # An answer in Agent mode may cite what earlier ones found.
    earlier = session.registry if turn.mode == "agent" else ()
    judge = judge_of(client.settings, responder.model_name, responder.model)
    return await check_citations(
        turn.written,
        (*earlier, *turn.sources),
        client,
        judge,
        priced=judge is None or judge.name == responder.model_name,
        pages=FilesAndWeb(client, tuple(session.record.files)),
    )
