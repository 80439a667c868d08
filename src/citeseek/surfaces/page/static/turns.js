/** Puts into the page what the server rendered: whole turns, parts of them, blocks of an answer. */

import { showVerdicts } from "./checks.js";
import { say } from "./words.js";

const HEADING_CHARS = 140;
const HEADING_LINES = 3;
const LONGEST_CHARS = 1_200;
const VERDICTS = new Set(["judged", "checked"]);
const FOCUSABLE = "a[href], button, summary, input, textarea, [tabindex='0']";

const messages = document.getElementById("messages");

let isReplacing = false; // a turn is about to be replaced, from this tab

/** @returns {HTMLElement | null} */
export function turnOf(id) {
  return messages.querySelector(`.turn[data-turn="${CSS.escape(id)}"]`);
}

/** A question on its way to the server; the first turn that comes takes its place. */
export function putQuestion(text) {
  const question = document.createElement("p");
  question.className = "question on-its-way";
  question.dir = "auto";
  question.dataset.length = lengthOf(text);
  question.textContent = text;
  messages.append(question);
}

/** How it is set, as the server does it: a short question is a heading, the longest scrolls. */
function lengthOf(text) {
  if (text.length > LONGEST_CHARS) return "longest";
  return text.length > HEADING_CHARS || text.split("\n").length > HEADING_LINES ? "long" : "short";
}

/** The question did not get there. */
export function dropQuestion() {
  messages.querySelector(".on-its-way")?.remove();
  isReplacing = false;
  for (const turn of messages.querySelectorAll("[data-leaving]")) {
    delete turn.dataset.leaving;
    turn.inert = false;
  }
}

/** A turn that another one is about to replace: nothing in it is pressed any more. */
export function leave(id) {
  const turn = turnOf(id);
  if (turn) {
    turn.dataset.leaving = "";
    turn.inert = true;
  }
  isReplacing = Boolean(turn);
}

/** Which turns there are: others are shown no more. */
export function putOrder({ turns }) {
  const known = new Set(turns);
  for (const turn of messages.querySelectorAll(".turn")) {
    if (!known.has(turn.dataset.turn)) turn.remove();
  }
}

/**
 * A turn that is new, or its new state.
 * @returns {boolean} whether it came in the place of one that went away above it
 */
export function putTurn({ turn, html }) {
  const fresh = fragment(html).firstElementChild;
  const old = turnOf(turn);
  if (!old) {
    const waiting = messages.querySelector(".on-its-way");
    if (waiting) waiting.replaceWith(fresh);
    else messages.append(fresh);
    showVerdicts(fresh);
    const isInstead = isReplacing;
    isReplacing = false;
    return isInstead;
  }
  Object.assign(old.dataset, fresh.dataset);
  for (const part of partsOf(fresh)) renew(partOf(old, part.dataset.part), part.childNodes);
  showVerdicts(old);
  return false;
}

/** A part of a turn, whole. */
export function putPart({ turn, part, html }) {
  const place = partOf(turnOf(turn), part);
  if (place) renew(place, fragment(html).childNodes);
  if (place && VERDICTS.has(part)) showVerdicts(place.parentElement);
}

/** The blocks of an answer from one on. */
export function putBlocks({ turn, from, html }) {
  const answer = partOf(turnOf(turn), "answer");
  if (!answer) return;
  renew(answer, fragment(html.join("")).childNodes, from);
  showVerdicts(answer.parentElement);
}

/** All turns anew, from a page that was fetched. */
export function putAll(page) {
  const fresh = page.getElementById("messages");
  messages.replaceChildren(...fresh.childNodes);
  messages.dataset.revision = fresh.dataset.revision;
  dress(messages);
}

/** What scripts add to turns that came with the page. */
export function dress(root) {
  addCopyButtons(root);
  for (const turn of root.querySelectorAll(".turn")) showVerdicts(turn);
}

/** A button on each block of code. */
function addCopyButtons(root) {
  for (const code of root.querySelectorAll(".code:not(:has(.copy-code))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-code";
    button.textContent = say("copyCode");
    code.prepend(button);
  }
}

function partsOf(turn) {
  return turn?.querySelectorAll(":scope > [data-part]") ?? [];
}

function partOf(turn, name) {
  return [...partsOf(turn)].find((part) => part.dataset.part === name);
}

/** The server has sanitised it. */
function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  addCopyButtons(template.content);
  return template.content;
}

/**
 * Replace the children of `place` from one on, but for those at the beginning that stay the same:
 * what is selected there stays selected. What was unfolded or focused still is.
 */
function renew(place, children, from = 0) {
  const unfolded = [...place.querySelectorAll("details")].map((details) => details.open);
  const focused = [...place.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);

  const fresh = [...children];
  const old = [...place.childNodes].slice(from);
  const first = fresh.findIndex((node, index) => !old[index]?.isEqualNode(node));
  const same = first === -1 ? fresh.length : first;
  for (const node of old.slice(same)) node.remove();
  place.append(...fresh.slice(same));

  [...place.querySelectorAll("details")].forEach((details, index) => {
    details.open = unfolded[index] ?? details.open;
  });
  const focusable = place.querySelectorAll(FOCUSABLE)[focused];
  if (focusable !== document.activeElement) focusable?.focus({ preventScroll: true });
}
