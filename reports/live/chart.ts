// Two small charts as SVG elements: lines over time, dots on a logarithmic scale. Colours are the style sheet's classes.
import { tick } from "../template/look";

const svgName = "http://www.w3.org/2000/svg";
const edge = { left: 52, right: 12, top: 10, bottom: 26 };
const height = 220;

type Attributes = Record<string, string | number>;

function element(name: string, attributes: Attributes, text = ""): SVGElement {
  const made = document.createElementNS(svgName, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  made.textContent = text;
  return made;
}

export function svg(width: number, label: string): SVGElement {
  return element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
}

interface Axis { value: (at: number) => number; ticks: number[] }

// Whole steps of 1, 2 or 5 up to `most`.
function linear(most: number): Axis {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const top = Math.ceil(most / step) * step;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  return { value: (at) => height - edge.bottom - (at / top) * (height - edge.top - edge.bottom), ticks };
}

// Whole powers of ten around all values.
function logarithmic(least: number, most: number): Axis {
  const low = Math.floor(Math.log10(least));
  const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return { value: (at) => height - edge.bottom - ((Math.log10(at) - low) / (high - low)) * (height - edge.top - edge.bottom), ticks };
}

function grid(into: SVGElement, width: number, axis: Axis, left: string, right: string): void {
  for (const at of axis.ticks) {
    const y = axis.value(at);
    into.append(element("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: y, y2: y }),
      element("text", { class: "tick", x: edge.left - 8, y: y + 4, "text-anchor": "end" }, tick(at)));
  }
  into.append(element("text", { class: "tick", x: edge.left, y: height - 6 }, left),
    element("text", { class: "tick", x: width - edge.right, y: height - 6, "text-anchor": "end" }, right));
}

export interface Line { name: string; color: number; points: [number, number][] }

export function lineChart(width: number, lines: Line[], seconds: number): SVGElement {
  const made = svg(width, `Host CPUs in use: ${lines.map((line) => `${line.name} ${line.points.at(-1)?.[1].toFixed(2)}`).join(", ")}.`);
  const axis = linear(Math.max(0.1, ...lines.flatMap((line) => line.points.map((point) => point[1]))));
  const now = Math.max(...lines.map((line) => line.points.at(-1)?.[0] ?? 0));
  const x = (at: number): number => width - edge.right - ((now - at) / seconds) * (width - edge.left - edge.right);
  grid(made, width, axis, seconds < 120 ? `${Math.round(seconds)} s ago` : `${Math.round(seconds / 60)} minutes ago`, "now");
  for (const line of lines) {
    const path = line.points.filter(([at]) => now - at <= seconds).map(([at, cpus]) => `${x(at).toFixed(1)},${axis.value(cpus).toFixed(1)}`).join(" ");
    const drawn = element("polyline", { class: `line n${line.color} d${line.color}`, points: path });
    drawn.append(element("title", {}, line.name));
    made.append(drawn);
  }
  return made;
}

export interface Dot { at: number; value: number | null; flagged: boolean; title: string }  // value: null where it failed

export function dotChart(width: number, dots: Dot[], trials: number): SVGElement {
  const values = dots.flatMap((dot) => (dot.value ? [dot.value] : []));
  const made = svg(width, `Throughput of ${dots.length} measurements so far${values.length ? `, from ${tick(Math.min(...values))} to ${tick(Math.max(...values))} pages a second` : ""}.`);
  const axis = logarithmic(Math.min(...values, 1e9), Math.max(...values, 1));
  const x = (at: number): number => edge.left + ((at - 0.5) / Math.max(1, trials)) * (width - edge.left - edge.right);
  grid(made, width, axis, "first trial", `trial ${trials}`);
  for (const dot of dots) {
    const place = x(dot.at);
    const mark = dot.value
      ? element("circle", { class: dot.flagged ? "dot flagged" : "dot", cx: place, cy: axis.value(dot.value), r: 3.2 })
      : element("path", { class: "cross", d: `M${place - 4} ${height - edge.bottom - 10}l8 8m-8 0l8 -8` });
    mark.append(element("title", {}, dot.title));
    made.append(mark);
  }
  return made;
}
