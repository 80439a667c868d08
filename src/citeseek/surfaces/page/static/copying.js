/** Puts text on the clipboard, or where it can be copied by hand. */

import { confirm } from "./status.js";
import { say } from "./words.js";

/**
 * @param {Promise<string>} text may come later: the press that asked for it still counts
 * @param {HTMLElement} place where the text is shown when the browser refuses
 */
export async function copy(text, place) {
  try {
    await write(text);
    confirm(say("copied"));
  } catch {
    await text.then(
      (plain) => showByHand(plain, place),
      (error) => confirm(error.message),
    );
  }
}

/** Browsers lend their clipboard to https and this machine only. */
async function write(text) {
  if (!navigator.clipboard) throw new Error("There is no clipboard.");
  const blob = text.then((plain) => new Blob([plain], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

/** An old way to copy works everywhere in some browsers; the reader's own works always. */
function showByHand(text, place) {
  place.querySelector(".by-hand")?.remove();
  const label = document.createElement("label");
  label.className = "by-hand";
  const area = document.createElement("textarea");
  area.readOnly = true;
  area.value = text;
  label.append(say("copyByHand"), area);
  const opener = document.activeElement;
  const close = () => {
    label.remove();
    opener.focus({ preventScroll: true });
  };
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  });
  place.append(label);
  area.focus();
  area.select();
  if (!document.execCommand("copy")) return;
  close();
  confirm(say("copied"));
}
