/** An answer read aloud by the voices of the browser, where it has some. */

import { confirm } from "./status.js";
import { say } from "./words.js";

const voices = window.speechSynthesis;
// Some browsers fall silent in the middle of what takes longer than a quarter of a minute.
const MOST_CHARS = 200;
const SENTENCE = /[^.!?。！？…\n]+[.!?。！？…\n]*\s*/gu;
const SCRIPTS = [
  [/[\u3040-\u30ff]/u, "ja-JP"],
  [/\p{Script=Han}/u, "zh-CN"],
  [/\p{Script=Hangul}/u, "ko-KR"],
  [/\p{Script=Cyrillic}/u, "ru-RU"],
  [/\p{Script=Arabic}/u, "ar"],
];

let speaking = null; // the button whose answer is read

/** Pages in browsers that cannot speak offer it nowhere. */
export function workSpeech() {
  document.documentElement.dataset.speech = voices ? "yes" : "no";
  addEventListener("pagehide", () => voices?.cancel());
}

/** Begin to read an answer, or stop. */
export function speakAnswer(button, turn) {
  const wasThis = speaking === button;
  stop();
  if (wasThis) return;
  const pieces = piecesOf(textOf(turn.querySelector('[data-part="answer"]')));
  if (!pieces.length) return;
  speaking = button;
  show(button, true);
  pieces.forEach((text, at) => voices.speak(utterance(text, button, at === pieces.length - 1)));
}

function utterance(text, button, isLast) {
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = languageOf(text);
  if (isLast) spoken.addEventListener("end", () => speaking === button && stop());
  spoken.addEventListener("error", ({ error }) => {
    if (speaking !== button || ["canceled", "interrupted"].includes(error)) return;
    stop();
    confirm(say("speechFailed"));
  });
  return spoken;
}

function stop() {
  const button = speaking;
  speaking = null;
  voices.cancel();
  if (button) show(button, false);
}

function show(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
  const label = say(isOn ? "speechStop" : "speechStart");
  button.setAttribute("aria-label", label);
  button.title = label;
}

/** What is read: no marks of citations, no code, no names of languages. */
export function textOf(answer) {
  const copy = answer.cloneNode(true);
  for (const each of copy.querySelectorAll(".citation, .code, .host, .formula, math, s, q.instead")) each.remove();
  for (const each of copy.querySelectorAll("p, li, h3, h4, h5, h6, tr, blockquote")) each.append("\n");
  for (const each of copy.querySelectorAll("td, th")) each.append(", ");
  return copy.textContent.replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, "\n").trim();
}

/** Sentences, several short ones together, none longer than what is read without a break. */
export function piecesOf(text) {
  const pieces = [];
  for (const sentence of text.match(SENTENCE) ?? []) {
    for (let at = 0; at < sentence.length; at += MOST_CHARS) {
      const part = sentence.slice(at, at + MOST_CHARS);
      const last = pieces.at(-1);
      if (last !== undefined && last.length + part.length <= MOST_CHARS) pieces.push(pieces.pop() + part);
      else pieces.push(part);
    }
  }
  return pieces.map((piece) => piece.trim()).filter(Boolean);
}

function languageOf(text) {
  return SCRIPTS.find(([script]) => script.test(text))?.[1] ?? "en";
}
