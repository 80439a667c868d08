/** Who answers in a new conversation: Citeseek itself, or an agent of the server's agents.json. */

import { call } from "./api.js";
import { whenChosen } from "./keyboard.js";
import { draftOf, keepDraft } from "./drafts.js";
import { confirm } from "./status.js";
import { say } from "./words.js";

/** @param {import("./conversation.js").Conversation} conversation */
export function workAgents(conversation) {
  const choice = document.getElementById("choice-agent");
  if (!choice) return;
  const now = [...choice.options].find((option) => option.defaultSelected)?.value ?? "";

  async function open() {
    try {
      const agent = choice.value;
      const { id } = agent ? await call("POST", "/sessions", { agent_id: agent }) : { id: "" };
      const text = draftOf(conversation.id);
      keepDraft(conversation.id, "");
      keepDraft(id, text);
      location.assign(id ? `/c/${id}` : "/");
    } catch (error) {
      choice.value = now;
      confirm(say("notSaved", { reason: error.message }));
    }
  }
  whenChosen(choice, open);
  if (choice.value !== now) open(); // somebody was faster than the scripts
}
