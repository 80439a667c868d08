/** Where the keys go when what had the focus goes away or rests. */

const HAS_FINGERS = matchMedia("(pointer: coarse)").matches;

/**
 * Let a button rest until `work` is over. A button that rests loses the focus: it is given back,
 * unless it went elsewhere.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<void>} work
 */
export async function resting(button, work) {
  const hadFocus = button === document.activeElement;
  button.disabled = true;
  try {
    await work();
  } finally {
    button.disabled = false;
    if (hadFocus && isNowhere()) button.focus({ preventScroll: true });
  }
}

/** Give the focus to a text box, but not where a finger would get a keyboard over the page by it. */
export function toBox(box) {
  const isByKey = document.activeElement?.matches(":focus-visible");
  if (isByKey || !HAS_FINGERS) box.focus({ preventScroll: true });
}

/** @returns {boolean} whether nothing has the focus */
export function isNowhere() {
  const { activeElement, body } = document;
  return !activeElement || activeElement === body || activeElement.disabled;
}
