/** The card of a citation: what stands behind [n], without leaving the answer. */

import { checkOf } from "./checks.js";
import { element } from "./elements.js";
import { closest, marked } from "./passages.js";
import { say } from "./words.js";

const LEAVING_MS = 150; // time to move from the number to its card
const GAP_PX = 6;

const messages = document.getElementById("messages");
const bar = document.getElementById("bar");
const card = document.getElementById("citation-card");

let shown = null; // the citation whose card is open
let leaving;
let isTouch = false;

export function workCitations() {
  messages.addEventListener("pointerover", ({ target, pointerType }) => {
    const citation = citationAt(target);
    if (pointerType !== "touch" && citation) open(citation);
  });
  // A finger leaves whatever it lets go of, before that is clicked.
  messages.addEventListener("pointerout", ({ target, pointerType }) => {
    if (pointerType !== "touch" && citationAt(target)) leave();
  });
  messages.addEventListener("focusin", ({ target }) => citationAt(target) && open(target));
  messages.addEventListener("focusout", ({ target }) => citationAt(target) && leave());
  messages.addEventListener("scroll", follow, { passive: true });
  card.addEventListener("pointerenter", () => clearTimeout(leaving));
  card.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && leave());
  addEventListener("resize", close);
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    isTouch = pointerType === "touch";
    if (!citationAt(target) && !card.contains(target)) close();
  });
  // A finger cannot hover: its first tap shows the card, the next one opens the source.
  messages.addEventListener("click", (event) => {
    const citation = citationAt(event.target);
    if (!citation || !isTouch || citation.dataset.seen === "true") return;
    event.preventDefault();
    open(citation);
    citation.dataset.seen = "true";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    event.preventDefault();
    close();
  });
}

function citationAt(target) {
  return target.closest(".citation a");
}

function open(citation) {
  clearTimeout(leaving);
  if (citation === shown) return;
  const source = sourceOf(citation);
  if (!source) return;
  close();
  shown = citation;
  fill(citation, source);
  citation.setAttribute("aria-describedby", card.id);
  card.hidden = false;
  place(citation);
}

/** The text moves under the card: it goes along while its number is in sight. */
function follow() {
  if (!shown) return;
  const { top, bottom } = shown.getBoundingClientRect();
  const sight = messages.getBoundingClientRect();
  if (top < sight.top || bottom > sight.bottom) close();
  else place(shown);
}

function leave() {
  clearTimeout(leaving);
  // A press on the card takes the focus from its citation.
  leaving = setTimeout(() => card.matches(":hover") || close(), LEAVING_MS);
}

function close() {
  clearTimeout(leaving);
  if (!shown) return;
  shown.removeAttribute("aria-describedby");
  delete shown.dataset.seen;
  shown = null;
  card.hidden = true;
}

/** The source with the same number and address, in this turn or, in Agent mode, an earlier one. */
function sourceOf(citation) {
  const selector = `[data-number="${CSS.escape(citation.dataset.number)}"]:has(.title)`;
  const isSame = (source) => (source.querySelector(".title").href ?? "") === citation.href;
  const here = [...citation.closest(".turn").querySelectorAll(selector)].filter(isSame);
  // The list at the end knows most of it.
  const known = here.find((source) => source.matches(".source")) ?? here[0];
  return known ?? [...messages.querySelectorAll(selector)].findLast(isSame);
}

function fill(citation, source) {
  const text = (selector) => source.querySelector(selector)?.textContent.trim() ?? "";
  const origin = element("span", "origin");
  const isFound = citation.closest(".found");
  const standing = element("span", "standing", say(isFound ? "sourceFound" : "sourceRead"));
  standing.dataset.read = String(!isFound);
  const told = [text(".domain"), text("time"), text(".pages")].filter(Boolean);
  origin.append(...told.map((each) => element("span", "", each)), standing);
  card.replaceChildren(origin, titleOf(citation, text(".title")), ...said(citation, text(".snippet")));
}

function titleOf(citation, text) {
  if (!citation.href) return element("span", "name", text);
  const title = element("a", "name", text);
  title.href = citation.href;
  title.target = "_blank";
  title.rel = citation.rel;
  title.tabIndex = -1; // the citation itself is the link for the keyboard
  return title;
}

/** What the source says of the sentence, marked in its context, and what a check made of it. */
function said(citation, context) {
  const check = checkOf(citation);
  const verdict = element("p", "verdict", check ? verdictOf(check) : say("unchecked"));
  if (check) verdict.dataset.verdict = check.verdict;
  const passage = check?.evidence || closest(context, claimOf(citation));
  const parts = context || passage ? [marked(context, passage)] : [];
  return [...parts, ...placeOf(check), verdict];
}

function verdictOf({ verdict, by }) {
  const told = say(`verdict_${verdict}`);
  return by === "judge" ? `${told} (${say("byJudge")})` : told;
}

/** Where in a document the passage stands. */
function placeOf(check) {
  return check?.pages ? [element("span", "pages", check.pages)] : [];
}

/** The sentence that a citation stands behind: what is between it and the one before. */
function claimOf(citation) {
  const block = citation.closest("p, li, td, th, blockquote, h3, h4, h5, h6") ?? citation.parentElement;
  const range = document.createRange();
  range.setStart(block, 0);
  range.setEndBefore(citation.closest(".citation"));
  const sentences = range.toString().split(/(?<=[。！？!?])|(?<=\.)\s/u);
  return sentences.findLast((each) => /\p{L}/u.test(each)) ?? "";
}

/** Below the number or above it, wherever there is more room; never over the header. */
function place(citation) {
  const at = citation.getClientRects()[0];
  const { width, height } = card.getBoundingClientRect();
  const top = bar.getBoundingClientRect().bottom + GAP_PX;
  const isAbove = at.top - height - GAP_PX >= top;
  const y = isAbove ? at.top - height - GAP_PX : at.bottom + GAP_PX;
  const x = at.left + at.width / 2 - width / 2;
  card.style.setProperty("left", `${within(x, GAP_PX, innerWidth - width - GAP_PX)}px`);
  card.style.setProperty("top", `${within(y, top, innerHeight - height - GAP_PX)}px`);
}

function within(value, least, most) {
  return Math.max(least, Math.min(value, most));
}
