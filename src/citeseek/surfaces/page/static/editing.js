/** A question that was asked, written anew in its place: the conversation goes on from there. */

import { stay } from "./scrolling.js";
import { say } from "./words.js";

const IME_KEY = 229; // Safari ends a composition before it tells of the Enter that did it

/**
 * Let the question of a turn be changed.
 * @param {HTMLElement} turn
 * @param {(text: string, turnId: string) => void} send
 */
export function edit(turn, send) {
  turn.querySelector(".editing")?.remove();
  const question = turn.querySelector(".question");
  const form = formFor(question.textContent);
  const area = form.querySelector("textarea");
  const close = () => {
    form.remove();
    question.hidden = false;
    turn.querySelector(".edit")?.focus({ preventScroll: true });
  };
  const submit = () => {
    const text = area.value;
    if (!text.trim()) return;
    close();
    send(text, turn.dataset.turn);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  form.querySelector(".cancel").addEventListener("click", close);
  form.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === IME_KEY) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && !event.shiftKey && event.target === area) {
      event.preventDefault();
      submit();
    }
  });
  stay();
  question.hidden = true;
  question.after(form);
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}

/** Let the last question that was asked be changed, if there is one. */
export function editLast(send) {
  const turn = [...document.querySelectorAll(".turn:has(.edit)")].at(-1);
  if (!turn) return false;
  edit(turn, send);
  return true;
}

function formFor(text) {
  const form = document.createElement("form");
  form.className = "editing";
  const area = document.createElement("textarea");
  area.value = text;
  area.dir = "auto";
  area.rows = Math.min(text.split("\n").length, 12);
  area.setAttribute("aria-label", say("editLabel"));
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = say("editNote");
  const buttons = document.createElement("div");
  buttons.className = "editing-buttons";
  buttons.append(pressable("submit", "send-edit", say("editSend")), pressable("button", "cancel", say("editCancel")));
  form.append(area, note, buttons);
  return form;
}

function pressable(type, className, text) {
  const button = document.createElement("button");
  button.type = type;
  button.className = className;
  button.textContent = text;
  return button;
}
