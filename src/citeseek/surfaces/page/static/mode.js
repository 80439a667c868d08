/** Chat or Agent: a group of radio buttons with one tab stop. */

import { confirming } from "./status.js";
import { say } from "./words.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const radios = [...document.querySelectorAll("#mode [data-mode]")];

/** @param {import("./conversation.js").Conversation} conversation */
export function workMode(conversation) {
  const choose = (mode) => {
    if (mode === conversation.state.mode) return;
    const { switch: search, read } = conversation.state;
    const preview = (shown) =>
      mode === "agent"
        ? { ...shown, value: false, saved: shown.value, disabled: true }
        : { ...shown, value: shown.saved, disabled: false };
    const shown = { mode, switch: preview(search), read: preview(read) };
    confirming(conversation.change({ mode }, shown), () =>
      say(conversation.state.mode === "agent" ? "modeAgent" : "modeChat"),
    );
  };
  radios.forEach((radio, index) => {
    radio.addEventListener("click", () => choose(radio.dataset.mode));
    radio.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = radios.at((index + step) % radios.length);
      next.focus();
      choose(next.dataset.mode);
    });
  });
  conversation.addEventListener("state", () => show(conversation.state.mode));
  show(conversation.state.mode);
}

function show(mode) {
  for (const radio of radios) {
    const isChosen = radio.dataset.mode === mode;
    radio.setAttribute("aria-checked", String(isChosen));
    radio.tabIndex = isChosen ? 0 : -1;
  }
}
