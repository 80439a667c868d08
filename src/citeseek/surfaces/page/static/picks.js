/** What concerns the next question, within reach below it: its engine, how old pages may be, its model. */

import { call } from "./api.js";
import { element } from "./elements.js";
import { toBox } from "./keyboard.js";
import { confirm, confirming } from "./status.js";
import { say } from "./words.js";

const engine = document.getElementById("pick-engine");
const freshness = document.getElementById("pick-freshness");
const category = document.getElementById("pick-category");
const message = document.getElementById("message");
const fold = document.getElementById("model-pick");
const list = document.getElementById("model-list");
const state = document.getElementById("model-state");
const picked = document.getElementById("model-picked");
const other = document.getElementById("model-other");

let models = []; // as the server listed them
let isListed = false;

/** @param {import("./conversation.js").Conversation} conversation */
export function workPicks(conversation) {
  const save = (choices) => {
    const preview = { choices: { ...conversation.state.choices, ...choices } };
    confirming(conversation.change({ choices }, preview), () => say("saved"));
  };
  engine.addEventListener("change", () =>
    save({ engines: engine.value ? engine.value.split(",") : [] }),
  );
  freshness.addEventListener("change", () => save({ freshness: freshness.value || null }));
  category.addEventListener("change", () => save({ category: category.value || null }));
  list.addEventListener("change", ({ target }) => save({ model: target.value || null }));
  // Arrows go through the list: who presses a row, or Enter, has chosen.
  list.addEventListener("click", ({ detail }) => {
    if (!detail) return; // of a key
    fold.open = false;
    toBox(message);
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    fold.open = false;
    fold.querySelector("summary").focus();
  });
  other.addEventListener("change", () => nameModel(conversation));
  fold.addEventListener("toggle", () => fold.open && openModels(conversation));
  conversation.addEventListener("state", () => show(conversation.state.choices));
  show(conversation.state.choices);
}

/** Another tab may have chosen, or the settings. */
function show({ engines, freshness: age, category: kind, model }) {
  put(category, kind ?? "");
  put(engine, engines.join(","));
  put(freshness, age ?? "");
  picked.textContent = shortened(model ?? picked.dataset.usual);
  for (const radio of list.querySelectorAll("input")) radio.checked = radio.value === (model ?? "");
}

function put(control, value) {
  pick(control, value);
  control.dataset.chosen = String(Boolean(value));
}

/** Show `value` in a list, also one that it does not offer: several engines have commas between. */
export function pick(control, value) {
  control.value = value;
  if (control.selectedIndex !== -1) return;
  const labels = new Map([...control.options].map((option) => [option.value, option.text]));
  const label = value.split(",").map((each) => labels.get(each) ?? each).join(say("joint"));
  control.add(new Option(label, value, true, true));
}

/** The provider before the colon is told in the list. */
function shortened(name) {
  if (name === "extractive") return say("modelBuiltIn");
  return name.slice(name.lastIndexOf("/") + 1).replace(/^[a-z_]+:/, "");
}

/** The server of the model is asked for its list when somebody wants to see it, and not before. */
async function openModels(conversation) {
  if (isListed) return;
  state.textContent = say("modelsAsked");
  try {
    const told = await call("GET", "/models");
    isListed = !told.failure; // else it is asked again next time
    state.textContent = told.failure ? say("modelsFailed", { reason: told.failure.message }) : "";
    models = told.models;
    fill(conversation);
    list.querySelector("input:checked")?.focus();
  } catch (problem) {
    state.textContent = problem.message;
  }
}

/** A model that no server lists: ours says below its name why it can be none. */
async function nameModel(conversation) {
  const name = other.value.trim();
  if (!name) return;
  const isOurs = document.activeElement === other;
  const preview = { choices: { ...conversation.state.choices, model: name } };
  try {
    await conversation.change({ choices: { model: name } }, preview);
  } catch (problem) {
    other.setAttribute("aria-invalid", "true");
    state.textContent = problem.message;
    return;
  }
  other.removeAttribute("aria-invalid");
  other.value = state.textContent = "";
  confirm(say("saved"));
  fill(conversation);
  if (!isOurs) return;
  fold.open = false;
  toBox(message);
}

function fill(conversation) {
  const { model } = conversation.state.choices;
  const names = models.map(({ name }) => name);
  const own = model && !names.includes(model) ? [{ name: model }] : [];
  list.replaceChildren(...[...models, ...own].map((each) => row(each, model ?? "")));
}

function row({ name, is_usual: isUsual, ...prices }, chosen) {
  const label = element("label", "model-row");
  const radio = document.createElement("input");
  radio.type = "radio";
  radio.name = "model";
  radio.value = isUsual ? "" : name;
  radio.checked = radio.value === chosen || name === chosen;
  const isBuiltIn = name === "extractive";
  const title = element("span", "model-name", isBuiltIn ? say("modelBuiltIn") : name);
  title.dir = "auto";
  label.append(radio, title);
  const notes = [isUsual && say("modelUsual"), isBuiltIn && say("modelQuotes"), costs(prices)].filter(Boolean).join(" · ");
  if (notes) label.append(element("span", "model-note", notes));
  return label;
}

function costs({ price_in: tokensIn = null, price_out: tokensOut = null }) {
  if (tokensIn === null || tokensOut === null) return "";
  if (!tokensIn && !tokensOut) return say("modelFree");
  const amount = (price) => price.toLocaleString(undefined, { maximumFractionDigits: 4 });
  return say("modelCost", { tokensIn: amount(tokensIn), tokensOut: amount(tokensOut) });
}
