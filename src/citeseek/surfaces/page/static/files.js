/** Files of one's own: added by a button, pasted or dropped on the page, listed above the input. */

import { complain, confirm } from "./status.js";
import { say } from "./words.js";

const list = document.getElementById("files");
const button = document.getElementById("attach");
const input = document.getElementById("file-input");
const message = document.getElementById("message");

/** @param {import("./conversation.js").Conversation} conversation */
export function workFiles(conversation) {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    add(conversation, [...input.files]);
    input.value = ""; // so that the same file can be chosen again
  });
  list.addEventListener("click", ({ target }) => {
    const row = target.closest("li");
    if (target.closest("button")) drop(conversation, row.dataset.file, row.dataset.name);
  });
  document.addEventListener("dragover", (event) => {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    document.body.dataset.dropping = "";
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!relatedTarget) delete document.body.dataset.dropping;
  });
  document.addEventListener("drop", (event) => {
    delete document.body.dataset.dropping;
    if (!bringsFiles(event)) return;
    event.preventDefault();
    add(conversation, [...event.dataTransfer.files]);
  });
  message.addEventListener("paste", (event) => {
    // Text that is copied from an office program brings a picture of itself along.
    const { files, types } = event.clipboardData;
    if (!files.length || types.includes("text/plain")) return;
    event.preventDefault();
    add(conversation, [...files]);
  });
  conversation.addEventListener("state", () => show(conversation.state.files));
  show(conversation.state.files);
}

function bringsFiles({ dataTransfer }) {
  return dataTransfer?.types.includes("Files");
}

/** One after the other, for the server reads one at a time; one that fails keeps none from it. */
async function add(conversation, files) {
  button.disabled = true;
  complain("");
  const problems = [];
  for (const file of files) {
    confirm(say("fileReading", { name: file.name }));
    try {
      await conversation.addFile(file);
      confirm(say("fileAdded", { name: file.name }));
    } catch (problem) {
      confirm("");
      problems.push(named(problem.message, file.name));
      complain(problems.join("\n"));
    }
  }
  button.disabled = false;
  message.focus({ preventScroll: true });
}

/** What the server says of a file names it; what is said of the connection does not. */
function named(text, name) {
  return text.includes(name) ? text : `${name}: ${text}`;
}

async function drop(conversation, id, name) {
  try {
    await conversation.dropFile(id);
    confirm(say("fileGone", { name }));
  } catch (problem) {
    complain(problem.message);
  }
  message.focus({ preventScroll: true });
}

function show(files) {
  list.hidden = !files.length;
  list.replaceChildren(...files.map(row));
}

function row({ id, name }) {
  const item = document.createElement("li");
  item.dataset.file = id;
  item.dataset.name = name;
  const label = document.createElement("span");
  label.dir = "auto";
  label.textContent = name;
  const remove = document.createElement("button");
  remove.type = "button";
  remove.textContent = "✕";
  remove.setAttribute("aria-label", say("fileRemove", { name }));
  item.append(label, remove);
  return item;
}
