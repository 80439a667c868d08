/** What is folded behind a button below an answer: one at a time, closed by Escape or a press beside it. */

/**
 * @param {HTMLElement} root in which there are `details.fold`
 * @param {(fold: HTMLElement) => void} [opened] is told of each that is opened
 */
export function workFolds(root, opened = () => {}) {
  root.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.matches("details.fold") || !target.open) return;
      closeAll(root, target);
      opened(target);
    },
    true, // it does not bubble
  );
  // Not when it is pressed down: what then moves up would be missed by the press.
  document.addEventListener("click", (event) => {
    const own = event.composedPath().find((each) => each instanceof Element && each.matches("details.fold"));
    closeAll(root, own);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    const open = root.querySelector("details.fold[open]");
    if (!open) return;
    event.preventDefault();
    const hadFocus = open.contains(document.activeElement);
    open.open = false;
    if (hadFocus) open.querySelector("summary").focus();
  });
}

function closeAll(root, but) {
  for (const fold of root.querySelectorAll("details.fold[open]")) if (fold !== but) fold.open = false;
}
