/** The REST interface of the server, the same that any other program can use. */

import { say } from "./words.js";

const PATIENCE_MS = 30_000;

/** A failure in words: `message` is the sentence to show. */
export class Problem extends Error {
  /** @param {{title?: string, detail?: string, hint?: string, status?: number}} told */
  constructor({ title, detail, hint, status = 0 }) {
    const told = [detail || title || say("serverTrouble", { status }), hint];
    super(told.filter(Boolean).join(" "));
    this.status = status;
  }
}

/** Go and sign in, then come back here. */
export function signIn() {
  location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
}

/**
 * Ask the server and return its JSON, null for an empty answer.
 * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @param {string} path below /api/v1
 * @param {object | Blob} [body] JSON, or the bytes of a file
 * @param {number} [patience] in milliseconds
 * @throws {Problem}
 */
export async function call(method, path, body, patience = PATIENCE_MS) {
  const headers = {
    accept: "application/json",
    "accept-language": document.documentElement.dataset.lang,
  };
  const isFile = body instanceof Blob;
  if (body) headers["content-type"] = isFile ? "application/octet-stream" : "application/json";
  let response;
  let text;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      body: body && !isFile ? JSON.stringify(body) : body,
      signal: AbortSignal.timeout(patience),
    });
    text = await response.text();
  } catch {
    throw new Problem({ detail: say("offline") });
  }
  if (response.status === 401) signIn();
  const told = parsed(text);
  if (!response.ok || told === undefined) throw new Problem({ ...told, status: response.status });
  return told;
}

function parsed(text) {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
