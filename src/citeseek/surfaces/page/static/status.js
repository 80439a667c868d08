/** What the page says beside the conversation, for eyes and for screen readers. */

import { say } from "./words.js";

const SHOWN_MS = 6_000;
const SLOW_MS = 300;

const line = document.getElementById("confirmation");
const problem = aboveInput("problem", "alert");
const connection = aboveInput("connection", "status");

let timer;

/** Say something that is over in a moment. */
export function confirm(text) {
  show(text, "seen");
}

/** Say to screen readers what can be seen anyway. */
export function speak(text) {
  show(text, "heard");
}

function show(text, kind) {
  clearTimeout(timer);
  line.textContent = text;
  line.dataset.kind = kind;
  timer = setTimeout(() => line.replaceChildren(), SHOWN_MS);
}

/**
 * Wait for a change and confirm it with the words of `text`; say so when it takes long or fails.
 * @param {Promise<void>} change
 * @param {() => string} text
 */
export async function confirming(change, text) {
  const slow = setTimeout(() => confirm(say("saving")), SLOW_MS);
  try {
    await change;
    confirm(text());
  } catch (error) {
    confirm(say("notSaved", { reason: error.message }));
  } finally {
    clearTimeout(slow);
  }
}

/** Say what went wrong with a message; an empty text takes it away. */
export function complain(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

/** Say how the connection is, until an empty text says that it is well. */
export function tellConnection(text) {
  connection.textContent = text;
  connection.hidden = !text;
}

function aboveInput(id, role) {
  const element = document.createElement("p");
  element.id = id;
  element.setAttribute("role", role);
  element.hidden = true;
  document.querySelector("#composer, #report-status").prepend(element);
  return element;
}
