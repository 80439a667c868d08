/** What may be asked next: wished for when an answer has come to its end before the reader's eyes. */

import { call } from "./api.js";
import { turnOf } from "./turns.js";

const PATIENCE_MS = 120_000;
const asked = new Set();

/**
 * A turn changed: ask for questions if it is answered; they come with the news of the conversation.
 * @param {import("./conversation.js").Conversation} conversation
 * @param {string} id
 */
export async function wishFollowUps(conversation, id) {
  const isWished = conversation.state.follow_ups && turnOf(id)?.dataset.outcome === "answered";
  if (!isWished || asked.has(id) || document.hidden) return;
  asked.add(id);
  try {
    await call("POST", `/sessions/${conversation.id}/turns/${id}/follow-ups`, undefined, PATIENCE_MS);
  } catch {
    // An answer without them is whole.
  }
}
