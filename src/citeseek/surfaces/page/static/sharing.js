/** A link to one answer or one report: made when it is asked for, copied, and taken back. */

import { call } from "./api.js";
import { copy } from "./copying.js";
import { element } from "./elements.js";
import { resting } from "./keyboard.js";
import { confirm, speak } from "./status.js";
import { say } from "./words.js";

/**
 * Show the link to what `fold` is about, or the button that makes one.
 * @param {HTMLElement} fold whose data name a session with a turn, or a report
 */
export async function showShare(fold) {
  const place = fold.querySelector(".share-link");
  if (place.hasChildNodes()) return;
  const what = named(fold);
  try {
    const { shares } = await call("GET", "/shares");
    const own = shares.find((each) => Object.keys(what).every((name) => each[name] === what[name]));
    if (own) showLink(place, what, own);
    else offer(place, what);
  } catch (problem) {
    place.replaceChildren(element("p", "trouble", problem.message));
  }
}

function named({ dataset: { session, turn, report } }) {
  return report ? { report } : { session, turn };
}

function offer(place, what) {
  const button = buttonOf("make-link", say("shareMake"), async () => {
    const made = await call("POST", "/shares", what);
    showLink(place, what, made).focus({ preventScroll: true });
    speak(say("shareMade"));
  });
  place.replaceChildren(button);
  return button;
}

function showLink(place, what, { id, page }) {
  const address = new URL(page, location.href).href;
  const field = document.createElement("input");
  field.readOnly = true;
  field.value = address;
  field.dir = "ltr";
  field.setAttribute("aria-label", say("shareLabel"));
  field.addEventListener("focus", () => field.select());
  place.replaceChildren(
    field,
    buttonOf("copy-link", say("shareCopy"), () => copy(Promise.resolve(address), place)),
    buttonOf("take-back", say("shareTakeBack"), async () => {
      await call("DELETE", `/shares/${id}`);
      offer(place, what).focus({ preventScroll: true });
      confirm(say("shareTakenBack"));
    }),
  );
  place.scrollIntoView({ block: "nearest" });
  return field;
}

/** A button that does one thing at a time, and says why it could not. */
function buttonOf(name, label, act) {
  const button = element("button", name, label);
  button.type = "button";
  button.addEventListener("click", () =>
    resting(button, () => act().catch((problem) => confirm(problem.message))),
  );
  return button;
}
