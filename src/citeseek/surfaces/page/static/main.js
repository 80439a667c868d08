/** The chat page: every part at its work, and the stream of news to all of them. */

import { workActions } from "./actions.js";
import { workAgents } from "./agents.js";
import { announce } from "./announcer.js";
import { signIn } from "./api.js";
import { workAppearance } from "./appearance.js";
import { workCitations } from "./citations.js";
import { workSources } from "./checks.js";
import { workCommands } from "./commands.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { workFiles } from "./files.js";
import { wishFollowUps } from "./follow_ups.js";
import { workFolds } from "./folds.js";
import { putHistory, showHistory, workHistory } from "./history.js";
import { stayAboveKeyboard, workSkips } from "./keyboard.js";
import { settleMention, showMention } from "./mentions.js";
import { workMode } from "./mode.js";
import { workPanel } from "./panels.js";
import { workPicks } from "./picks.js";
import { reportTrouble, workReport } from "./report.js";
import { followNewest, reveal, toNewest } from "./scrolling.js";
import { workSettings } from "./settings.js";
import { workSpeech } from "./speech.js";
import { connectionTeller } from "./status.js";
import { Stream } from "./stream.js";
import { workSwitches } from "./switch.js";
import { dress, putAll, putBlocks, putOrder, putPart, putTurn } from "./turns.js";
import { settle } from "./versions.js";
import { say } from "./words.js";

const messages = document.getElementById("messages");

const conversation = new Conversation(document.body.dataset.session, stateOf(document));
workCitations(); // before the panels and the composer: Escape closes its card first
workFolds(messages, async (fold) => {
  if (fold.matches(".share")) await import("./sharing.js").then(({ showShare }) => showShare(fold));
  reveal(fold.querySelector(".fold-body"));
});
workFolds(document.getElementById("composer"));
const openHistory = workPanel("history-button", "history", showHistory);
workPanel("settings-button", "settings");
workCommands((text) => composer.send(text)); // before the composer: it hears of Enter first
const composer = new Composer(conversation);
workPicks(conversation);
workFiles(conversation);
workSwitches(conversation);
workMode(conversation);
workSettings(conversation);
workAppearance();
workAgents(conversation);
workHistory(conversation, () => showMention(conversation));
workActions(conversation, composer);
workSources(messages);
workSpeech();
dress(messages);
followNewest();
workReport();
reportTrouble();
stayAboveKeyboard();
workSkips(openHistory);

conversation.addEventListener("created", () => {
  document.body.dataset.session = conversation.id;
  history.replaceState(null, "", `/c/${conversation.id}`);
  listen();
});
conversation.addEventListener("state", () => {
  const { title } = conversation.state;
  if (title) document.title = `${title} · Citeseek`;
});

const TAKE = {
  state: (state) => conversation.tell(state),
  order: putOrder,
  turn(data) {
    if (putTurn(data)) toNewest();
    settle(data.turn);
    settleMention(data.turn);
  },
  part: putPart,
  blocks: putBlocks,
  history: ({ html }) => putHistory(html),
  gone: () => composer.end(say("gone")),
};

if (conversation.id) listen();
showMention(conversation);

function listen() {
  new Stream(`/c/${conversation.id}/events`, messages.dataset.revision, {
    news(kind, data) {
      TAKE[kind](data);
      if (data.turn) announce(data.turn);
      if (kind === "turn") wishFollowUps(conversation, data.turn);
    },
    lost: connectionTeller(),
    renew,
  });
}

/**
 * Show the page anew, when the server no longer knows what was shown.
 * @returns {Promise<string | null>} its revision, null when there is nothing more to show
 */
async function renew() {
  const response = await fetch(`/c/${conversation.id}`);
  if (response.status === 401 || new URL(response.url).pathname === "/login") {
    signIn();
    return null;
  }
  if (response.status === 404) {
    composer.end(say("gone"));
    return null;
  }
  if (!response.ok) throw new Error(`The page answered ${response.status}.`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  putAll(page);
  putHistory(page.getElementById("history-list").innerHTML);
  conversation.tell(stateOf(page));
  return messages.dataset.revision;
}

/** @returns {import("./conversation.js").State} as the server put it into the page */
function stateOf(page) {
  return JSON.parse(page.getElementById("state").textContent);
}
