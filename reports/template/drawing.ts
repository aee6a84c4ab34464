// The charts on the page: drawn when they come into view, again when the window, the colour scheme or the medium changes.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

export type Option = (width: number) => object;
export type Height = (width: number) => number;
export interface Chart { element: HTMLElement; option: Option; height?: Height; clicked?: (info: unknown) => void; drawn?: echarts.ECharts; width: number }

const all = new Map<Element, Chart>();

function draw(chart: Chart): void {
  chart.width = chart.element.clientWidth;
  if (chart.height) {
    chart.element.style.height = `${chart.height(chart.width)}px`;
  }
  if (!chart.drawn) {
    chart.drawn = echarts.init(chart.element, null, { renderer: "svg", width: 300, height: 200 });
    chart.drawn.on("click", (event) => (event as { info?: unknown }).info && chart.clicked?.((event as { info?: unknown }).info));
  }
  chart.drawn.resize({ width: chart.width, height: chart.element.clientHeight });
  chart.drawn.setOption(chart.option(chart.width) as echarts.EChartsCoreOption, true);
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((each) => each.isIntersecting)) {
    near.unobserve(entry.target);
    draw(all.get(entry.target)!);
  }
}, { rootMargin: "800px 0px" });
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const chart = all.get(target);
    if (chart?.drawn && Math.abs(target.clientWidth - chart.width) > 1) {
      draw(chart);
    }
  }
});

export function add(charts: Chart[]): void {
  for (const chart of charts) {
    all.set(chart.element, chart);
    near.observe(chart.element);
    resized.observe(chart.element);
  }
}

export function removeWithin(place: Element): void {
  for (const [element, chart] of [...all].filter(([each]) => place.contains(each))) {
    near.unobserve(element);
    resized.unobserve(element);
    chart.drawn?.dispose();
    all.delete(element);
  }
}

export const drawWithin = (place: Element): void => [...all.values()].filter((chart) => !chart.drawn && place.contains(chart.element)).forEach(draw);

const redraw = (): void => [...all.values()].filter((chart) => chart.drawn).forEach(draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("print").addEventListener("change", redraw);
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  all.forEach(draw);
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  redraw();
});
