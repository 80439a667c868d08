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
  // Fewer rows that go while a list is scrolled are a message or a placeholder.
  const FEW_ROWS = 3;
  const MOST_ROWS = 5_000;
  let changed = performance.now();
  let changes = 0;
  new MutationObserver((records) => {
    changed = performance.now();
    changes += 1;
    if (isScrolling) records.forEach(keepRows);
  }).observe(document, { childList: true, subtree: true, characterData: true });

  // A list that holds only the rows in sight takes others away as it is scrolled: what goes is kept,
  // by its list, in order.
  let isScrolling = false;
  let kept = 0;
  const rows = new Map();
  const nameOf = (row) => {
    const at = row.dataset?.index ?? row.getAttribute("aria-rowindex") ?? row.getAttribute("aria-posinset");
    const place = at ?? `${row.style?.top} ${row.style?.transform}`;
    return `${place} ${row.textContent.replace(/\s+/g, " ").trim()}`;
  };
  const keepRows = ({ target, removedNodes }) => {
    for (const row of removedNodes) {
      const isRow = row.nodeType === Node.ELEMENT_NODE && row.textContent.trim();
      if (!isRow || row.matches(PLACEHOLDERS) || kept >= MOST_ROWS) continue;
      if (!rows.has(target)) rows.set(target, new Map());
      const list = rows.get(target);
      const name = nameOf(row);
      if (list.has(name)) continue;
      list.set(name, row.cloneNode(true));
      kept += 1;
    }
  };

  // Puts the rows that were in sight before those that are now.
  window[Symbol.for("citeseek.restore")] = () => {
    for (const [list, gone] of rows) {
      const there = [...list.children];
      const names = new Set(there.map(nameOf));
      const lost = [...gone].filter(([name]) => !names.has(name)).map(([, row]) => row);
      const isList = there.filter((row) => row.tagName === lost[0]?.tagName).length >= FEW_ROWS;
      if (list.isConnected && isList && lost.length >= FEW_ROWS) list.prepend(...lost);
    }
    rows.clear();
  };

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

  // Whether a list that takes rows away has more of them than it was scrolled through.
  let goesOn = false;
  window[Symbol.for("citeseek.goesOn")] = () => goesOn;
  const isAtEnd = (e) => e.scrollTop + e.clientHeight >= e.scrollHeight - 1;

  // Goes to the end step by step; tells whether that let the document grow, or there is more.
  window[Symbol.for("citeseek.scroll")] = async () => {
    if (letters() > MOST) return false;
    const before = size();
    isScrolling = true;
    const root = document.scrollingElement || document.documentElement;
    if (!(await down(root, () => window.innerHeight))) turnWheel();
    const scrolled = lists();
    for (const list of scrolled) await down(list, () => list.clientHeight);
    const until = performance.now() + ANSWER_MS;
    do {
      await frames();
    } while (size() === before && performance.now() < until);
    isScrolling = false;
    goesOn = kept >= FEW_ROWS && ![root, ...scrolled].every(isAtEnd);
    return goesOn || size() !== before;
  };
})();
