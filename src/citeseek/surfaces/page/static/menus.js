/** The menu of a row: opened by its button, gone through by arrows, closed by Escape or a press. */

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
