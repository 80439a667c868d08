/** The list of conversations by keyboard: arrows go from the search box through its rows. */

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/**
 * @param {HTMLInputElement} query above the list
 * @param {HTMLElement} list of rows, each with a link
 */
export function workRowKeys(query, list) {
  const hear = (event) => {
    if (event.defaultPrevented || !event.target.matches("a, .row-menu, #history-query")) return;
    const stops = [query, ...list.querySelectorAll("li[data-session] > a")];
    const at = stops.indexOf(event.target.closest("li")?.querySelector("a") ?? query);
    const next = { Home: stops[1], End: stops.at(-1) }[event.key] ?? stops[at + STEPS[event.key]];
    if (!next || (at === 0 && event.key !== "ArrowDown")) return; // in the box they are the text's
    event.preventDefault();
    next.focus();
  };
  query.addEventListener("keydown", hear);
  list.addEventListener("keydown", hear);
}

/**
 * Remember which row has the focus, before the list is rendered anew.
 * @returns {() => void} gives it back to the same row
 */
export function focusIn(list) {
  const focused = list.contains(document.activeElement) && document.activeElement;
  const session = focused && focused.closest("li").dataset.session;
  if (!session) return () => {};
  const name = focused.matches(".row-menu") ? ".row-menu" : "a";
  return () => list.querySelector(`[data-session="${session}"] ${name}`)?.focus({ preventScroll: true });
}
