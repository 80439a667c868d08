/** What is chosen for this conversation: saved at once, or said why not. */

import { pick } from "./picks.js";
import { confirm, confirming } from "./status.js";
import { say } from "./words.js";

const field = (name) => document.getElementById(`choice-${name}`);

// What each control chooses; an empty one leaves it to the settings of the server.
const READ = {
  results: (text) => ({ results: text ? Number(text) : null }),
  seconds: (text) => ({ seconds: text ? Number(text) : null }),
  language: (text) => ({ language: text || null }),
  engine: (text) => ({ engines: text ? text.split(",") : [] }),
};

const NAMES = Object.keys(READ);

/** @param {import("./conversation.js").Conversation} conversation */
export function workSettings(conversation) {
  for (const name of NAMES) field(name).addEventListener("change", () => save(name, conversation));
  conversation.addEventListener("state", ({ detail: { before } }) => {
    const { choices } = conversation.state;
    if (JSON.stringify(choices) !== JSON.stringify(before.choices)) show(choices);
  });
}

async function save(name, conversation) {
  const control = field(name);
  const { badInput, rangeUnderflow, rangeOverflow } = control.validity;
  if (badInput || rangeUnderflow || rangeOverflow) {
    // The server and the browser would say it in languages of their own.
    const reason = say("outOfRange", { least: control.min, most: control.max });
    blame(control, reason);
    confirm(say("notSaved", { reason }));
    return;
  }
  const change = conversation.change({ choices: READ[name](control.value) });
  change.then(
    () => blame(control, ""),
    (error) => blame(control, error.message),
  );
  await confirming(change, () => say("saved"));
}

/** Another tab may have chosen. */
function show({ engines, freshness: _, category: __, model: ___, ...rest }) {
  for (const [name, value] of Object.entries({ ...rest, engine: engines.join(",") })) {
    const control = field(name);
    if (control === document.activeElement) continue;
    if (control.matches("select")) pick(control, value ?? "");
    else control.value = value ?? "";
  }
}

/** Say below a control why its value cannot be; an empty reason takes that away. */
function blame(control, reason) {
  let trouble = document.getElementById(`${control.id}-trouble`);
  if (!trouble) {
    trouble = document.createElement("p");
    trouble.id = `${control.id}-trouble`;
    trouble.className = "trouble";
    control.after(trouble);
  }
  trouble.textContent = reason;
  control.setAttribute("aria-invalid", String(Boolean(reason)));
  control.setAttribute("aria-errormessage", trouble.id);
}
