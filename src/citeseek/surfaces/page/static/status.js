/** What the page says in passing, for eyes and for screen readers. */

import { say } from "./words.js";

const SHOWN_MS = 6_000;
const SLOW_MS = 300;

const line = document.getElementById("confirmation");
const problem = document.createElement("p");
problem.id = "problem";
problem.setAttribute("role", "alert");
problem.hidden = true;
document.getElementById("composer").prepend(problem);

let lasting = "";
let timer;

/** Say something that is over in a moment. */
export function confirm(text) {
  clearTimeout(timer);
  line.textContent = text;
  line.dataset.kind = "passing";
  timer = setTimeout(showLasting, SHOWN_MS);
}

/** Say something that holds until it is said to be over, by an empty text. */
export function hold(text) {
  lasting = text;
  clearTimeout(timer);
  showLasting();
}

function showLasting() {
  line.textContent = lasting;
  line.dataset.kind = lasting ? "lasting" : "passing";
}

/**
 * Wait for a change and confirm it with the words of `text`; say so when it takes long or fails.
 * @param {Promise<void>} change
 * @param {() => string} text
 * @returns {Promise<boolean>} whether it was saved
 */
export async function confirming(change, text) {
  const slow = setTimeout(() => confirm(say("saving")), SLOW_MS);
  try {
    await change;
    confirm(text());
    return true;
  } catch (error) {
    confirm(say("notSaved", { reason: error.message }));
    return false;
  } finally {
    clearTimeout(slow);
  }
}

/** Say beside the composer what went wrong; an empty text takes it away. */
export function complain(text) {
  problem.textContent = text;
  problem.hidden = !text;
}
