/** The list of conversations: open, rename, delete. */

import { call } from "./api.js";
import { confirm } from "./status.js";
import { say } from "./words.js";

const list = document.getElementById("history-list");
const older = document.getElementById("older");

let arrived = null; // a list that came while one of its rows was worked on

/** @param {import("./conversation.js").Conversation} conversation */
export function workHistory(conversation) {
  list.addEventListener("click", ({ target }) => {
    const row = target.closest("li");
    if (target.closest(".rename")) rename(row);
    if (target.closest(".delete")) askToDelete(row, conversation);
  });
  older.addEventListener("click", () => showOlder(conversation.id));
}

/** The list as the server rendered it; while a row is worked on it waits. */
export function putHistory(html) {
  if (list.querySelector("form")) {
    arrived = html;
    return;
  }
  const fresh = document.createElement("template");
  fresh.innerHTML = html; // escaped by the server
  const newest = rowsOf(fresh.content);
  const listed = new Set(newest.map((row) => row.dataset.session));
  // A full list ends somewhere: what was shown behind that end stays.
  const isFull = newest.length >= Number(list.dataset.page);
  const isBehind = (row) =>
    isFull && !listed.has(row.dataset.session) && placeOf(row) <= placeOf(newest.at(-1));
  const behind = rowsOf(list).filter(isBehind);
  list.replaceChildren(fresh.content);
  list.append(...behind);
  if (isFull && !behind.length) older.hidden = false;
}

/** The next rows behind those that are shown. */
async function showOlder(current) {
  const last = rowsOf(list).at(-1);
  if (!last) return;
  older.disabled = true;
  try {
    const query = new URLSearchParams({ before: last.querySelector("a").dataset.place, current });
    const response = await fetch(`/history?${query}`);
    if (!response.ok) throw new Error(`The page answered ${response.status}.`);
    const rows = document.createElement("template");
    rows.innerHTML = await response.text(); // escaped by the server
    older.hidden = response.headers.get("X-More") !== "true";
    const [first] = rowsOf(rows.content);
    list.append(rows.content);
    first?.querySelector("a").focus();
  } catch {
    confirm(say("offline"));
  }
  older.disabled = false;
}

function rowsOf(root) {
  return [...root.querySelectorAll("li[data-session]")];
}

/** When something was last said in it. */
function placeOf(row) {
  return Number.parseFloat(row.querySelector("a").dataset.place);
}

function rename(row) {
  const link = row.querySelector("a");
  const input = document.createElement("input");
  input.value = link.textContent.trim();
  input.setAttribute("aria-label", say("rename"));
  const form = openForm(row, "rename-form", [input, pressable("submit", say("save"))]);
  input.select();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const title = input.value.trim();
    if (!title) return;
    try {
      await call("PATCH", `/sessions/${row.dataset.session}`, { title });
      link.textContent = title;
      confirm(say("renamed"));
      form.dispatchEvent(new Event("close"));
    } catch (error) {
      confirm(say("notSaved", { reason: error.message }));
    }
  });
}

function askToDelete(row, conversation) {
  const question = document.createElement("span");
  question.textContent = say("deleteQuestion");
  const yes = pressable("submit", say("yes"), "yes");
  const no = pressable("button", say("no"));
  const form = openForm(row, "delete-form", [question, yes, no]);
  no.focus();
  no.addEventListener("click", () => form.dispatchEvent(new Event("close")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await call("DELETE", `/sessions/${row.dataset.session}`);
    } catch (error) {
      confirm(say("notSaved", { reason: error.message }));
      return;
    }
    row.remove();
    form.dispatchEvent(new Event("close"));
    confirm(say("deleted"));
    if (row.dataset.session === conversation.id) location.assign("/");
  });
}

/** A small form below a row, closed by Escape; the focus goes back to where it came from. */
function openForm(row, name, contents) {
  row.querySelector("form")?.dispatchEvent(new Event("close"));
  const opener = document.activeElement;
  const form = document.createElement("form");
  form.className = name;
  form.append(...contents);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    form.dispatchEvent(new Event("close"));
  });
  form.addEventListener("close", () => {
    form.remove();
    if (row.contains(opener)) opener.focus();
    if (arrived !== null) putHistory(arrived);
    arrived = null;
  });
  row.append(form);
  return form;
}

function pressable(type, text, className = "") {
  const button = document.createElement("button");
  button.type = type;
  button.className = className;
  button.textContent = text;
  return button;
}
