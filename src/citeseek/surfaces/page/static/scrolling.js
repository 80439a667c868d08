/** The newest stays in sight while the reader is at the end, and only then. */

import { say } from "./words.js";

const NEAR_PX = 64;

const messages = document.getElementById("messages");
const button = document.createElement("button");
button.type = "button";
button.id = "newest";
button.textContent = say("newest");
button.hidden = true;

let isFollowing = true;
let last = 0;

/** Go to the end and stay there. */
export function toNewest() {
  isFollowing = true;
  if (messages.querySelector(".question")) messages.scrollTop = messages.scrollHeight;
  button.hidden = true;
}

/** Stay at the end, if the reader is there. Sources that come after an answer do not push it away. */
function follow() {
  const newest = [...messages.querySelectorAll(".turn")].at(-1);
  const isOver = newest && newest.dataset.outcome !== "running";
  if (!isFollowing || !messages.querySelector(".question")) {
    button.hidden = isFollowing;
  } else if (isOver && !messages.querySelector(".on-its-way")) {
    messages.scrollTop += Math.max(0, belowSight(newest.querySelector('[data-part="answer"]')));
    isFollowing = isAtEnd();
    button.hidden = isFollowing;
  } else {
    messages.scrollTop = messages.scrollHeight;
  }
}

function belowSight(element) {
  return element.getBoundingClientRect().bottom - messages.getBoundingClientRect().bottom;
}

function isAtEnd() {
  return messages.scrollHeight - messages.scrollTop - messages.clientHeight < NEAR_PX;
}

export function followNewest() {
  messages.after(button);
  button.addEventListener("click", () => {
    toNewest();
    document.getElementById("message").focus({ preventScroll: true });
  });
  messages.addEventListener("scroll", () => {
    // Growing text leaves the reader behind without a scroll upwards.
    if (isAtEnd()) isFollowing = true;
    else if (messages.scrollTop < last) isFollowing = false;
    last = messages.scrollTop;
    button.hidden = isFollowing;
  });
  const size = new ResizeObserver(follow);
  size.observe(messages);
  const observe = (node) => node instanceof Element && size.observe(node);
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target === messages) for (const turn of addedNodes) observe(turn);
    }
    follow();
  }).observe(messages, { childList: true, subtree: true });
  for (const turn of messages.children) observe(turn);
  toNewest();
}
