/** The pages of reports: ask for one, see how each stands, cancel and delete. */

import { call, signIn } from "./api.js";
import { element } from "./elements.js";
import { isNowhere, resting } from "./keyboard.js";
import { workFolds } from "./folds.js";
import { complain, confirm, connectionTeller } from "./status.js";
import { Stream } from "./stream.js";
import { say } from "./words.js";

const list = document.getElementById("report-list");
const form = document.getElementById("ask-report");
const older = document.getElementById("older-reports");
const isOne = !form;

form?.addEventListener("submit", ask);
older?.addEventListener("click", showOlder);
list.addEventListener("click", ({ target }) => {
  const row = target.closest("li");
  if (target.closest(".cancel")) cancel(row);
  if (target.closest(".delete")) askToDelete(row);
});
workFolds(document.body, (fold) => import("./sharing.js").then(({ showShare }) => showShare(fold)));
dress(list);
if (list.dataset.events) follow();

function follow() {
  new Stream(list.dataset.events, "", {
    news(kind, data) {
      if (kind === "rows") putRows(data);
      if (kind === "gone") showEnd();
    },
    lost: connectionTeller(),
    renew,
  });
}

/** An EventSource does not say why it was refused; the page itself does. */
async function renew() {
  const response = await fetch(location.pathname);
  if (response.status === 401 || new URL(response.url).pathname === "/login") signIn();
  else if (response.ok) return "";
  else if (response.status !== 404) throw new Error(`The page answered ${response.status}.`);
  return null;
}

/**
 * @param {object} told
 * @param {string[]} told.order of the newest rows
 * @param {Record<string, string>} told.rows what changed, rendered by the server
 * @param {boolean} told.all whether what is not in the order is behind it, or gone
 */
function putRows({ order, rows, all }) {
  const shown = new Map(rowsOf(list).map((row) => [row.dataset.report, row]));
  for (const [id, html] of Object.entries(rows)) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html; // escaped by the server
    const row = fresh.content.firstElementChild;
    const before = shown.get(id);
    if (before?.querySelector("form")) continue; // it waits for an answer
    dress(fresh.content);
    if (before) replace(before, row);
    shown.set(id, row);
  }
  const listed = order.map((id) => shown.get(id)).filter(Boolean);
  if (all) {
    // A full list ends somewhere: what was shown behind that end stays.
    const isFull = order.length >= Number(list.dataset.page);
    const isBehind = (row) => isFull && placeOf(row) < placeOf(listed.at(-1));
    for (const row of rowsOf(list)) {
      if (!order.includes(row.dataset.report) && !isBehind(row)) row.remove();
    }
    if (isFull && rowsOf(list).length <= order.length) older.hidden = false;
  }
  // Only what is not in its place is moved: what moves loses the focus.
  listed.forEach((row, place) => {
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
  });
}

/** Put one row in the place of another, with the focus that was in it. */
function replace(before, row) {
  const focused = before.contains(document.activeElement) && document.activeElement;
  before.replaceWith(row);
  if (!focused) return;
  const same = focused.className && row.querySelector(`.${focused.className}`);
  (same || row.querySelector("a")).focus();
}

/** A page of one report shows it when it has ended. */
async function showEnd() {
  if (!isOne) return;
  const response = await fetch(location.pathname);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = document.querySelector("main");
  list.replaceChildren(...page.getElementById("report-list").children);
  const fresh = page.querySelector("main");
  fresh.querySelector("#report-list").replaceWith(list);
  main.replaceChildren(...fresh.children);
  dress(list);
  confirm(list.querySelector(".state strong").textContent);
}

async function ask(event) {
  event.preventDefault();
  const [question, sources, depth] = ["question", "sources", "depth"].map((name) =>
    document.getElementById(`report-${name}`),
  );
  const asked = { question: question.value.trim() };
  if (!asked.question) return;
  if (sources.value) asked.max_sources = sources.valueAsNumber;
  if (depth.value) asked.depth = depth.valueAsNumber;
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  try {
    await call("POST", "/research", asked);
    question.value = "";
    complain("");
    confirm(say("reportAsked"));
  } catch (error) {
    complain(say("notSent", { reason: error.message }));
  }
  button.disabled = false;
  question.focus();
}

async function cancel(row) {
  const { report } = row.dataset;
  const button = row.querySelector(".cancel");
  const hadFocus = button === document.activeElement;
  await resting(button, async () => {
    try {
      await call("DELETE", `/research/${report}`);
      confirm(say("reportCancelled"));
    } catch (error) {
      complain(error.message);
    }
  });
  // The news may have put another row in its place meanwhile.
  const now = rowsOf(list).find((each) => each.dataset.report === report);
  if (hadFocus && isNowhere()) now?.querySelector("a").focus();
}

function askToDelete(row) {
  if (row.querySelector("form")) return;
  const question = element("form");
  const yes = element("button", "yes", say("yes"));
  const no = element("button", "no", say("no"));
  no.type = "button";
  question.append(element("p", "", say("deleteReport")), yes, no);
  row.append(question);
  no.addEventListener("click", () => {
    question.remove();
    row.querySelector(".delete").focus();
  });
  question.addEventListener("keydown", ({ key }) => key === "Escape" && no.click());
  question.addEventListener("submit", (event) => {
    event.preventDefault();
    remove(row, question);
  });
  no.focus();
}

async function remove(row, question) {
  question.inert = true;
  try {
    await call("DELETE", `/research/${row.dataset.report}`);
  } catch (error) {
    if (error.status !== 404) {
      complain(error.message);
      question.remove();
      row.querySelector(".delete").focus();
      return;
    }
  }
  if (isOne) {
    location.assign("/reports");
    return;
  }
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("a") ?? document.getElementById("report-question")).focus();
  confirm(say("deleted"));
}

async function showOlder() {
  const last = rowsOf(list).at(-1);
  if (!last) return;
  older.disabled = true;
  try {
    const response = await fetch(`/reports/rows?before=${encodeURIComponent(last.dataset.place)}`);
    if (!response.ok) throw new Error(`The page answered ${response.status}.`);
    const rows = document.createElement("template");
    rows.innerHTML = await response.text(); // escaped by the server
    older.hidden = response.headers.get("X-More") !== "true";
    dress(rows.content);
    const first = rows.content.querySelector("a");
    list.append(rows.content);
    first?.focus();
  } catch {
    confirm(say("offline"));
  }
  older.disabled = false;
}

function rowsOf(place) {
  return [...place.querySelectorAll("li[data-report]")];
}

function placeOf(row) {
  return Number.parseFloat(row.dataset.place);
}

/** Times are those of the reader's clock. */
function dress(place) {
  const { lang } = document.documentElement;
  for (const time of place.querySelectorAll("time")) {
    const options = { dateStyle: "medium", timeStyle: "short" };
    time.textContent = new Date(time.dateTime).toLocaleString(lang, options);
  }
}
