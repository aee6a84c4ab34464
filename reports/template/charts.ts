// What the page does beyond being read: charts, downloads, the contents that follow, one trial over time. It reads without this.
import { cpuHeight, cpuOption } from "./cpu";
import { read } from "./data";
import { offerDownloads, unfold } from "./downloads";
import { add, type Chart, type Height, type Option } from "./drawing";
import { gainOption } from "./gain";
import { percentilesHeight, percentilesOption } from "./percentiles";
import { throughputOption } from "./throughput";
import { offerTrials } from "./trial";

function place(id: string, option: Option, more: { height?: Height; clicked?: Chart["clicked"] } = {}): Chart[] {
  const element = document.getElementById(id);
  return element ? [{ element, option, width: 0, ...more }] : [];
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
document.querySelectorAll("figure:has(.chart)").forEach((figure) => {
  offerDownloads(figure);
  figure.querySelector("details.numbers")!.addEventListener("toggle", () => unfold(figure), { once: true });
});
const clicked = offerTrials(data.trials);
const all: Chart[] = [
  ...data.throughput.flatMap((chart) => place(chart.id, () => throughputOption(chart), { clicked })),
  ...data.cpu.flatMap((chart) => place(chart.id, (width) => cpuOption(chart, width), { height: (width) => cpuHeight(chart, width) })),
  ...data.gain.flatMap((chart) => place(chart.id, () => gainOption(chart))),
  ...data.percentiles.flatMap((chart) => place(chart.id, (width) => percentilesOption(chart, width), { height: (width) => percentilesHeight(chart, width) })),
];
// Their places are kept from the beginning, so that nothing moves when they are drawn. Those with a height of their own are all as wide as
// the first: asking each would lay out the whole page.
const tall = all.filter((chart) => chart.height);
const width = tall[0]?.element.clientWidth ?? 0;
tall.forEach((chart) => { chart.element.style.height = `${chart.height!(width)}px`; });
followContents();
add(all);
