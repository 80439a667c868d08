/** Earlier and later versions of a turn: one is shown in the place of the other, and nothing else moves. */

import { stay } from "./scrolling.js";
import { confirm, speak } from "./status.js";
import { turnOf } from "./turns.js";

const messages = document.getElementById("messages");

let awaited = null; // the version that was asked for, where it will stand, and the button for it

/**
 * Show another version of a turn.
 * @param {import("./conversation.js").Conversation} conversation
 * @param {HTMLButtonElement} button
 */
export async function showVersion(conversation, button) {
  const { version, step } = button.dataset;
  const top = button.closest(".turn").getBoundingClientRect().top;
  awaited = { version, step, top };
  stay();
  try {
    await conversation.showVersion(version);
  } catch (problem) {
    awaited = null;
    confirm(problem.message);
  }
}

/** A turn came: if it was asked for, its buttons are where those of the other one were. */
export function settle(id) {
  if (awaited?.version !== id) return;
  const turn = turnOf(id);
  const { step, top } = awaited;
  awaited = null;
  messages.scrollTop += turn.getBoundingClientRect().top - top;
  const same = turn.querySelector(`.version[data-step="${step}"]:enabled`);
  (same ?? turn.querySelector(".version:enabled"))?.focus({ preventScroll: true });
  speak(turn.querySelector(".versions .visually-hidden").textContent);
}
