/** News of what a page shows from the server, for as long as somebody looks at it. */

const KINDS = ["state", "order", "turn", "part", "blocks", "history", "rows", "gone", "stale", "still"];
// Browsers allow six connections to a host: tabs out of sight give theirs back.
const HIDDEN_MS = 30_000;
const LOST_MS = 1_000;
// The server says every 15 seconds that there is nothing new. A connection that a network lost on
// the way says nothing at all, for ever.
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

export class Stream {
  #source = null;
  #timer; // until the next try
  #hiding; // until the tab has been out of sight for long
  #losing; // until the loss is said
  #silent; // until the connection counts as lost
  #failures = 0;
  #over = false;

  /**
   * @param {string} path of the events
   * @param {string} revision that the page shows; empty for all there is
   * @param {object} on
   * @param {(kind: string, data: object) => void} on.news
   * @param {(isLost: boolean) => void} on.lost
   * @param {() => Promise<string | null>} on.renew shows the page anew and returns its revision,
   *   null when nothing more will come
   */
  constructor(path, revision, on) {
    this.path = path;
    this.revision = revision;
    this.on = on;
    document.addEventListener("visibilitychange", () => this.#look());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
    addEventListener("online", () => this.#source || this.#open());
    addEventListener("offline", () => this.#break());
    this.#open();
  }

  #open() {
    this.#close();
    if (this.#over) return;
    const after = this.revision && `?after=${encodeURIComponent(this.revision)}`;
    const source = new EventSource(`${this.path}${after}`);
    source.onopen = () => this.#found();
    source.onerror = () => this.#break();
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => this.#take(kind, event));
    }
    this.#source = source;
    this.#hear();
  }

  #hear() {
    clearTimeout(this.#silent);
    this.#silent = setTimeout(() => this.#break(), SILENT_MS);
  }

  #close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silent);
    this.#source?.close();
    this.#source = null;
  }

  #take(kind, { data, lastEventId }) {
    this.#hear();
    if (kind === "stale") {
      this.#close();
      this.#renew();
      return;
    }
    if (lastEventId) this.revision = lastEventId;
    if (kind === "still") return;
    if (kind === "gone") {
      this.#over = true;
      this.#close();
    }
    this.on.news(kind, JSON.parse(data));
  }

  #found() {
    this.#failures = 0;
    clearTimeout(this.#losing);
    this.#losing = undefined;
    this.on.lost(false);
  }

  #break() {
    this.#close();
    if (document.hidden) return; // tried again when it is looked at
    this.#losing ??= setTimeout(() => this.on.lost(true), LOST_MS);
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS);
    this.#failures += 1;
    this.#timer = setTimeout(
      () => (this.#failures > 1 ? this.#renew() : this.#open()),
      wait * (0.75 + Math.random() / 2),
    );
  }

  /** An EventSource does not say why it was refused; the page itself does. */
  async #renew() {
    try {
      this.revision = await this.on.renew();
    } catch {
      this.#break();
      return;
    }
    this.#over = this.revision === null;
    this.#open();
  }

  #look() {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#close(), HIDDEN_MS);
    else if (!this.#source) this.#open();
  }
}
