// Returns the document as it stands, with the rows that lists took away and what shadow roots hold in
// their places, and without what is for browsers that run no scripts or are yet to run them; of it,
// `limit` characters.
(limit) => {
  const unfold = (root) => {
    for (const host of [...root.querySelectorAll("*")]) {
      const shadow = host.shadowRoot;
      if (!shadow) continue;
      unfold(shadow);
      for (const slot of [...shadow.querySelectorAll("slot")]) {
        const given = slot.assignedNodes({ flatten: true });
        slot.replaceWith(...(given.length ? given : [...slot.childNodes]));
      }
      host.replaceChildren(...shadow.childNodes);
    }
  };
  window[Symbol.for("citeseek.restore")]?.();
  unfold(document);
  for (const element of [...document.querySelectorAll("noscript, script, link[rel*=load]")]) {
    if (!/json/.test(element.type || "")) element.remove();
  }
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  return (doctype + document.documentElement.outerHTML).slice(0, limit);
};
