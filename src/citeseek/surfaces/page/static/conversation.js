/**
 * The open conversation: its state, and its changes, sent one after the other.
 *
 * `saved` is what the switch is when Chat mode comes back.
 * @typedef {{value: boolean, saved: boolean, disabled: boolean, hint: string}} Switch
 * @typedef {{mode: "chat" | "agent", switch: Switch, read: Switch, choices: object,
 *   running: string | null, title: string, files: {id: string, name: string}[]}} State
 */

import { Problem, call } from "./api.js";
import { say } from "./words.js";

const FILE_PATIENCE_MS = 180_000;

export class Conversation extends EventTarget {
  #sending = null; // the promise of the changes under way
  #waiting = null; // fields that changed since
  #known; // the state that the server last told

  /**
   * @param {string} id empty while the server has no such conversation
   * @param {State} state
   */
  constructor(id, state) {
    super();
    this.id = id;
    this.state = this.#known = state;
  }

  /**
   * Change fields and show `preview` at once. Changes made while others are under way go together
   * in one request afterwards, so the last one wins. Resolves when the server has them all.
   * @param {{mode?: string, search?: boolean, read?: boolean, choices?: object}} fields
   * @param {Partial<State>} [preview]
   * @throws {Problem} and shows again what was before
   */
  change(fields, preview = {}) {
    this.#waiting = merged(this.#waiting, fields);
    this.#show({ ...this.state, ...preview });
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #send() {
    while (this.#waiting) {
      const fields = this.#waiting;
      this.#waiting = null;
      try {
        await this.#put(fields);
      } catch (problem) {
        if (!this.#waiting) {
          this.#show(this.#known);
          throw problem;
        }
        this.#waiting = merged(fields, this.#waiting);
      }
    }
    this.#show(this.#known);
  }

  async #put(fields) {
    const made = this.id
      ? await call("PATCH", `/sessions/${this.id}`, fields)
      : await call("POST", "/sessions", fields);
    const { mode, choices } = made;
    const known = (name) => {
      const { hint, saved } = this.#known[name]; // the stream has the hint in the page's language
      return { ...made[name], hint, saved: made[name].disabled ? saved : made[name].value };
    };
    this.#known = { ...this.#known, mode, choices, switch: known("switch"), read: known("read") };
    if (this.id) return;
    this.id = made.id;
    this.dispatchEvent(new Event("created"));
  }

  /** What the stream says of it; changes under way know better. */
  tell(state) {
    if (this.#sending) this.#show({ ...this.state, running: state.running });
    else this.#show(state);
    this.#known = state;
  }

  #show(state) {
    const before = this.state;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: { before } }));
  }

  /**
   * Send a message, in the place of a turn if one is named; a change made before it counts for it.
   * @throws {Problem}
   */
  async ask(text, insteadOf = "") {
    await this.#begun();
    await call("POST", `/sessions/${this.id}/messages`, { text, instead_of: insteadOf });
  }

  /** Show another version of a turn, with what followed it last. */
  async showVersion(turnId) {
    await this.#begun();
    await call("PATCH", `/sessions/${this.id}`, { version: turnId });
  }

  /**
   * Give a file to be read for what is asked from now on.
   * @param {File} file
   * @throws {Problem}
   */
  async addFile(file) {
    await this.#begun();
    const path = `/sessions/${this.id}/files?name=${encodeURIComponent(file.name)}`;
    const { id, name } = await call("POST", path, file.slice(), FILE_PATIENCE_MS);
    this.#setFiles([...this.state.files.filter((other) => other.id !== id), { id, name }]);
  }

  /** Take a file away again. */
  async dropFile(id) {
    await call("DELETE", `/sessions/${this.id}/files/${id}`);
    this.#setFiles(this.state.files.filter((other) => other.id !== id));
  }

  #setFiles(files) {
    this.#known = { ...this.#known, files };
    this.#show({ ...this.state, files });
  }

  /** Wait until the server has the conversation, and every change that was made before. */
  async #begun() {
    if (!this.id && !this.#sending) this.change({});
    await this.#sending;
  }

  /** Stop the answer under way, if there is one. */
  async stop() {
    if (!this.state.running) return;
    try {
      await call("DELETE", `/sessions/${this.id}/answers/${this.state.running}`);
    } catch (problem) {
      if (problem.status !== 404) throw problem;
    }
  }

  /** The answer of a turn in Markdown, with its references. */
  async markdown(turnId) {
    const { turns } = await call("GET", `/sessions/${this.id}`);
    const turn = turns.find(({ id }) => id === turnId);
    if (!turn) throw new Problem({ detail: say("notKept") });
    return turn.answer + turn.references;
  }
}

/** Fields changed one after the other, as one change. */
function merged(first, second) {
  const fields = { ...first, ...second };
  if (fields.choices) fields.choices = { ...first?.choices, ...second.choices };
  return fields;
}
