/** Tells screen readers how an answer goes: its steps and its end, not each word of it. */

import { speak } from "./status.js";
import { turnOf } from "./turns.js";
import { say } from "./words.js";

const ENDS = { answered: "answerDone", stopped: "answerStopped", failed: "answerFailed" };

const said = new Map(); // what was last said of a turn

/** @param {string} id of a turn that changed */
export function announce(id) {
  const turn = turnOf(id);
  if (!turn) return;
  const end = ENDS[turn.dataset.outcome];
  const text = end ? say(end) : turn.querySelector('[data-part="progress"]')?.textContent.trim();
  if (!text || said.get(id) === text) return;
  said.set(id, text);
  speak(text);
}
