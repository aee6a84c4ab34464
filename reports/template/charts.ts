// Draws the report's charts when they come into view, again when the window, the colour scheme or the medium changes. The page reads
// without this.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { cpuHeight, cpuOption } from "./cpu";
import { read } from "./data";
import { offerDownloads } from "./downloads";
import { gainOption } from "./gain";
import { throughputOption } from "./throughput";

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

type Option = (width: number) => object;
type Height = (width: number) => number;
interface Chart { element: HTMLElement; option: Option; height?: Height; drawn?: echarts.ECharts; width: number }

function place(id: string, option: Option, height?: Height): Chart[] {
  const element = document.getElementById(id);
  return element ? [{ element, option, height, width: 0 }] : [];
}

function draw(chart: Chart): void {
  chart.width = chart.element.clientWidth;
  if (chart.height) {
    chart.element.style.height = `${chart.height(chart.width)}px`;
  }
  chart.drawn ??= echarts.init(chart.element, null, { renderer: "svg", width: 300, height: 200 });
  chart.drawn.resize({ width: chart.width, height: chart.element.clientHeight });
  chart.drawn.setOption(chart.option(chart.width) as echarts.EChartsCoreOption, true);
}

function followContents(): void {
  const links = new Map([...document.querySelectorAll<HTMLAnchorElement>(".contents a")].map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      links.forEach((link, id) => (id === entry.target.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((section) => seen.observe(section));
}

const data = read();
const all: Chart[] = [
  ...data.throughput.flatMap((chart) => place(chart.id, () => throughputOption(chart))),
  ...data.cpu.flatMap((chart) => place(chart.id, (width) => cpuOption(chart, width), (width) => cpuHeight(chart, width))),
  ...data.gain.flatMap((chart) => place(chart.id, () => gainOption(chart))),
];
// Their places are kept from the beginning, so that nothing moves when they are drawn. Those with a height of their own are all as wide as
// the first: asking each would lay out the whole page.
const tall = all.filter((chart) => chart.height);
const width = tall[0]?.element.clientWidth ?? 0;
tall.forEach((chart) => { chart.element.style.height = `${chart.height!(width)}px`; });
const byElement = new Map<Element, Chart>(all.map((chart) => [chart.element, chart]));
const redraw = (): void => all.filter((chart) => chart.drawn).forEach(draw);
followContents();
offerDownloads((figure) => all.filter((chart) => !chart.drawn && figure.contains(chart.element)).forEach(draw));

const near = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((each) => each.isIntersecting)) {
    near.unobserve(entry.target);
    draw(byElement.get(entry.target)!);
  }
}, { rootMargin: "800px 0px" });
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const chart = byElement.get(target)!;
    if (chart.drawn && Math.abs(target.clientWidth - chart.width) > 1) {
      draw(chart);
    }
  }
});
all.forEach((chart) => {
  near.observe(chart.element);
  resized.observe(chart.element);
});
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
