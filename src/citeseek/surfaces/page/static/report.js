/** How the search service is: looked at when a page opens, and on demand among the settings. */

import { confirm } from "./status.js";
import { say } from "./words.js";

const RECENT_S = 60;

/** Tell a new conversation what is wrong, if anything is; nothing is said of what is well. */
export async function reportTrouble() {
  const place = document.getElementById("start-report");
  if (!place || place.closest("[hidden]")) return;
  const report = await fetched(RECENT_S);
  if (report?.dataset.ok === "false") place.replaceChildren(report);
}

export function workReport() {
  const button = document.getElementById("check-search");
  if (!button) return;
  button.addEventListener("click", async () => {
    button.disabled = true;
    confirm(say("checking"));
    const report = await fetched(0);
    button.disabled = false;
    button.focus();
    if (!report) {
      confirm(say("offline"));
      return;
    }
    document.getElementById("report").replaceChildren(report);
    const isWell = report.dataset.ok === "true";
    confirm(say(isWell ? "checkedWell" : "checkedTrouble"));
  });
}

/** @returns {Promise<Element | null>} the report, not older than so many seconds */
async function fetched(maxAge) {
  try {
    const response = await fetch(`/report?max_age=${maxAge}`);
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector(".report");
  } catch {
    return null;
  }
}
