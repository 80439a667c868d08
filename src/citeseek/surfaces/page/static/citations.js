/** The card of a citation: what stands behind [n], without leaving the answer. */

import { checkOf } from "./checks.js";
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
  const here = [...citation.closest(".turn").querySelectorAll(selector)].find(isSame);
  return here ?? [...messages.querySelectorAll(selector)].findLast(isSame);
}

function fill(citation, source) {
  const text = (selector) => source.querySelector(selector)?.textContent.trim() ?? "";
  const title = document.createElement(citation.href ? "a" : "span");
  if (citation.href) {
    title.href = citation.href;
    title.target = "_blank";
    title.rel = citation.rel;
    title.tabIndex = -1; // the citation itself is the link for the keyboard
  }
  title.textContent = text(".title");
  const origin = document.createElement("span");
  origin.className = "origin";
  origin.textContent = [text(".domain"), text("time"), text(".pages")].filter(Boolean).join(" · ");
  const standing = document.createElement("p");
  standing.className = "standing";
  standing.textContent = say(citation.closest(".found") ? "sourceFound" : "sourceRead");
  const snippet = document.createElement("p");
  snippet.dir = "auto";
  snippet.textContent = text(".snippet");
  card.replaceChildren(title, origin, standing, ...checked(citation), snippet);
}

/** What a check found about the citation, if there was one. */
function checked(citation) {
  const check = checkOf(citation);
  if (!check) return [];
  const verdict = document.createElement("p");
  verdict.className = "verdict";
  verdict.dataset.verdict = check.verdict;
  const told = say(`verdict_${check.verdict}`);
  verdict.textContent = check.by === "judge" ? `${told} (${say("byJudge")})` : told;
  const quote = document.createElement("q");
  quote.dir = "auto";
  quote.textContent = check.evidence;
  if (!check.evidence) return [verdict];
  if (!check.page) return [verdict, quote];
  const page = document.createElement("span");
  page.className = "pages";
  const { kind, number, name } = check.page;
  page.textContent = say(`locator_${kind}`, { number, name: name ?? number });
  return [verdict, quote, page];
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
