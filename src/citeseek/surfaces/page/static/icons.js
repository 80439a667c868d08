/** Pictures of icons.svg, for eyes alone: what one means is said beside it. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name of a symbol in icons.svg
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "glyph");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `/static/icons.svg#${name}`);
  picture.append(use);
  return picture;
}
