// What a figure offers to take along: its charts as one SVG, its table as CSV.
import { drawWithin } from "./drawing";
import { marks } from "./look";

const svgName = "http://www.w3.org/2000/svg";
const margin = 20;
const gap = 24;
const titleHeight = 26;

function node(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(svgName, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  made.textContent = text;
  return made;
}

const textOf = (element: Element | null): string => (element?.textContent ?? "").trim();
const colorOf = (variable: string): string => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

function label(text: string, x: number, y: number, weight = 400, size = 12): SVGElement {
  return node("text", { x, y, "font-size": size, "font-weight": weight, "font-family": getComputedStyle(document.body).fontFamily, fill: colorOf("--ink") }, text);
}

// In a square of 12 units.
function swatch(element: Element, x: number, y: number): SVGElement {
  const look = getComputedStyle(element);
  const mark = marks[[...element.classList].find((each) => each in marks) ?? ""];
  const [width, height] = !mark ? [12, 12] : typeof mark.size === "number" ? [mark.size, mark.size] : mark.size;
  const [left, top, right, bottom] = [x + 6 - width / 2, y + 6 - height / 2, x + 6 + width / 2, y + 6 + height / 2];
  const outlines: Record<string, string> = { triangle: `${x + 6},${top} ${right},${bottom} ${left},${bottom}`, diamond: `${x + 6},${top} ${right},${y + 6} ${x + 6},${bottom} ${left},${y + 6}` };
  const hollow = look.backgroundColor === "rgba(0, 0, 0, 0)";  // a machine's dashes, or what was published
  const paint = { fill: hollow ? "none" : look.backgroundColor, stroke: hollow ? look.borderTopColor : "none", "stroke-width": 2 };
  return mark?.symbol === "circle" ? node("circle", { cx: x + 6, cy: y + 6, r: width / 2, ...paint })
    : mark && mark.symbol in outlines ? node("polygon", { points: outlines[mark.symbol], ...paint }) : node("rect", { x: left, y: top, width, height, ...paint });
}

// The legend's entries in lines that are no wider than the picture; returns where it ends.
function legend(into: SVGElement, figure: Element, width: number, top: number): number {
  let [x, y] = [margin, top];
  for (const entry of figure.querySelectorAll(".legend li")) {
    const taken = 30 + textOf(entry).length * 7;
    if (x > margin && x + taken > width - margin) {
      [x, y] = [margin, y + 20];
    }
    into.append(swatch(entry.querySelector(".swatch")!, x, y - 10), label(textOf(entry), x + 18, y));
    x += taken;
  }
  return y + 14;
}

export function figureSvg(figure: Element): string {
  const panels = [...figure.querySelectorAll<HTMLElement>(".chart")].map((chart) => ({
    chart: chart.querySelector("svg")!, title: textOf(chart.parentElement!.querySelector("h3, h4")), width: chart.clientWidth, height: chart.clientHeight,
  }));
  const width = Math.max(480, ...panels.map((panel) => panel.width)) + 2 * margin;
  const whole = node("svg", { xmlns: svgName, role: "img" });
  whole.append(node("rect", { width: "100%", height: "100%", fill: colorOf("--card") }), label(textOf(figure.querySelector("figcaption b")), margin, 28, 650, 15));
  let y = legend(whole, figure, width, 52);
  for (const panel of panels) {
    if (panel.title) {
      whole.append(label(panel.title, margin, y + 16, 600, 13));
      y += titleHeight;
    }
    const copy = panel.chart.cloneNode(true) as SVGElement;
    Object.entries({ x: margin, y, width: panel.width, height: panel.height, viewBox: `0 0 ${panel.width} ${panel.height}` }).forEach(([key, value]) => copy.setAttribute(key, String(value)));
    copy.removeAttribute("style");
    whole.append(copy);
    y += panel.height + gap;
  }
  Object.entries({ width, height: y, viewBox: `0 0 ${width} ${y}`, "aria-label": textOf(figure.querySelector("figcaption")) }).forEach(([key, value]) => whole.setAttribute(key, String(value)));
  return new XMLSerializer().serializeToString(whole);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Of many cells the numbers are kept as markup until somebody wants them.
export function unfold(figure: Element): void {
  const kept = figure.querySelector("details.numbers > noscript");
  if (kept) {
    kept.outerHTML = kept.textContent!;
  }
}

// RFC 4180; numbers in full where the table keeps them.
export function figureCsv(figure: Element): string {
  unfold(figure);
  const rows = [...figure.querySelectorAll("table tr")].map((row) => [...row.children].map((cell) => quoted((cell as HTMLElement).dataset.value ?? textOf(cell))).join(","));
  return rows.map((row) => `${row}\r\n`).join("");
}

function save(name: string, type: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function offerDownloads(figure: Element): void {
  const name = figure.querySelector(".chart")!.id.replace(/^(throughput-.*)-\d+$/, "$1");
  const offers = document.createElement("p");
  offers.className = "downloads";
  const offer = (what: string, action: () => void): void => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = what;
    button.setAttribute("aria-label", `Download ${textOf(figure.querySelector("figcaption b"))} as ${what}`);
    button.addEventListener("click", action);
    offers.append(button);
  };
  offer("SVG", () => { drawWithin(figure); save(`${name}.svg`, "image/svg+xml", figureSvg(figure)); });
  offer("CSV", () => save(`${name}.csv`, "text/csv;charset=utf-8", figureCsv(figure)));
  figure.append(offers);
}
