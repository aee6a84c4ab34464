// Draws the report's charts, again when the window, the colour scheme or the medium changes. The page reads without this.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { cpuHeight, cpuOption } from "./cpu";
import { read } from "./data";
import { gainOption } from "./gain";
import { throughputOption } from "./throughput";

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

type Option = (width: number) => object;
type Height = (width: number) => number;
interface Drawn { element: HTMLElement; chart: echarts.ECharts; option: Option; height?: Height; width: number }

function place(id: string, option: Option, height?: Height): Drawn[] {
  const element = document.getElementById(id);
  return element ? [{ element, chart: echarts.init(element, null, { renderer: "svg", width: 300, height: 200 }), option, height, width: 0 }] : [];
}

function draw(drawn: Drawn): void {
  drawn.width = drawn.element.clientWidth;
  if (drawn.height) {
    drawn.element.style.height = `${drawn.height(drawn.width)}px`;
  }
  drawn.chart.resize({ width: drawn.width, height: drawn.element.clientHeight });
  drawn.chart.setOption(drawn.option(drawn.width) as echarts.EChartsCoreOption, true);
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
const all: Drawn[] = [
  ...data.throughput.flatMap((chart) => place(chart.id, () => throughputOption(chart))),
  ...data.cpu.flatMap((chart) => place(chart.id, (width) => cpuOption(chart, width), (width) => cpuHeight(chart, width))),
  ...data.gain.flatMap((chart) => place(chart.id, () => gainOption(chart))),
];
all.forEach(draw);
followContents();

const resized = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const drawn = all.find((each) => each.element === entry.target);
    if (drawn && Math.abs(drawn.element.clientWidth - drawn.width) > 1) {
      draw(drawn);
    }
  }
});
all.forEach((drawn) => resized.observe(drawn.element));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all.forEach(draw));
matchMedia("print").addEventListener("change", () => all.forEach(draw));
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  all.forEach(draw);
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  all.forEach(draw);
});
