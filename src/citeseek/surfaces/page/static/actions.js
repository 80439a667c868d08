/** The buttons inside the conversation: copy, retry, edit, read aloud, print, stop, search, examples. */

import { check } from "./checks.js";
import { copy } from "./copying.js";
import { edit } from "./editing.js";
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
    ".retry": (_, turn) => composer.send(questionOf(turn), placeOf(turn)),
    ".edit": (_, turn) => edit(turn, (text, turnId) => composer.send(text, turnId)),
    ".speak": speakAnswer,
    ".version": (button) => showVersion(conversation, button),
    ".print": (_, turn) => printAnswer(turn),
    ".stop": () => composer.stop(),
    ".follow-up": (button) => composer.send(button.dataset.question),
    ".example": (button) => searchFor(button.dataset.question),
    ".use-engine": (button, turn) => askAgain(turn, { engines: [button.dataset.engine] }),
    ".use-built-in": (_, turn) => askAgain(turn, { model: "extractive" }, searchFor),
    ".search-now": (_, turn) => searchFor(questionOf(turn), placeOf(turn)),
  };

  /** Ask with the search on, which Chat mode leaves to its switch. */
  function searchFor(question, insteadOf = "") {
    const { switch: shown } = conversation.state;
    if (!shown.disabled && !shown.value) {
      const change = conversation.change({ search: true }, { switch: { ...shown, value: true } });
      confirming(change, () => say("searchOn"));
    }
    composer.send(question, insteadOf);
  }

  /** Choose something else from now on, beginning with the question of `turn`, in its place. */
  async function askAgain(turn, choices, ask = (...asked) => composer.send(...asked)) {
    const change = conversation.change({ choices });
    confirming(change, () => say("saved"));
    await change.then(() => ask(questionOf(turn), placeOf(turn)), () => {});
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
