/** The history and the settings: opened by a button of the header, closed by it or by Escape. */

// A finger that opens a panel wants no keyboard over it.
const HAS_FINGERS = matchMedia("(pointer: coarse)").matches;
const FIRST = `a, button:not(:disabled, .close), select${HAS_FINGERS ? "" : ", input"}`;

/**
 * A panel and its button. What shows the panel is given, since one may be there from the start.
 * @param {string} buttonId
 * @param {string} panelId
 * @param {(isOpen: boolean) => void} [put] shows or hides it
 * @returns {() => void} opens it
 */
export function workPanel(buttonId, panelId, put) {
  const button = document.getElementById(buttonId);
  const panel = document.getElementById(panelId);
  const set = put ?? ((isOpen) => (panel.hidden = !isOpen));
  const isOpen = () => getComputedStyle(panel).display !== "none";
  const isOver = () => getComputedStyle(panel).boxShadow !== "none";
  const tell = () => button.setAttribute("aria-expanded", String(isOpen()));

  const show = (wanted) => {
    set(wanted);
    tell();
    if (wanted) panel.querySelector(FIRST)?.focus();
    else button.focus();
  };
  button.addEventListener("click", () => show(!isOpen()));
  panel.querySelector(".close").addEventListener("click", () => show(false));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isOpen()) return;
    // What is there from the start is left alone, unless that is where the keys go.
    if (put && !isOver() && !panel.contains(document.activeElement)) return;
    event.preventDefault();
    show(false);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    // Over the messages, on a narrow page, a press beside the panel closes it.
    if (!isOpen() || !isOver() || panel.contains(target) || button.contains(target)) return;
    if (target.closest("#bar") && !target.closest("[aria-controls]")) return;
    set(false);
    tell();
  });
  addEventListener("resize", tell);
  tell();
  return () => show(true);
}
