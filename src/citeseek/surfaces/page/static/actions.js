/** The buttons inside the conversation: copy, retry, edit, read aloud, print, stop, search, examples. */

import { check } from "./checks.js";
import { copy } from "./copying.js";
import { edit } from "./editing.js";
import { closeReport } from "./report.js";
import { speakAnswer } from "./speech.js";
import { confirming } from "./status.js";
import { showVersion } from "./versions.js";
import { say } from "./words.js";

// Few want it, and the page is to be light.
const loadWatching = () => import("./watching.js");
const codeOf = async (block) => block.querySelector("pre").textContent;
const questionOf = (turn) => turn.querySelector(".question").textContent;
// What is nowhere kept has no place: it is asked once more behind it.
const placeOf = (turn) => (turn.querySelector(".edit") ? turn.dataset.turn : "");

/**
 * @param {import("./conversation.js").Conversation} conversation
 * @param {import("./composer.js").Composer} composer
 */
export function workActions(conversation, composer) {
  const actions = {
    ".copy": (button, turn) => copy(conversation.markdown(turn.dataset.turn), button.parentElement),
    ".copy-code": (button) => copy(codeOf(button.parentElement), button.parentElement),
    ".check": (button, turn) => check(conversation.id, turn, button),
    ".watch": (button, turn) => loadWatching().then(({ watch }) => watch(conversation.id, turn, button)),
    ".retry": (_, turn) => askAgain(turn),
    ".edit": (_, turn) => edit(turn, (text, turnId) => composer.send(text, turnId)),
    ".speak": speakAnswer,
    ".version": (button) => showVersion(conversation, button),
    ".print": (_, turn) => printAnswer(turn),
    ".stop": () => composer.stop(),
    ".follow-up": (button) => composer.send(button.dataset.question),
    ".example": (button) => searchFor(button.dataset.question),
    ".use-engine": (button, turn) => useEngines(button.dataset.engines.split(","), turn),
    ".use-built-in": (_, turn) => askAgain(turn, { choices: { model: "extractive" }, ...searchOn() }),
    ".without-search": (_, turn) => askAgain(turn, { search: false }),
    ".search-now": (_, turn) => askAgain(turn, searchOn()),
  };

  /** The change that turns the search on; in Agent mode there is nothing to turn. */
  function searchOn() {
    const { disabled, value } = conversation.state.switch;
    return disabled || value ? {} : { search: true };
  }

  /** Change what holds from now on, show it at once, and confirm it. */
  function change(fields) {
    const { switch: shown } = conversation.state;
    const isMoved = "search" in fields;
    const preview = isMoved ? { switch: { ...shown, value: fields.search } } : {};
    const words = isMoved ? (fields.search ? "searchOn" : "searchOff") : "saved";
    const saved = conversation.change(fields, preview);
    confirming(saved, () => say(words));
    return saved;
  }

  /** Ask with the search on, which Chat mode leaves to its switch. */
  function searchFor(question) {
    const fields = searchOn();
    if ("search" in fields) change(fields);
    composer.send(question);
  }

  /** Change `fields`, and ask the question of `turn` again in its place, be its answer under way or not. */
  async function askAgain(turn, fields = {}) {
    if (turn.inert) return; // it was pressed before
    turn.inert = true;
    try {
      if (conversation.state.running === turn.dataset.turn) await composer.halt();
      if (Object.keys(fields).length) await change(fields);
      await composer.send(questionOf(turn), placeOf(turn));
    } catch {
      // The change is said not to be saved.
    } finally {
      turn.inert = "leaving" in turn.dataset;
    }
  }

  /** Ask other engines from now on; before the first question there is none to ask again. */
  function useEngines(engines, turn) {
    if (turn) askAgain(turn, { choices: { engines } });
    else change({ choices: { engines } }).then(closeReport, () => {});
  }

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    const selector = Object.keys(actions).find((each) => button?.matches(each));
    if (selector) actions[selector](button, button.closest(".turn"));
  });
}

/**
 * One answer on paper, or as a PDF: the reader's own browser prints it, and nothing beside it.
 * @param {HTMLElement} turn
 */
function printAnswer(turn) {
  turn.dataset.printed = "";
  document.body.dataset.printing = "answer";
  addEventListener("afterprint", () => {
    delete turn.dataset.printed;
    delete document.body.dataset.printing;
  }, { once: true });
  window.print();
}
