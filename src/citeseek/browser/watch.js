// Runs at the start of every document: notes when it last changed, and can be asked how it stands.
(() => {
  if (window !== window.top) return;
  const PLACEHOLDERS =
    "[aria-busy=true], [class*=skeleton i], [class*=shimmer i], [class*=spinner i], [class*=loading i]";
  const STEPS = 12;
  // A document that holds more than anybody reads need not grow.
  const MOST = 500_000;
  // A list that waits for the scrolling to end, or asks its site, has so long to begin.
  const ANSWER_MS = 300;
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

  // What is scrolled: the window, and lists with a height of their own.
  const lists = () =>
    [...document.querySelectorAll("body, body *")]
      .slice(0, 5_000)
      .filter((e) => e.clientHeight >= 200 && e.scrollHeight > e.clientHeight + 1)
      .filter((e) => /auto|scroll|overlay/.test(getComputedStyle(e).overflowY))
      .slice(0, 3);
  const down = async (element, height) => {
    for (let step = 0; step < STEPS; step += 1) {
      const from = element.scrollTop;
      element.scrollBy({ top: height(), behavior: "instant" });
      await frames();
      if (element.scrollTop === from) return step > 0;
    }
    return true;
  };
  // A document that fits into the window does not scroll, and whoever turns the wheel asks for more.
  const turnWheel = () => {
    const target = document.body || document.documentElement;
    target.dispatchEvent(new WheelEvent("wheel", { deltaY: window.innerHeight, bubbles: true }));
    document.dispatchEvent(new Event("scroll", { bubbles: true }));
  };

  // Goes to the end step by step; tells whether that let the document grow.
  window[Symbol.for("citeseek.scroll")] = async () => {
    if (letters() > MOST) return false;
    const before = size();
    const root = document.scrollingElement || document.documentElement;
    if (!(await down(root, () => window.innerHeight))) turnWheel();
    for (const list of lists()) await down(list, () => list.clientHeight);
    const until = performance.now() + ANSWER_MS;
    do {
      await frames();
    } while (size() === before && performance.now() < until);
    return size() !== before;
  };
})();
