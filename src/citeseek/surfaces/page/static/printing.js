/** One answer on paper, or as a PDF: the reader's own browser prints it, and nothing beside it. */

/** @param {HTMLElement} turn */
export function printAnswer(turn) {
  turn.dataset.printed = "";
  document.body.dataset.printing = "answer";
  addEventListener("afterprint", () => {
    delete turn.dataset.printed;
    delete document.body.dataset.printing;
  }, { once: true });
  window.print();
}
