// Grouped bars with whiskers, a dot for each trial and the median above: throughput and gain share it.
import type { CustomSeriesOption, BarSeriesOption } from "echarts/charts";
import { css } from "./look";

export interface Bar { value: number; low: number; high: number; several: boolean; flagged: boolean; label: string; dots: { value: number; flagged: boolean; trial: number }[]; tip: string }
export interface Group { label: string; color: string; bars: (Bar | null)[] }  // a bar for each category

const layout = { barGap: "14%", barCategoryGap: "26%", barMaxWidth: 64 };

type Shape = Record<string, unknown>;

const line = (x1: number, y1: number, x2: number, y2: number, width = 1.4): Shape =>
  ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: css("ink"), lineWidth: width }, silent: true });

function marks(bar: Bar, x: number, width: number, y: (value: number) => number): Shape {
  const shapes: Shape[] = [];
  const label = (bar.flagged ? "⚑ " : "") + bar.label;
  const size = Math.max(8, Math.min(11.5, (width * 1.14) / (label.length * 0.7)));  // neighbours' labels must not touch
  const cap = Math.min(7, width * 0.2);
  if (bar.several) {
    shapes.push(line(x, y(bar.low), x, y(bar.high)), line(x - cap, y(bar.low), x + cap, y(bar.low)), line(x - cap, y(bar.high), x + cap, y(bar.high)));
  }
  bar.dots.forEach((dot, i) => {
    const shift = bar.dots.length > 1 ? (i / (bar.dots.length - 1) - 0.5) * width * 0.62 : 0;
    shapes.push({ type: "circle", shape: { cx: x + shift, cy: y(dot.value), r: Math.min(2.6, Math.max(1.4, width / 12)) }, silent: true,
      style: { fill: dot.flagged ? css("card") : css("ink"), stroke: dot.flagged ? css("flag") : css("card"), lineWidth: dot.flagged ? 1.6 : 0.8, opacity: 0.92 } },
    // What a finger or a mouse hits is larger than what is seen.
    { type: "circle", shape: { cx: x + shift, cy: y(dot.value), r: 6 }, cursor: "pointer", info: { trial: dot.trial }, style: { fill: "transparent" } });
  });
  const top = Math.min(...[bar.value, bar.several ? bar.high : bar.value, ...bar.dots.map((dot) => dot.value)].map(y));
  shapes.push({ type: "text", silent: true, style: { text: label, x, y: top - 7, textAlign: "center", textVerticalAlign: "bottom",
    fill: bar.flagged ? css("flag") : css("ink"), font: `600 ${size}px ${getComputedStyle(document.body).fontFamily}` } });
  return { type: "group", children: shapes };
}

export function intervalBars(groups: Group[]): (BarSeriesOption | CustomSeriesOption)[] {
  const bars: BarSeriesOption[] = groups.map((group) => ({
    type: "bar", name: group.label, ...layout, itemStyle: { color: group.color, borderRadius: [2, 2, 0, 0] }, emphasis: { disabled: true },
    data: group.bars.map((bar) => (bar ? { value: bar.value, tooltip: { formatter: () => bar.tip } } : null)),
  } as BarSeriesOption));
  const overlay: CustomSeriesOption[] = groups.map((group, index) => ({
    type: "custom", name: group.label, z: 5, tooltip: { show: false },
    // The second and third value are what the axis has to reach.
    encode: { x: 0, y: [1, 2] },
    data: group.bars.map((bar, category) => {
      const values = bar ? [bar.value, bar.low, bar.high, ...bar.dots.map((dot) => dot.value)] : [];
      return [category, bar ? Math.max(...values) * 1.06 : null, bar ? Math.min(0, ...values) : null];
    }),
    renderItem: (_params: unknown, api: any) => {
      const category = api.value(0) as number;
      const bar = group.bars[category];
      if (!bar) {
        return;
      }
      const place = api.barLayout({ ...layout, count: groups.length })[index];
      const x = api.coord([category, 0])[0] + place.offsetCenter;
      return marks(bar, x, place.width, (value) => api.coord([category, value])[1]);
    },
  } as unknown as CustomSeriesOption));
  return [...bars, ...overlay];
}
