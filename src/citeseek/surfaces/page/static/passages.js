/** Where a text speaks of what a sentence says, and that place marked in it. */

import { element } from "./elements.js";

const SENTENCE = /[^。！？.!?\n]+(?:[。！？!?]+|\.(?!\d)|\n|$)/gu;
const LATIN = /[\p{Script=Latin}\p{Nd}]{3,}|\p{Nd}+/gu;
const PAIRS = /(?=([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}))/gu;
const LEAST_SHARED = 2; // one word in common is chance

/** What can be compared of a text: its words, and pairs of letters where words have no spaces. */
function termsOf(text) {
  const plain = text.toLowerCase();
  return new Set([...(plain.match(LATIN) ?? []), ...[...plain.matchAll(PAIRS)].map(([, pair]) => pair)]);
}

/**
 * Find the sentence of `text` that has the most words in common with `claim`.
 * @returns {string} as it stands in the text; empty when none has more than chance would
 */
export function closest(text, claim) {
  const wanted = termsOf(claim);
  let best = { shared: LEAST_SHARED - 1, sentence: "" };
  for (const [sentence] of text.matchAll(SENTENCE)) {
    const shared = [...termsOf(sentence)].filter((term) => wanted.has(term)).length;
    if (shared > best.shared) best = { shared, sentence: sentence.trim() };
  }
  return best.sentence;
}

/**
 * Show `passage` marked in its context, or alone where that does not hold it.
 * @returns {HTMLElement}
 */
export function marked(context, passage) {
  const shown = element("p", "passage", " ");
  const isThere = context.includes(passage);
  if (passage && !isThere) shown.replaceChildren(mark(passage));
  else shown.replaceChildren(...withMarks(context, passage ? [passage] : []));
  return shown;
}

/** The text of `context` with each of `passages` that it holds marked. */
export function withMarks(context, passages) {
  const places = passages
    .map((passage) => ({ at: context.indexOf(passage), passage }))
    .filter(({ at, passage }) => at !== -1 && passage)
    .sort((one, other) => one.at - other.at);
  const parts = [];
  let end = 0;
  for (const { at, passage } of places) {
    if (at < end) continue;
    parts.push(context.slice(end, at), mark(passage));
    end = at + passage.length;
  }
  return [...parts, context.slice(end)];
}

function mark(passage) {
  return element("mark", "", passage);
}
