/** What the history was searched for: the turn that mentions it, with the words in sight and marked. */

import { reveal, revealText } from "./scrolling.js";
import { confirm } from "./status.js";
import { turnOf } from "./turns.js";

const NAME = "mention"; // of the mark in the style sheet
const SAID = '.question, [data-part="answer"]';

let awaited = null; // a version of a turn that is about to come, and the words

/**
 * Show what the address says: `#turn=…&find=…`, as the rows of the history lead to it.
 * @param {import("./conversation.js").Conversation} conversation
 */
export async function showMention(conversation) {
  const { turn, find = "" } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (!turn || !conversation.id) return;
  if (turnOf(turn)) {
    show(turnOf(turn), find);
    return;
  }
  awaited = { turn, find };
  try {
    await conversation.showVersion(turn);
  } catch (problem) {
    awaited = null;
    confirm(problem.message);
  }
}

/** A turn came: if it is the version that was asked for, its words are shown. */
export function settleMention(id) {
  if (awaited?.turn !== id) return;
  const { find } = awaited;
  awaited = null;
  show(turnOf(id), find);
}

function show(turn, find) {
  const ranges = [...turn.querySelectorAll(SAID)].flatMap((place) => mentionsIn(place, find));
  globalThis.CSS.highlights?.set(NAME, new Highlight(...ranges));
  const bring = () => (ranges.length ? revealText(ranges[0]) : reveal(turn));
  bring();
  // What was out of sight had no size of its own before.
  requestAnimationFrame(bring);
}

/** Each place in an element where its text says `find`, whatever the size of its letters. */
function mentionsIn(place, find) {
  const nodes = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, start: text.length });
    text += walker.currentNode.data;
  }
  const at = (offset) => nodes.findLast(({ start }) => start <= offset);
  const wanted = new RegExp(escaped(find), "giu");
  return find ? [...text.matchAll(wanted)].map((match) => rangeOf(match, at)) : [];
}

function rangeOf({ 0: { length }, index }, at) {
  const range = document.createRange();
  const [first, last] = [at(index), at(index + length - 1)];
  range.setStart(first.node, index - first.start);
  range.setEnd(last.node, index + length - last.start);
  return range;
}

/** A pattern of the words themselves; a line may end between them. */
function escaped(find) {
  return find.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&").replace(/\s+/gu, "\\s+");
}
