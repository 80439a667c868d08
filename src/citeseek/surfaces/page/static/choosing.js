/** Lists of which a choice leads to another page: arrows may go through one without leaving. */

const STEPPING = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

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
