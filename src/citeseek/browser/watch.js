// Runs at the start of every document: notes when it last changed, and can be asked how it stands.
(() => {
  if (window !== window.top) return;
  const PLACEHOLDERS =
    "[aria-busy=true], [class*=skeleton i], [class*=shimmer i], [class*=spinner i], [class*=loading i]";
  const STEPS = 12;
  let changed = performance.now();
  let changes = 0;
  new MutationObserver(() => {
    changed = performance.now();
    changes += 1;
  }).observe(document, { childList: true, subtree: true, characterData: true });

  // A window that is not drawn has no frames.
  const frames = () =>
    new Promise((resolve) => {
      const enough = setTimeout(resolve, 60);
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          clearTimeout(enough);
          resolve();
        }),
      );
    });
  const isSeen = (element) => element.getClientRects().length > 0;

  // Without a layout, which may take seconds.
  const letters = () => {
    const count = (text) => text.replace(/\s+/g, "").length;
    const unseen = [...document.querySelectorAll("body :is(script, style, template, noscript)")];
    return document.body
      ? count(document.body.textContent) - unseen.reduce((sum, e) => sum + count(e.textContent), 0)
      : 0;
  };
  let known = { at: -1 };

  window[Symbol.for("citeseek.look")] = () => {
    if (known.at !== changes) {
      const waits = [...document.querySelectorAll(PLACEHOLDERS)].slice(0, 20).some(isSeen);
      known = { at: changes, letters: letters(), waits };
    }
    return {
      letters: known.letters,
      waits: known.waits,
      quiet_ms: performance.now() - changed,
      is_loaded: document.readyState === "complete",
    };
  };

  const size = () => `${letters()} ${document.documentElement.scrollHeight}`;

  // Goes to the end step by step; tells whether that let the document grow.
  window[Symbol.for("citeseek.scroll")] = async () => {
    const before = size();
    for (let step = 0; step < STEPS; step += 1) {
      const from = window.scrollY;
      window.scrollBy({ top: window.innerHeight, behavior: "instant" });
      await frames();
      if (window.scrollY === from) break;
    }
    await frames();
    return size() !== before;
  };
})();
