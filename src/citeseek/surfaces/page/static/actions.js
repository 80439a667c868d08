/** The buttons inside the conversation: copy, retry, stop, search, examples. */

import { check } from "./checks.js";
import { copy } from "./copying.js";
import { confirming } from "./status.js";
import { watch } from "./watching.js";
import { say } from "./words.js";

const codeOf = async (block) => block.querySelector("pre").textContent;

/**
 * @param {import("./conversation.js").Conversation} conversation
 * @param {import("./composer.js").Composer} composer
 */
export function workActions(conversation, composer) {
  const actions = {
    ".copy": (button, turn) => copy(conversation.markdown(turn.dataset.turn), button.parentElement),
    ".copy-code": (button) => copy(codeOf(button.parentElement), button.parentElement),
    ".check": (button, turn) => check(conversation.id, turn, button),
    ".watch": (button, turn) => watch(conversation.id, turn, button),
    ".retry": (_, turn) => composer.send(turn.querySelector(".question").textContent),
    ".stop": () => composer.stop(),
    ".example": (button) => searchFor(button.dataset.question),
    ".search-now": (_, turn) => searchFor(turn.querySelector(".question").textContent),
  };

  /** Ask with the search on, which Chat mode leaves to its switch. */
  function searchFor(question) {
    const { switch: shown } = conversation.state;
    if (!shown.disabled && !shown.value) {
      const change = conversation.change({ search: true }, { switch: { ...shown, value: true } });
      confirming(change, () => say("searchOn"));
    }
    composer.send(question);
  }

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    const selector = Object.keys(actions).find((each) => button?.matches(each));
    if (selector) actions[selector](button, button.closest(".turn"));
  });
}
