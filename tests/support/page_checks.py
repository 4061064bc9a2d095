"""Checks of a page that a browser runs: text with too little contrast, words that are broken across lines."""

from __future__ import annotations

RATIO = """(one, other) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, bright] = [light(one), light(other)].sort((one, other) => one - other);
  return (bright + 0.05) / (dark + 0.05);
}"""
CONTRASTS = """() => {
  const contrast = RATIO;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, .visually-hidden") || element.disabled || !element.checkVisibility()) continue;
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || getComputedStyle(element).opacity !== "1") continue;
    const ratio = contrast(getComputedStyle(element).color, behind(element));
    if (ratio < 4.5) faint.push(`${element.tagName} ${element.textContent.slice(0, 30)} ${ratio.toFixed(1)}`);
  }
  return faint;
}""".replace("RATIO", RATIO)
# Text in the picture against the fill of the shape below its middle; parts with an opacity are dimmed on purpose.
PICTURE_CONTRASTS = """() => {
  const contrast = RATIO;
  const paint = (shape) => getComputedStyle(shape)[shape.tagName === "line" ? "stroke" : "fill"];
  const faint = [];
  for (const text of document.querySelectorAll("#board text")) {
    if (text.closest("[opacity]")) continue;
    text.scrollIntoView({ block: "center", inline: "center" });
    const box = text.getBoundingClientRect();
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const below = stack.slice(stack.indexOf(text) + 1)
      .find((shape) => shape.ownerSVGElement && shape.tagName !== "text" && paint(shape) !== "none");
    const ratio = contrast(paint(text), paint(below));
    if (ratio < 4.5) faint.push(`${text.textContent} ${ratio.toFixed(1)}`);
  }
  return faint;
}""".replace("RATIO", RATIO)
BROKEN_WORDS = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll("#end :is(th, td, p)")) {
    const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      for (const { 0: word, index } of words.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(words.currentNode, index);
        range.setEnd(words.currentNode, index + word.length);
        if (range.getClientRects().length > 1) broken.push(word);
      }
    }
  }
  return broken;
}"""
