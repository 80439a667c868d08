/**
 * The check of an answer's citations: a mark at each number, in the list of sources what each stands
 * behind, and below the answer what was found.
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

/** @returns {{verdict: string, evidence: string, by: string} | undefined} of a link of a citation */
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

/** Read the pages that a turn cites, and show what they say. */
export async function check(sessionId, turn, button) {
  confirm(say("checkingSources"));
  await resting(button, async () => {
    try {
      const path = `/sessions/${sessionId}/turns/${turn.dataset.turn}/check`;
      show(turn, await call("POST", path, undefined, PATIENCE_MS));
      speak(say("checkedSources"));
    } catch (problem) {
      confirm(problem.message);
    }
  });
}

/** Put beside the citations of a turn what the gate told of them while it streamed. */
export function showJudged(turn) {
  const rows = turn.querySelectorAll('[data-part="judged"] li[data-number]');
  mark(turn, [...rows].map(judgedIn));
}

function judgedIn(row) {
  const evidence = row.querySelector(".evidence")?.textContent ?? "";
  return { ...row.dataset, evidence, isStruck: row.dataset.fate === "struck" };
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

function show(turn, { checks, unread, judge, egress }) {
  mark(turn, checks);
  const failed = new Set(unread.map(({ number }) => number));
  const read = checks.filter(({ number, verdict }) => verdict !== "unfetched" && !failed.has(number));
  for (const number of new Set(read.map((each) => each.number))) markRead(turn, number);
  for (const source of turn.querySelectorAll(".source")) support(source, checks);
  turn.querySelector(":scope > .checks")?.remove();
  const told = report(checks, unread, judge, egress);
  turn.append(told);
  reveal(told);
}

/** Say in the row of a source how many sentences it stands behind, and which. */
function support(source, checks) {
  const own = checks.filter(({ number }) => String(number) === source.dataset.number);
  if (!own.length) return;
  const { contradicted = [], supported = [] } = Object.groupBy(own, ({ verdict }) => verdict);
  let told = counted(own, "citedOne", "citedCount");
  if (supported.length) told = counted(supported, "supportsOne", "supportsCount");
  if (contradicted.length) told = counted(contradicted, "contradictsOne", "contradictsCount");
  source.querySelector(".support")?.replaceChildren(told);
  source.querySelector(".uses")?.replaceChildren(...own.map(use));
  markSupport(source);
}

function counted({ length: count }, one, many) {
  return say(count === 1 ? one : many, { count });
}

/** A source of which only the search was known has been read for the check. */
function markRead(turn, number) {
  for (const place of turn.querySelectorAll(`[data-number="${number}"]`)) {
    if (place.matches(".chip")) place.dataset.read = "true";
    const citation = place.closest(".citation.found");
    if (citation) {
      citation.classList.remove("found");
      place.removeAttribute("aria-label"); // it says that the page was not read
    }
    const standing = place.querySelector(".standing");
    if (!standing) continue;
    standing.dataset.read = "true";
    standing.textContent = say("sourceRead");
  }
}

/** In the row of a source, mark what of its summary stands behind the answer. */
export function markSupport(source) {
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

function use({ claim, verdict, evidence }) {
  const line = element("li", "");
  line.dataset.verdict = verdict;
  line.append(element("strong", "verdict", say(`verdict_${verdict}`)), element("span", "claim", claim));
  if (evidence) line.append(element("q", "evidence", evidence));
  return line;
}

function report(checks, unread, judge, egress) {
  const section = element("section", "checks");
  const list = element("ul", "");
  list.append(...checks.map(row), ...unread.map(failure));
  section.append(element("h3", "", say("checkHeading")), checks.length ? list : say("checkNothing"));
  if (judge) section.append(element("p", "traffic", judging(judge)));
  if (egress) section.append(element("p", "traffic", traffic(egress)));
  return section;
}

/** Who was asked about what the rules cannot tell. */
function judging({ name, asked, lifted, failure: reason }) {
  const use = say("judgeUse", { name, asked, lifted });
  return reason ? `${use}. ${say("judgeFailed", { reason: reason.message })}` : use;
}

/** What reading the pages sent out and brought in; what is 0 or empty is left out of a receipt. */
function traffic({ requests = 0, hosts = [], received_bytes: received = 0, cached = 0 }) {
  const kilobytes = (received / 1000).toFixed(1);
  return say("checkTraffic", { requests, hosts: hosts.length, kilobytes, cached });
}

function row({ number, claim, verdict, reason, evidence, missing, elsewhere, together, by }) {
  const line = element("li", "");
  line.dataset.verdict = verdict;
  const why = say(`reason_${reason}`, { numbers: together.map((each) => `[${each}]`).join(" ") });
  const judged = by === "judge" ? `; ${say("byJudge")}` : "";
  const lost = missing.length ? `; ${say("missing", { words: missing.join(say("joint")) })}` : "";
  line.append(
    element("span", "number", `[${number}]`),
    " ",
    element("strong", "verdict", say(`verdict_${verdict}`)),
    ` (${why}${lost}${judged}) `,
    element("span", "claim", claim),
  );
  if (evidence) line.append(element("q", "evidence", evidence));
  if (elsewhere) line.append(element("span", "elsewhere", say("elsewhere", { number: elsewhere })));
  return line;
}

function failure({ number, failure: { message } }) {
  return element("li", "", `[${number}] ${message}`);
}
