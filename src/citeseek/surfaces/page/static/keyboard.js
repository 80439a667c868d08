/**
 * Who uses keys alone, and the keyboard on a screen: ways past what lies between, a focus that is never
 * lost, lists that wait for Enter, and a page that is as high as what a keyboard over it leaves.
 */

const LEAST_PX = 120; // bars of the browser that come and go are lower than a keyboard
const MOST_SCALE = 1.05; // a page that is magnified shows less of itself too
const HAS_FINGERS = matchMedia("(pointer: coarse)").matches;
const STEPPING = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

const sight = window.visualViewport;
const query = document.getElementById("history-query");
const messages = document.getElementById("messages");

/** @param {() => void} openHistory shows the list of conversations where it is folded away */
export function workSkips(openHistory) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.skip");
    if (!link) return;
    const place = link.matches(".to-answer") ? newestAnswer() : document.querySelector(link.hash);
    event.preventDefault();
    if (place === query && !query.checkVisibility()) openHistory();
    place.focus();
  });
}

/** The newest answer: what is said of its failure, if it has one, else its text, or its turn before that. */
function newestAnswer() {
  const turn = messages.querySelector(".turn:last-of-type");
  const answer = turn?.querySelector('[data-part="answer"]:not(:empty)');
  const place = turn?.querySelector('[data-part="notices"] .notice') ?? answer ?? turn ?? messages;
  place.tabIndex = -1; // reached from here, and by Tab only what stands in it
  return place;
}

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

/**
 * Call `act` when a value was chosen: at once by a mouse or a finger, and where a list that is
 * closed was gone through by keys, with Enter or when it loses the focus; Escape takes that back.
 * @param {HTMLSelectElement} select
 * @param {() => void} act
 */
export function whenChosen(select, act) {
  let isStepping = false;
  let isWaiting = false;
  let before; // what it was before keys or a press changed it
  const remember = () => {
    if (!isWaiting) before = select.value;
  };
  const settle = () => {
    isStepping = false;
    if (!isWaiting) return;
    isWaiting = false;
    if (select.value !== before) act();
  };
  select.addEventListener("keydown", ({ key, altKey }) => {
    remember();
    if (key === "Escape" && isWaiting) {
      isWaiting = false;
      select.value = before;
    } else if (key === "Enter") settle();
    else isStepping = !altKey && (STEPPING.has(key) || (key.length === 1 && key !== " "));
  });
  select.addEventListener("pointerdown", () => {
    remember();
    isStepping = false;
  });
  select.addEventListener("blur", settle);
  select.addEventListener("change", () => {
    isWaiting = true;
    if (!isStepping) settle();
  });
}

/** Browsers that know `interactive-widget` do this themselves; iOS moves the page up instead. */
export function stayAboveKeyboard() {
  sight?.addEventListener("resize", fit);
  sight?.addEventListener("scroll", fit);
}

function fit() {
  const { style } = document.body;
  const isCovered = sight.scale < MOST_SCALE && window.innerHeight - sight.height > LEAST_PX;
  if (isCovered) {
    style.setProperty("block-size", `${sight.height}px`);
    style.setProperty("translate", `0 ${sight.offsetTop}px`);
  } else {
    style.removeProperty("block-size");
    style.removeProperty("translate");
  }
}
