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

/**
 * Return what says how a connection is: that it is lost, and once that it is there again.
 * @returns {(isLost: boolean) => void}
 */
export function connectionTeller() {
  let wasLost = false;
  return (isLost) => {
    connection.textContent = isLost ? say("reconnecting") : "";
    connection.hidden = !isLost;
    if (wasLost && !isLost) confirm(say("reconnected"));
    wasLost = isLost;
  };
}

function aboveInput(id, role) {
  const element = document.createElement("p");
  element.id = id;
  element.setAttribute("role", role);
  element.hidden = true;
  document.querySelector("#composer, #report-status").prepend(element);
  return element;
}
