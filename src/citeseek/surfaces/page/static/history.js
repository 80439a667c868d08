/** The list of conversations: grouped by date, searched, opened, renamed, deleted. */

import { call } from "./api.js";
import { remember } from "./appearance.js";
import { element } from "./elements.js";
import { closeMenu, focusIn, workMenus, workRowKeys } from "./menus.js";
import { confirm } from "./status.js";
import { say } from "./words.js";

const TYPING_MS = 250;
const IMPORT_PATIENCE_MS = 180_000;
const DAY_MS = 86_400_000;
const WIDE = matchMedia("(min-width: 68.75rem)");

const list = document.getElementById("history-list");
const older = document.getElementById("older");
const query = document.getElementById("history-query");

let arrived = null; // a list that came while one of its rows was worked on, or another was searched

/**
 * @param {import("./conversation.js").Conversation} conversation
 * @param {() => void} showMention shows what the address says of this conversation
 */
export function workHistory(conversation, showMention) {
  list.addEventListener("click", (event) => {
    const { target } = event;
    if (isHere(target.closest("a"), event)) {
      event.preventDefault();
      history.replaceState(null, "", target.closest("a").href);
      if (!WIDE.matches) document.querySelector("#history .close").click();
      showMention();
      return;
    }
    const row = target.closest("li");
    const isRename = target.closest(".rename");
    if (!isRename && !target.closest(".delete")) return;
    closeMenu(row);
    if (isRename) rename(row);
    else askToDelete(row, conversation);
  });
  workMenus(list);
  workRowKeys(query, list);
  older.addEventListener("click", () => showOlder(conversation.id));
  let typing;
  query.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => search(conversation.id), TYPING_MS);
  });
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !query.value) return;
    event.preventDefault(); // the first time it empties the box, the next time it closes the list
    query.value = "";
    search(conversation.id);
  });
  document.getElementById("history-search").addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(typing);
    await search(conversation.id);
    // A second Enter opens the first that was found.
    if (query.value.trim()) list.querySelector("li a")?.focus();
  });
  workArchive(conversation.id);
  group();
}

/** Whether a press leads to a mention in the conversation that is open, in this tab. */
function isHere(link, { ctrlKey, metaKey, shiftKey }) {
  return link?.hash && link.pathname === location.pathname && !(ctrlKey || metaKey || shiftKey);
}

/** A file of all conversations, made here or elsewhere, is taken in. */
function workArchive(current) {
  const input = document.getElementById("import-input");
  document.getElementById("import-all").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = ""; // so that the same file can be chosen again
    confirm(say("importing", { name: file.name }));
    try {
      const taken = await call("POST", "/sessions/archive", file.slice(), IMPORT_PATIENCE_MS);
      const { added = 0, known = 0, unreadable = 0, full = 0 } = taken;
      query.value = "";
      await search(current);
      confirm(say("imported", { added, known, failed: unreadable + full }));
    } catch (error) {
      const isOther = error.status === 400 || error.status === 422;
      confirm(say("notImported", { reason: isOther ? say("noArchive") : error.message }));
    }
  });
}

/** A column that folds away where there is room for one, which is remembered; else a sheet. */
export function showHistory(isOpen) {
  const { dataset } = document.documentElement;
  if (WIDE.matches) {
    dataset.history = isOpen ? "auto" : "folded";
    remember("citeseek_history", dataset.history);
  } else {
    dataset.history = isOpen ? "open" : "auto";
  }
}

/** The list as the server rendered it; while a row is worked on it waits. */
export function putHistory(html) {
  if (list.querySelector("form, .menu:not([hidden])") || query.value.trim()) {
    arrived = html;
    return;
  }
  const fresh = document.createElement("template");
  fresh.innerHTML = html; // escaped by the server
  const newest = rowsOf(fresh.content);
  const listed = new Set(newest.map((row) => row.dataset.session));
  // A full list ends somewhere: what was shown behind that end stays.
  const isFull = newest.length >= Number(list.dataset.page);
  const giveBack = focusIn(list);
  const isBehind = (row) =>
    isFull && !listed.has(row.dataset.session) && placeOf(row) <= placeOf(newest.at(-1));
  const behind = rowsOf(list).filter(isBehind);
  list.replaceChildren(fresh.content);
  list.append(...behind);
  if (isFull && !behind.length) older.hidden = false;
  group();
  giveBack();
}

/** Put a heading before the first row of each day or time; the days are those of the reader. */
function group() {
  for (const heading of list.querySelectorAll(".group")) heading.remove();
  let before;
  for (const row of rowsOf(list)) {
    const name = dayOf(Number(row.dataset.at) * 1_000);
    if (name !== before) row.before(element("li", "group", say(name)));
    before = name;
  }
}

function dayOf(time) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (time >= midnight) return "dayToday";
  if (time >= midnight - DAY_MS) return "dayYesterday";
  if (time >= midnight - 7 * DAY_MS) return "dayWeek";
  return time >= midnight - 30 * DAY_MS ? "dayMonth" : "dayOlder";
}

/** Show the conversations that mention what was typed, or all when nothing is. */
async function search(current) {
  const text = query.value.trim();
  older.disabled = true;
  try {
    const { rows, hasMore } = await fetched({ q: text, current });
    if (text !== query.value.trim()) return; // more was typed meanwhile
    arrived = null;
    list.replaceChildren(rows);
    older.hidden = !hasMore;
    if (text && !rowsOf(list).length) {
      list.replaceChildren(element("li", "none", say("nothingFound", { query: text })));
    }
    group();
  } catch {
    confirm(say("offline"));
  }
  older.disabled = false;
}

/** The rows that the server has for a query, and whether there are more behind them. */
async function fetched(parameters) {
  const response = await fetch(`/history?${new URLSearchParams(parameters)}`);
  if (!response.ok) throw new Error(`The page answered ${response.status}.`);
  const rows = document.createElement("template");
  rows.innerHTML = await response.text(); // escaped by the server
  return { rows: rows.content, hasMore: response.headers.get("X-More") === "true" };
}

/** The next rows behind those that are shown. */
async function showOlder(current) {
  const last = rowsOf(list).at(-1);
  if (!last) return;
  older.disabled = true;
  try {
    const before = last.querySelector("a").dataset.place;
    const { rows, hasMore } = await fetched({ before, q: query.value.trim(), current });
    older.hidden = !hasMore;
    const [first] = rowsOf(rows);
    list.append(rows);
    group();
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
  const shown = row.querySelector("a .title");
  const input = document.createElement("input");
  input.value = shown.textContent.trim();
  input.setAttribute("aria-label", say("rename"));
  const form = openForm(row, "rename-form", [input, pressable("submit", say("save"))]);
  input.select();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const title = input.value.trim();
    if (!title) return;
    try {
      await call("PATCH", `/sessions/${row.dataset.session}`, { title });
      shown.textContent = title;
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
    form.dispatchEvent(new Event("close"));
    const at = rowsOf(list).findIndex((each) => each.dataset.session === row.dataset.session);
    rowsOf(list)[at]?.remove();
    const next = rowsOf(list)[at] ?? rowsOf(list).at(-1);
    (next?.querySelector("a") ?? query).focus();
    group();
    confirm(say("deleted"));
    if (row.dataset.session === conversation.id) location.assign("/");
  });
}

/** A small form below a row, closed by Escape; the focus goes back to where it came from. */
function openForm(row, name, contents) {
  row.querySelector("form")?.dispatchEvent(new Event("close"));
  const opener = row.querySelector(".row-menu");
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
