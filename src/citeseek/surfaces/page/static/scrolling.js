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
  follow();
}

/** Stay at the end, if the reader is there. */
function follow() {
  const isEmpty = !messages.querySelector(".question");
  if (isFollowing && !isEmpty) messages.scrollTop = messages.scrollHeight;
  button.hidden = isFollowing;
}

export function followNewest() {
  messages.after(button);
  button.addEventListener("click", () => {
    toNewest();
    document.getElementById("message").focus({ preventScroll: true });
  });
  messages.addEventListener("scroll", () => {
    const left = messages.scrollHeight - messages.scrollTop - messages.clientHeight;
    // Growing text leaves the reader behind without a scroll upwards.
    if (left < NEAR_PX) isFollowing = true;
    else if (messages.scrollTop < last) isFollowing = false;
    last = messages.scrollTop;
    button.hidden = isFollowing;
  });
  const size = new ResizeObserver(follow);
  size.observe(messages);
  new MutationObserver(() => {
    for (const turn of messages.children) size.observe(turn);
    follow();
  }).observe(messages, { childList: true, subtree: true });
  for (const turn of messages.children) size.observe(turn);
  toNewest();
}
