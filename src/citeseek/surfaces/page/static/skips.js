/** Links for the keyboard past what lies between: to the box, to the newest answer, to the conversations. */

const query = document.getElementById("history-query");
const messages = document.getElementById("messages");

/** @param {() => void} openHistory shows the list of conversations where it is folded away */
export function workSkips(openHistory) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.skip");
    if (!link) return;
    const place = link.matches(".to-answer") ? newestAnswer() : document.querySelector(link.hash);
    event.preventDefault();
    if (place === query && !query.checkVisibility()) openHistory();
    place.focus();
  });
}

/** The newest answer: what is said of its failure, if it has one, else its text, or its turn before that. */
function newestAnswer() {
  const turn = messages.querySelector(".turn:last-of-type");
  const answer = turn?.querySelector('[data-part="answer"]:not(:empty)');
  const place = turn?.querySelector('[data-part="notices"] .notice') ?? answer ?? turn ?? messages;
  place.tabIndex = -1; // reached from here, and by Tab only what stands in it
  return place;
}
