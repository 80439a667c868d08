// Returns how the document ended, `settled` or `leaving` for another, and the document itself, or
// null when it is longer than `limit` characters.
async (limit) => {
  const state = await window[Symbol.for("citeseek.settled")];
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  const html = doctype + document.documentElement.outerHTML;
  return [state, html.length > limit ? null : html];
};
