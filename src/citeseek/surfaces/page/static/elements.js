/** Elements of text that came from elsewhere: it has a direction of its own. */

/** @returns {HTMLElement} */
export function element(name, className, text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  if (text) made.dir = "auto";
  return made;
}
