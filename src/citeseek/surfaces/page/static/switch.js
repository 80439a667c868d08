/** The search switch in the header and its twin among the settings. */

import { confirming } from "./status.js";
import { say } from "./words.js";

const hint = document.getElementById("search-hint");
const switches = [...document.querySelectorAll("#search-switch, #settings-search")];

/** @param {import("./conversation.js").Conversation} conversation */
export function workSwitch(conversation) {
  const toggle = () => {
    const { mode, switch: shown } = conversation.state;
    if (shown.disabled || mode === "agent") return;
    const value = !shown.value;
    const change = conversation.change({ search: value }, { switch: { ...shown, value } });
    confirming(change, () => say(conversation.state.switch.value ? "searchOn" : "searchOff"));
  };
  for (const button of switches) button.addEventListener("click", toggle);
  conversation.addEventListener("state", () => show(conversation.state.switch));
}

function show({ value, disabled, hint: words }) {
  for (const button of switches) {
    button.disabled = disabled;
    button.setAttribute("aria-disabled", String(disabled));
    button.setAttribute("aria-checked", String(value));
    button.querySelector(".state").textContent = stateWord(value, disabled);
  }
  hint.textContent = words;
}

function stateWord(value, disabled) {
  if (disabled) return say("stateDisabled");
  return say(value ? "stateOn" : "stateOff");
}
