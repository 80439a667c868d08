/** Where a message is written, sent and stopped. What was typed is kept until it has arrived. */

import { editLast } from "./editing.js";
import { draftOf, keepDraft } from "./drafts.js";
import { toBox } from "./keyboard.js";
import { toNewest } from "./scrolling.js";
import { complain, confirm } from "./status.js";
import { dropQuestion, leave, putQuestion } from "./turns.js";
import { say } from "./words.js";

const LIMIT = 32_000; // characters
const IME_KEY = 229; // Safari ends a composition before it tells of the Enter that did it

const messages = document.getElementById("messages");
const form = document.getElementById("composer");
const input = document.getElementById("message");
const sendButton = document.getElementById("send");
const stopButton = document.getElementById("stop");

export class Composer {
  #isSending = false;
  #isOver = false;

  /** @param {import("./conversation.js").Conversation} conversation */
  constructor(conversation) {
    this.conversation = conversation;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Enter in a list below the box chooses there.
      if (!document.activeElement.closest(".picks")) this.#submit();
    });
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowUp" && !input.value && !event.isComposing) {
        if (editLast((text, turn) => this.send(text, turn))) event.preventDefault();
        return;
      }
      if (event.key !== "Enter" || event.shiftKey) return;
      if (event.isComposing || event.keyCode === IME_KEY) return;
      event.preventDefault();
      this.#submit();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      if (this.conversation.state.running) this.stop();
      else if (messages.contains(document.activeElement)) input.focus({ preventScroll: true });
    });
    stopButton.addEventListener("click", () => this.stop());
    conversation.addEventListener("created", () => {
      this.#keep(draftOf(""));
      keepDraft("", "");
    });
    conversation.addEventListener("state", ({ detail: { before } }) => {
      if (before.running && !conversation.state.running) complain(this.#excess());
      this.#show();
    });
    input.removeAttribute("maxlength"); // it would cut what is pasted without a word
    input.value ||= draftOf(conversation.id);
    this.#typed();
    this.#show();
    input.focus({ preventScroll: true });
  }

  /**
   * Send `text`; when that fails, it stands in the input again.
   * @param {string} text
   * @param {string} [insteadOf] the turn in whose place it comes
   */
  async send(text, insteadOf = "") {
    if (this.#isSending || this.conversation.state.running) {
      complain(say("stillAnswering"));
      return;
    }
    this.#isSending = true;
    this.#show();
    complain("");
    toBox(input); // what was pressed may go away with its turn
    if (insteadOf) leave(insteadOf);
    else putQuestion(text);
    toNewest();
    try {
      await this.conversation.ask(text, insteadOf);
    } catch (error) {
      dropQuestion();
      this.#write([text, input.value].filter(Boolean).join("\n"));
      complain(say("notSent", { reason: error.message }));
    } finally {
      this.#isSending = false;
      this.#keep(input.value);
      this.#show();
    }
  }

  async stop() {
    try {
      await this.conversation.stop();
    } catch (error) {
      confirm(error.message);
    }
    toBox(input);
  }

  /** Stop the answer under way, if there is one, and wait for its end. */
  async halt() {
    const { conversation } = this;
    if (conversation.state.running) await this.stop();
    while (conversation.state.running) {
      await new Promise((told) => conversation.addEventListener("state", told, { once: true }));
    }
  }

  /** The conversation is gone: nothing can be said in it any more. */
  end(reason) {
    this.#isOver = true;
    this.#show();
    complain(reason);
  }

  #submit() {
    const text = input.value;
    if (!text.trim() || this.#isOver) return;
    if (this.#excess() || this.#isSending || this.conversation.state.running) {
      complain(this.#excess() || say("stillAnswering"));
      return;
    }
    this.#keep(text); // until it has arrived, also over a reload
    this.#write("");
    this.send(text);
  }

  #write(text) {
    input.value = text;
    this.#fit();
    this.#show();
  }

  #typed() {
    this.#keep(input.value);
    complain(this.#excess());
    this.#fit();
    this.#show();
  }

  /** @returns {string} why the message cannot be sent; empty when it can */
  #excess() {
    const length = input.value.length > LIMIT ? [...input.value].length : 0;
    if (length <= LIMIT) return "";
    return say("tooLong", { limit: LIMIT.toLocaleString(), length: length.toLocaleString() });
  }

  #fit() {
    if (CSS.supports("field-sizing", "content")) return;
    input.style.setProperty("height", "auto");
    input.style.setProperty("height", `${input.scrollHeight + 2}px`);
  }

  #keep(text) {
    keepDraft(this.conversation.id, text);
  }

  #show() {
    const { running } = this.conversation.state;
    const focused = document.activeElement;
    sendButton.hidden = Boolean(running);
    stopButton.hidden = !running;
    sendButton.disabled = this.#isSending || this.#isOver || !input.value.trim();
    input.disabled = this.#isOver;
    const isOurs = focused === sendButton || focused === stopButton;
    if (isOurs && (focused.hidden || focused.disabled)) input.focus({ preventScroll: true });
  }
}
