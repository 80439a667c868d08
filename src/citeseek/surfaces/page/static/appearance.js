/** Theme and language of the page: this browser remembers them, in cookies the server reads. */

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
  language.addEventListener("change", () => {
    remember("citeseek_lang", language.value);
    location.replace(location.pathname); // without a ?lang= that would win over the cookie
  });
}

function remember(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Strict${secure}`;
}
