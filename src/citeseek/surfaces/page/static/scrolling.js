/**
 * A new question comes to the top of the view, and its answer grows beneath it. A small arrow leads to
 * the end; who is there while an answer is written stays there.
 */

const NEAR_PX = 24;

const messages = document.getElementById("messages");
const button = document.getElementById("newest");

let isFollowing = false;
let last = 0; // where the reader was

/** Bring the newest question to the top of the view. */
export function toNewest() {
  isFollowing = false;
  const newest = messages.lastElementChild;
  if (newest?.matches(".turn, .on-its-way")) go(newest.offsetTop);
  show();
}

/** The reader looks at something else than the end. */
export function stay() {
  isFollowing = false;
}

/**
 * Bring into sight what was just shown: whole where there is room, else from its beginning.
 * @param {HTMLElement} shown
 */
export function reveal(shown) {
  stay();
  const fits = shown.offsetHeight < messages.clientHeight;
  shown.scrollIntoView({ block: fits ? "nearest" : "start" });
  last = messages.scrollTop;
}

/**
 * Bring a piece of text into sight, in everything that scrolls around it.
 * @param {Range} range
 */
export function revealText(range) {
  stay();
  for (let box = range.startContainer.parentElement; box; box = box === messages ? null : box.parentElement) {
    const text = range.getBoundingClientRect();
    const sight = box.getBoundingClientRect();
    if (text.top < sight.top || text.bottom > sight.bottom) {
      box.scrollTop += text.top - sight.top - box.clientHeight / 3;
    }
    if (text.left < sight.left || text.right > sight.right) {
      box.scrollLeft += text.left - sight.left - box.clientWidth / 3;
    }
  }
  last = messages.scrollTop;
}

/** Scroll by ourselves, which says nothing of what the reader wants. */
function go(top) {
  messages.scrollTop = top;
  last = messages.scrollTop;
}

/** How far below the sight the newest turn ends, negative when its end is in sight. */
function below() {
  const newest = messages.lastElementChild;
  if (!newest?.matches(".turn")) return 0;
  const parts = [...newest.children].reverse();
  const end = parts.find((part) => part.getBoundingClientRect().height > 1);
  if (!end) return 0;
  return end.getBoundingClientRect().bottom - messages.getBoundingClientRect().bottom;
}

function toEnd() {
  go(messages.scrollTop + Math.max(0, below() + NEAR_PX));
}

function show() {
  button.hidden = below() < NEAR_PX;
}

function follow() {
  if (isFollowing) toEnd();
  show();
}

export function followNewest() {
  button.addEventListener("click", () => {
    isFollowing = true;
    toEnd();
    show();
    document.getElementById("message").focus({ preventScroll: true });
  });
  messages.addEventListener(
    "scroll",
    () => {
      const { scrollTop } = messages;
      if (scrollTop < last) isFollowing = false;
      else if (scrollTop > last && below() < NEAR_PX) isFollowing = true;
      last = scrollTop;
      show();
    },
    { passive: true },
  );
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
