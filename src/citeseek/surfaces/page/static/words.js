/** The words of the page in its language, as the server put them there. */

const words = JSON.parse(document.getElementById("words").textContent);

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values] what stands for the names in braces
 */
export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
