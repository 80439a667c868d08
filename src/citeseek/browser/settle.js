// Runs at the start of every document: stops the load as soon as the page holds enough.
// `selector` finds a result, `enough` is the number of results to stop at. A page that has loaded
// without them has `grace` milliseconds to bring them or to go elsewhere; one that wants to go
// elsewhere tells what it was, and has `away` milliseconds to be gone.
(selector, enough, grace, away) => {
  // Nobody would close a window that a page opens.
  window.open = () => null;
  if (window !== window.top) return;

  // While the page is being parsed, the last element may still be missing its end.
  const isComplete = (element) => {
    if (document.readyState !== "loading") return true;
    while (element && !element.nextSibling) element = element.parentElement;
    return element !== null;
  };
  const isSettled = () => {
    const last = selector && document.querySelectorAll(selector)[enough - 1];
    return Boolean(last) && isComplete(last);
  };

  window[Symbol.for("citeseek.settled")] = new Promise((resolve) => {
    const observer = new MutationObserver(() => isSettled() && finish());
    const leaving = () => {
      clearTimeout(patience);
      patience = setTimeout(finish, away);
      window.citeseekLeaving(document.documentElement.outerHTML);
    };
    const finish = () => {
      window.removeEventListener("beforeunload", leaving);
      observer.disconnect();
      window.stop();
      resolve();
    };
    let patience;
    observer.observe(document, { childList: true, subtree: true });
    window.addEventListener("beforeunload", leaving);
    window.addEventListener("load", () => {
      if (!selector || isSettled()) finish();
      else patience ??= setTimeout(finish, grace);
    });
  });
};
