"""How well what stands on a page can be told from what is behind it."""

from __future__ import annotations

__all__ = ["CONTRASTS"]

#: Ratio of contrast (WCAG 2.2) of every element of a kind with the colour behind it.
CONTRASTS = r"""(kind) => {
  const parts = colour => {
    const numbers = colour.match(/[\d.]+/g).map(Number), [red, green, blue, alpha = 1] = numbers;
    const most = colour.startsWith("color(") ? 1 : 255;
    return [red / most, green / most, blue / most, alpha];
  };
  const over = (top, below) => below.map((value, at) => top[at] * top[3] + value * (1 - top[3]));
  const behind = element => {
    if (!element) return [1, 1, 1, 1];
    return over(parts(getComputedStyle(element).backgroundColor), behind(element.parentElement));
  };
  const light = colour => colour.slice(0, 3).map(
    value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  ).reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  return [...document.querySelectorAll(kind)].filter(e => e.textContent.trim()).map(element => {
    const below = behind(element), text = over(parts(getComputedStyle(element).color), below);
    const pair = [light(text), light(below)];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
}"""
