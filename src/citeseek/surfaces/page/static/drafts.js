/** What is typed and not sent, kept over a reload where the browser keeps anything. */

const kept = new Map(); // as long as the page is open, also where it does not

/** @param {string} id of the conversation, empty for a new one */
export function draftOf(id) {
  if (kept.has(id)) return kept.get(id);
  try {
    return sessionStorage.getItem(keyOf(id)) ?? "";
  } catch {
    return "";
  }
}

/** Keep `text`; an empty one is forgotten. */
export function keepDraft(id, text) {
  kept.set(id, text);
  try {
    if (text) sessionStorage.setItem(keyOf(id), text);
    else sessionStorage.removeItem(keyOf(id));
  } catch {
    // The browser keeps nothing for this page, or not so much.
  }
}

function keyOf(id) {
  return `citeseek-draft:${id}`;
}
