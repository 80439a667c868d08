/** What is folded behind a button below an answer: one at a time, closed by Escape or a press beside it. */

/** @param {HTMLElement} root in which there are `details.fold` */
export function workFolds(root) {
  root.addEventListener(
    "toggle",
    ({ target }) => {
      if (target.matches("details.fold") && target.open) closeAll(root, target);
    },
    true, // it does not bubble
  );
  document.addEventListener("pointerdown", ({ target }) => closeAll(root, target.closest("details.fold")));
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
