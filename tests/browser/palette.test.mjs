// What reports/template/palette.css promises: colours that stand for different things within a chart can be told apart, by colour-blind readers too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../../reports/template/palette.css", import.meta.url), "utf8");
const names = (text) => Object.fromEntries([...text.matchAll(/--([hnmps]\d(?:-\d)?): (#[0-9a-f]{6});/g)].map((match) => [match[1], match[2]]));
const [light, dark] = css.split("@media screen and (prefers-color-scheme: dark)").map(names);

// Severity 1.0, on linear RGB: Machado, Oliveira, Fernandes, IEEE TVCG 15(6), 2009.
const sights = {
  trichromats: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
function lab(color, sight) {
  const rgb = [1, 3, 5].map((at) => linear(parseInt(color.slice(at, at + 2), 16) / 255));
  const [r, g, b] = sight.map((row) => Math.min(1, Math.max(0, row.reduce((sum, factor, i) => sum + factor * rgb[i], 0))));
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883].map(f);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const shades = (hues) => hues.flatMap((hue) => [0, 1, 2].map((shade) => `h${hue}-${shade}`));
const charts = { nodes: [0, 1, 2, 3, 4, 5, 6, 7].map((node) => `n${node}`), series: shades([0, 1, 2, 3, 4, 5]),
  percentiles: [0, 1, 2, 3, 4].map((each) => `p${each}`), sides: ["s0", "s1"] };

for (const [scheme, palette] of Object.entries({ light, dark })) {
  for (const [sight, matrix] of Object.entries(sights)) {
    for (const [chart, members] of Object.entries(charts)) {
      test(`${scheme}, ${sight}: ${chart}`, () => {
        members.forEach((a, i) => members.slice(i + 1).forEach((b) => {
          const [one, other] = [a, b].map((name) => lab(palette[name], matrix));
          const distance = Math.hypot(...one.map((value, axis) => value - other[axis]));
          assert.ok(distance >= 15, `${a} ${palette[a]} and ${b} ${palette[b]} differ by ${distance.toFixed(1)}`);
        }));
      });
    }
  }
}
