/** The switches for searching and for reading: each has a twin among the settings. */

import { confirming } from "./status.js";
import { say } from "./words.js";

const TOLD_MS = 6_000;
const SWITCHES = [
  { field: "search", name: "switch", on: "searchOn", off: "searchOff" },
  { field: "read", name: "read", on: "readOn", off: "readOff" },
];

/** @param {import("./conversation.js").Conversation} conversation */
export function workSwitches(conversation) {
  for (const each of SWITCHES) workSwitch(conversation, each);
  tellChanges(conversation);
}

function workSwitch(conversation, { field, name, on, off }) {
  const buttons = [...document.querySelectorAll(`#${field}-switch, #settings-${field}`)];
  const hint = document.getElementById(`${field}-hint`);
  const toggle = () => {
    const { mode, [name]: shown } = conversation.state;
    if (shown.disabled || mode === "agent") return;
    const value = !shown.value;
    const change = conversation.change({ [field]: value }, { [name]: { ...shown, value } });
    confirming(change, () => say(conversation.state[name].value ? on : off));
  };
  for (const button of buttons) button.addEventListener("click", toggle);
  conversation.addEventListener("state", () => {
    const { value, disabled, hint: words } = conversation.state[name];
    for (const button of buttons) {
      button.disabled = disabled;
      button.setAttribute("aria-disabled", String(disabled));
      button.setAttribute("aria-checked", String(value));
      if (button.title) button.title = words;
      button.querySelector(".state").textContent = stateWord(value, disabled);
    }
    hint.textContent = words;
  });
}

/** The sentence of the search switch is shown for a while when its state changes, and to a mouse. */
function tellChanges(conversation) {
  const hint = document.getElementById("search-hint");
  const onStart = document.querySelector(".search-sentence");
  const control = document.getElementById("search-control");
  control.addEventListener("pointerenter", ({ pointerType }) => {
    if (pointerType === "mouse") hint.dataset.pointed = "";
  });
  control.addEventListener("pointerleave", () => delete hint.dataset.pointed);
  let timer;
  conversation.addEventListener("state", ({ detail: { before } }) => {
    const { mode, switch: now } = conversation.state;
    for (const word of document.querySelectorAll(".automatic")) word.hidden = mode !== "agent";
    onStart.textContent = now.hint;
    if (now.value === before.switch.value && now.disabled === before.switch.disabled) return;
    clearTimeout(timer);
    hint.dataset.told = "";
    timer = setTimeout(() => delete hint.dataset.told, TOLD_MS);
  });
}

function stateWord(value, disabled) {
  if (disabled) return say("stateDisabled");
  return say(value ? "stateOn" : "stateOff");
}
