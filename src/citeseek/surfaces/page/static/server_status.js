/** The page that says how the server stands keeps up with it while somebody looks. */

import { signIn } from "./api.js";
import { connectionTeller } from "./status.js";

const EVERY_MS = 15_000;

const tellLost = connectionTeller();

dress();
setInterval(() => document.hidden || renew(), EVERY_MS);
document.addEventListener("visibilitychange", () => document.hidden || renew());

/** Show how it stands now. Nothing in it has the focus, and nothing is read out. */
async function renew() {
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (response.status === 401 || new URL(response.url).pathname === "/login") return signIn();
    if (!response.ok) throw new Error(`The page answered ${response.status}.`);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.querySelector("main").replaceChildren(...page.querySelector("main").children);
    dress();
    tellLost(false);
  } catch {
    tellLost(true);
  }
}

/** Times are those of the reader's clock. */
function dress() {
  const { lang } = document.documentElement;
  for (const time of document.querySelectorAll("main time")) {
    const options = { dateStyle: "medium", timeStyle: "medium" };
    time.textContent = new Date(time.dateTime).toLocaleString(lang, options);
  }
}
