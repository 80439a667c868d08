/** How the search service is: looked at when a page opens, and on demand among the settings. */

import { toBox } from "./keyboard.js";
import { confirm } from "./status.js";
import { say } from "./words.js";

const RECENT_S = 60;

/** Tell a new conversation what is wrong, if anything is; nothing is said of what is well. */
export async function reportTrouble() {
  const place = document.getElementById("start-report");
  if (!place || place.closest("[hidden]")) return;
  const report = await fetched(`max_age=${RECENT_S}`);
  if (report?.dataset.ok === "false") place.replaceChildren(report);
}

/** What was told there no longer counts. */
export function closeReport() {
  document.getElementById("start-report").replaceChildren();
  toBox(document.getElementById("message"));
}

export function workReport() {
  const button = document.getElementById("check-search");
  if (!button) return;
  const engine = document.getElementById("choice-engine");
  button.addEventListener("click", async () => {
    button.disabled = true;
    confirm(say("checking"));
    const report = await fetched(`engine=${encodeURIComponent(engine.value)}`, "POST");
    button.disabled = false;
    button.focus();
    if (!report) {
      confirm(say("offline"));
      return;
    }
    document.getElementById("report").replaceChildren(report);
    const isWell = report.dataset.ok === "true";
    confirm(say(isWell ? "checkedWell" : "checkedTrouble", { engine: report.dataset.engines }));
  });
}

/** @returns {Promise<Element | null>} the report that is asked for, null when none came */
async function fetched(query, method = "GET") {
  try {
    const response = await fetch(`/report?${query}`, { method });
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector(".report");
  } catch {
    return null;
  }
}
