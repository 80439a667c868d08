/** The sources of an answer, read again: those that no longer say what they were cited for are amber. */

import { call } from "./api.js";
import { element } from "./elements.js";
import { resting } from "./keyboard.js";
import { reveal } from "./scrolling.js";
import { confirm, speak } from "./status.js";
import { say } from "./words.js";

const PATIENCE_MS = 180_000; // every page that is cited is read
const AMBER = new Set(["changed", "gone", "unclear"]);

/** Read the pages that a turn cites again, and show which have changed. */
export async function watch(sessionId, turn, button) {
  confirm(say("watching"));
  await resting(button, async () => {
    try {
      const wanted = { turns: [turn.dataset.turn] };
      const told = await call("POST", `/sessions/${sessionId}/watch`, wanted, PATIENCE_MS);
      show(turn, told.answers[0]?.sources ?? []);
      speak(say("watched"));
    } catch (problem) {
      confirm(problem.message);
    }
  });
}

function show(turn, sources) {
  for (const { number, state } of sources) {
    for (const place of turn.querySelectorAll(`[data-number="${number}"]`)) {
      if (AMBER.has(state)) place.dataset.watched = state;
      else delete place.dataset.watched;
    }
  }
  turn.querySelector(":scope > .watched")?.remove();
  const told = report(sources);
  turn.append(told);
  reveal(told);
}

function report(sources) {
  const section = element("section", "checks watched");
  const told = sources.filter(({ state }) => state !== "same");
  const list = element("ul", "");
  list.append(...told.map(row));
  const isWell = sources.length && !told.some(({ state }) => AMBER.has(state));
  section.append(element("h3", "", say("watchHeading")));
  if (!sources.length) section.append(element("p", "", say("watchNothing")));
  if (isWell) section.append(element("p", "", say("watchSame")));
  if (told.length) section.append(list);
  return section;
}

function row({ number, title, state, changes, failure }) {
  const line = element("li", "");
  line.dataset.watched = state;
  const mark = AMBER.has(state) ? "▲" : "·";
  line.append(element("strong", "verdict", `${mark} [${number}]`), " ", element("span", "", title));
  for (const text of reasons(state, changes, failure)) line.append(element("span", "evidence", text));
  return line;
}

function* reasons(state, changes, failure) {
  if (failure) {
    yield say(AMBER.has(state) ? "watch_removed" : "watch_unread", { reason: failure.message });
  } else if (state === "own_file") {
    yield say("watch_own_file");
  } else {
    for (const change of changes) if (change.code !== "same") yield* sentences(change);
  }
}

function* sentences({ code, claim, was, now, page }) {
  yield say(`watch_${code}`, { claim });
  if (was && was !== claim) yield say("watch_was", { was });
  if (now) yield say("watch_now", { now }) + (page ? ` (${locator(page)})` : "");
}

function locator({ kind, number, name }) {
  return say(`locator_${kind}`, { number, name: name ?? number });
}
