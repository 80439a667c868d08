/** How the page looks to this reader: the browser remembers it, in cookies that the server reads. */

import { whenChosen } from "./keyboard.js";
import { confirm } from "./status.js";
import { say } from "./words.js";

const YEAR_S = 365 * 24 * 60 * 60;

export function workAppearance() {
  const theme = document.getElementById("choice-theme");
  theme.addEventListener("change", () => {
    document.documentElement.dataset.theme = theme.value;
    remember("citeseek_theme", theme.value);
    confirm(say("saved"));
  });
  const language = document.getElementById("choice-ui-language");
  whenChosen(language, () => {
    const isKept = remember("citeseek_lang", language.value);
    // Without a ?lang= that would win over the cookie, where there is one.
    location.replace(location.pathname + (isKept ? "" : `?lang=${language.value}`));
  });
}

/** @returns {boolean} whether the browser keeps it */
export function remember(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Strict${secure}`;
  return document.cookie.split("; ").includes(`${name}=${value}`);
}
