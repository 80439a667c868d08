/**
 * The check of an answer's citations. The server says below the answer what was found; here each number
 * gets its mark, and the list of sources what each stands behind.
 */

import { call } from "./api.js";
import { element } from "./elements.js";
import { resting } from "./keyboard.js";
import { closest, withMarks } from "./passages.js";
import { reveal } from "./scrolling.js";
import { confirm, speak } from "./status.js";
import { say } from "./words.js";

const PATIENCE_MS = 180_000; // every page that is cited is read

const found = new WeakMap(); // what was found about a citation

/** @returns {{verdict: string, evidence: string, by: string, pages: string} | undefined} of a link of a citation */
export function checkOf(citation) {
  return found.get(citation);
}

/** When the row of a source is opened, it shows what of its summary stands behind the answer. */
export function workSources(messages) {
  const opened = ({ target }) => {
    const source = target.open && target.matches(".about") && target.closest(".source");
    if (source) markSupport(source);
  };
  messages.addEventListener("toggle", opened, { capture: true });
}

/** Have the pages read that a turn cites, and show what they say. */
export async function check(sessionId, turn, button) {
  confirm(say("checkingSources"));
  await resting(button, async () => {
    try {
      const path = `/sessions/${sessionId}/turns/${turn.dataset.turn}/check`;
      await call("POST", path, undefined, PATIENCE_MS);
      turn.dataset.checked = ""; // what was found comes on its own way, before this or after it
      show(turn);
      speak(say("checkedSources"));
    } catch (problem) {
      confirm(problem.message);
    }
  });
}

/** Whoever asked for a check sees what came of it. */
function show(turn) {
  const told = turn.querySelector("details.checked");
  if (!told) return;
  delete turn.dataset.checked;
  told.open = true;
  reveal(told);
}

/** Put beside the citations of a turn what the gate and the last check found. */
export function showVerdicts(turn) {
  for (const part of ["judged", "checked"]) {
    const rows = turn.querySelectorAll(`[data-part="${part}"] li[data-number]`);
    mark(turn, [...rows].map(verdictIn));
  }
  if ("checked" in turn.dataset) show(turn);
}

function verdictIn(row) {
  const [evidence, pages] = [".evidence", ".pages"].map((name) => textOf(row, name));
  return { ...row.dataset, evidence, pages, isStruck: row.dataset.fate === "struck" };
}

/** Give each citation the next check of its number. */
function mark(turn, checks) {
  const waiting = [...checks];
  for (const citation of turn.querySelectorAll('[data-part="answer"] .citation a')) {
    const at = waiting.findIndex(({ number }) => String(number) === citation.dataset.number);
    if (at === -1) continue;
    const [own] = waiting.splice(0, at + 1).slice(-1);
    if (!own.verdict) continue; // there was no time for it
    found.set(citation, own);
    citation.closest(".citation").dataset.verdict = own.verdict;
    if (own.isStruck && own.verdict === "contradicted") quote(citation.closest("s"), own.evidence);
  }
}

/** What the page says stands behind the sentence that is struck. */
function quote(struck, evidence) {
  if (!struck || !evidence || struck.nextElementSibling?.matches("q.instead")) return;
  struck.after(" ", element("q", "instead", evidence));
}

/** In the row of a source, mark what of its summary stands behind the answer. */
function markSupport(source) {
  const summary = source.querySelector(".about .snippet");
  if (!summary) return;
  const context = summary.textContent;
  const passages = [...source.querySelectorAll(".uses li")].map(
    (line) => line.querySelector(".evidence")?.textContent ?? closest(context, textOf(line, ".claim")),
  );
  summary.replaceChildren(...withMarks(context, [...new Set(passages)]));
  // What is the summary's own sentence need not be told again.
  for (const line of source.querySelectorAll(".uses li:not([data-verdict])")) {
    line.hidden = context.includes(textOf(line, ".claim"));
  }
}

function textOf(line, selector) {
  return line.querySelector(selector)?.textContent ?? "";
}
