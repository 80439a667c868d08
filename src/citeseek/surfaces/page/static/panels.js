/** The history and the settings: opened by a button of the header, closed by it or by Escape. */

/**
 * @param {string} buttonId
 * @param {string} panelId
 */
export function workPanel(buttonId, panelId) {
  const button = document.getElementById(buttonId);
  const panel = document.getElementById(panelId);

  const show = (isOpen) => {
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) panel.querySelector("a, button:not(:disabled, .close), select, input")?.focus();
    else button.focus();
  };
  button.addEventListener("click", () => show(panel.hidden));
  panel.querySelector(".close").addEventListener("click", () => show(false));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || panel.hidden) return;
    event.preventDefault();
    show(false);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    // Over the messages, on a narrow page, a press beside the panel closes it.
    const isOver = getComputedStyle(panel).boxShadow !== "none";
    if (panel.hidden || !isOver || panel.contains(target) || button.contains(target)) return;
    if (target.closest("#bar") && !target.closest("[aria-controls]")) return;
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
  });
}
