/** Where an on-screen keyboard lies over the page, the page becomes as high as what it leaves. */

const LEAST_PX = 120; // bars of the browser that come and go are lower than a keyboard
const MOST_SCALE = 1.05; // a page that is magnified shows less of itself too

const sight = window.visualViewport;

/** Browsers that know `interactive-widget` do this themselves; iOS moves the page up instead. */
export function stayAboveKeyboard() {
  sight?.addEventListener("resize", fit);
  sight?.addEventListener("scroll", fit);
}

function fit() {
  const { style } = document.body;
  const isCovered = sight.scale < MOST_SCALE && window.innerHeight - sight.height > LEAST_PX;
  if (isCovered) {
    style.setProperty("block-size", `${sight.height}px`);
    style.setProperty("translate", `0 ${sight.offsetTop}px`);
  } else {
    style.removeProperty("block-size");
    style.removeProperty("translate");
  }
}
