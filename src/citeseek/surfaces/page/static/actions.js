/** The buttons inside the conversation: copy, retry, stop, examples. */

import { check } from "./checks.js";
import { copy } from "./copying.js";
import { confirming } from "./status.js";
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
    ".retry": (_, turn) => composer.send(turn.querySelector(".question").textContent),
    ".stop": () => composer.stop(),
    ".example": (button) => tryExample(button.dataset.question),
  };

  /** An example shows what a search is good for: in Chat mode it turns the search on. */
  function tryExample(question) {
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
