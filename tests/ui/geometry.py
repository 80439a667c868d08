"""Where things are on the screen, and whether an eye or a finger finds them there."""

from __future__ import annotations

from typing import Any, cast

from playwright.sync_api import Locator, Page

FINGER_PX = 44

# The part of `element` that nothing hides has its centre in the window, and the centre is its own.
_IS_SEEN = """element => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  element.style.setProperty("pointer-events", "auto"); // else it is passed over
  const at = document.elementFromPoint(x, y);
  element.style.removeProperty("pointer-events");
  return width > 0 && height > 0 && left >= 0 && top >= 0
    && left + width <= innerWidth && top + height <= innerHeight
    && at !== null && element.contains(at);
}"""

# Some of `element` is in the window with nothing over it.
_SHOWS = """element => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const parts = [0.05, 0.25, 0.5, 0.75, 0.95];
  return parts.some(part => {
    const at = document.elementFromPoint(left + width * part, top + height / 2);
    return at !== null && element.contains(at);
  });
}"""

# What can be pressed, without the links in running text, which have the line's height.
_TOO_SMALL = """(root, least) => {
  const inText = ".citation a, p a, li > a.title, .source a.title, a.outside, .skip";
  const reach = least / 2 - 1;
  const names = [];
  for (const element of root.querySelectorAll("a, button, input, select, textarea, summary")) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(inText)) continue;
    element.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const edges = [[0, -reach], [0, reach], [-reach, 0], [reach, 0]];
    const hit = edges.map(([dx, dy]) => document.elementFromPoint(x + dx, y + dy));
    const isOwn = at => element.contains(at) || at.closest("label")?.control === element;
    const other = hit.filter(at => at === null || !isOwn(at)).map(at => at?.outerHTML.slice(0, 80));
    if (!other.length) continue;
    names.push(`${element.outerHTML.slice(0, 80)} ${width}x${height}, but there: ${other}`);
  }
  return names;
}"""

_SIDEWAYS = """() => {
  const { scrollWidth, clientWidth } = document.scrollingElement;
  const main = document.getElementById("messages");
  const names = [];
  if (scrollWidth > clientWidth) names.push(`page ${scrollWidth} > ${clientWidth}`);
  if (!main || main.scrollWidth <= main.clientWidth) return names;
  names.push(`messages ${main.scrollWidth} > ${main.clientWidth}`);
  for (const element of main.querySelectorAll("*")) {
    if (element.getBoundingClientRect().right > main.getBoundingClientRect().right + 1) {
      names.push(element.outerHTML.slice(0, 80));
    }
  }
  return names;
}"""


def box(locator: Locator) -> dict[str, float]:
    """Return the bounding box of something that is there."""
    found = locator.bounding_box()
    assert found, f"{locator} has no box"
    return cast("dict[str, float]", found)


def is_seen(locator: Locator) -> bool:
    """Whether the whole of it is in the window and nothing lies over its middle."""
    seen: bool = locator.evaluate(_IS_SEEN)
    return seen


def shows(locator: Locator) -> bool:
    """Whether at least a part of it can be seen."""
    visible: bool = locator.evaluate(_SHOWS)
    return visible


def too_small(within: Locator) -> list[str]:
    """Return what can be pressed but not by a finger, which needs 44 px on each side."""
    names: list[str] = within.evaluate(_TOO_SMALL, FINGER_PX)
    return names


def sideways(page: Page) -> list[str]:
    """Return what makes the page or its messages scroll sideways."""
    names: list[str] = page.evaluate(_SIDEWAYS)
    return names


def style(locator: Locator, name: str) -> Any:
    """Return a computed style."""
    return locator.evaluate("(element, name) => getComputedStyle(element)[name]", name)
