/** The rows of the list and the menu of each: gone through by arrows; a menu is closed by Escape or a press. */

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** @param {HTMLElement} list of rows, each with a `.row-menu` and a `.menu` */
export function workMenus(list) {
  list.addEventListener("click", ({ target }) => {
    const button = target.closest(".row-menu");
    if (!button) return;
    const row = button.closest("li");
    const wasOpen = isOpen(row);
    closeAll(list);
    if (!wasOpen) openMenu(row);
  });
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest("li");
    if (!row || !isOpen(row)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      closeMenu(row);
      row.querySelector(".row-menu").focus();
    } else if (event.key === "Tab") {
      closeMenu(row);
    } else if (STEPS[event.key]) {
      event.preventDefault();
      const items = itemsOf(row);
      const at = items.indexOf(document.activeElement);
      items.at((at + STEPS[event.key]) % items.length).focus();
    }
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!target.closest(".menu, .row-menu")) closeAll(list);
  });
}

function itemsOf(row) {
  return [...row.querySelectorAll(".menu [role=menuitem]")];
}

function isOpen(row) {
  return row.querySelector(".menu")?.hidden === false;
}

function openMenu(row) {
  row.querySelector(".menu").hidden = false;
  row.querySelector(".row-menu").setAttribute("aria-expanded", "true");
  itemsOf(row)[0].focus();
}

/** @param {HTMLElement} row */
export function closeMenu(row) {
  row.querySelector(".menu").hidden = true;
  row.querySelector(".row-menu").setAttribute("aria-expanded", "false");
}

function closeAll(list) {
  for (const row of list.querySelectorAll("li:has(.menu:not([hidden]))")) closeMenu(row);
}

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
