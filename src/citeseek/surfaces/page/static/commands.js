/** The commands of the chat, listed while `/` is typed: gone through by arrows, taken by Enter or Tab. */

import { element } from "./elements.js";
import { speak } from "./status.js";
import { say } from "./words.js";

// What may be typed behind each; the server reads them (assistant/commands.py), but for those that
// lead to another page, whose address stands behind them.
const COMMANDS = [
  ["/search on", "commandSearchOn"],
  ["/search off", "commandSearchOff"],
  ["/read on", "commandReadOn"],
  ["/read off", "commandReadOff"],
  ["/gate hold", "commandGateHold"],
  ["/gate mark", "commandGateMark"],
  ["/gate off", "commandGateOff"],
  ["/mode chat", "commandModeChat"],
  ["/mode agent", "commandModeAgent"],
  ["/reset", "commandReset"],
  ...("operates" in document.documentElement.dataset ? [["/status", "commandStatus", "/status"]] : []),
  ["/help", "commandHelp"],
];
// Each without what stands behind it: alone it asks how things stand, and Enter sends it as it is.
const NAMES = new Set(COMMANDS.map(([command]) => command.split(" ")[0]));

const input = document.getElementById("message");
const list = element("ul", "");

let shown = []; // the rows that fit what is typed
let at = -1;

/** @param {(text: string) => void} send */
export function workCommands(send) {
  list.id = "commands";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", say("commandsLabel"));
  document.querySelector("#composer .box").before(list);
  // A text box of several lines may not be called a combobox; it has all that makes one.
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-haspopup", "listbox");
  input.setAttribute("aria-controls", list.id);
  const take = ({ command, href }) => {
    close();
    input.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    if (href) location.assign(href);
    else send(command);
  };
  input.addEventListener("input", () => fill());
  input.addEventListener("blur", () => close());
  // Before the composer hears of it: Enter takes what is chosen here.
  input.addEventListener("keydown", (event) => hear(event, take), { capture: true });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus
  list.addEventListener("click", ({ target }) => {
    const row = target.closest("[role=option]");
    if (row) take(row.dataset);
  });
}

function hear(event, take) {
  if (list.hidden || event.isComposing) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isTaken = event.key === "Enter" || (event.key === "Tab" && at >= 0);
  if (!step && !isTaken && event.key !== "Escape") return;
  if (isTaken && at < 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (step) choose(at < 0 && step < 0 ? shown.length - 1 : (at + step + shown.length) % shown.length);
  else if (isTaken) take(shown[at].dataset);
  else close();
}

/** Show the commands that begin with what is typed. */
function fill() {
  const typed = input.value.toLowerCase().replace(/^／/, "/");
  const fitting = /^\/[a-z ]*$/.test(typed)
    ? COMMANDS.filter(([command, , href]) => command.startsWith(typed) && (href || command !== typed))
    : [];
  shown = fitting.map(row);
  list.replaceChildren(...shown);
  const wasHidden = list.hidden;
  list.hidden = !shown.length;
  if (wasHidden && shown.length) speak(say("commandsOpen", { count: shown.length }));
  choose(shown.length && (shown[0].dataset.href || !NAMES.has(typed.trim())) ? 0 : -1);
}

function row([command, meaning, href = ""], index) {
  const item = element("li", "");
  item.id = `command-${index}`;
  Object.assign(item.dataset, { command, href });
  item.setAttribute("role", "option");
  item.append(element("span", "command", command), element("span", "meaning", say(meaning)));
  return item;
}

function choose(next) {
  shown[at]?.setAttribute("aria-selected", "false");
  at = next;
  shown.forEach((each, index) => each.setAttribute("aria-selected", String(index === at)));
  shown[at]?.scrollIntoView({ block: "nearest" });
  if (shown[at]) input.setAttribute("aria-activedescendant", shown[at].id);
  else input.removeAttribute("aria-activedescendant");
}

function close() {
  shown = [];
  list.replaceChildren();
  list.hidden = true;
  choose(-1);
}
