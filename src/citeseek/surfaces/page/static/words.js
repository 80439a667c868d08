/** The words of the page in its language, as the server put them there. */

const words = JSON.parse(document.getElementById("words").textContent);

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values] what stands for the names in braces
 */
export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

const HAN = /[\u4e00-\u9fff]/;

/** What is English in a text for readers of both languages; a Chinese page has it whole. */
export function own(text) {
  if (document.documentElement.dataset.lang === "zh" || !HAN.test(text)) return text;
  const bare = text.replace(/ ?\([^()]*[\u4e00-\u9fff][^()]*\)/g, "");
  if (!HAN.test(bare)) return bare;
  const told = [...text.matchAll(/ ?\(([A-Za-z][^()]*)\)/g)].map(([, english]) => english).join("; ");
  return told ? `${told[0].toUpperCase()}${told.slice(1)}.` : text;
}
