// Returns the document once it has settled, or null when it is longer than `limit` characters.
async (limit) => {
  await window[Symbol.for("citeseek.settled")];
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  const html = doctype + document.documentElement.outerHTML;
  return html.length > limit ? null : html;
};
