// One trial over time: its figure is made when a reader chooses the trial.
import type { Trials, TrialSeries, Use } from "./data";
import { offerDownloads } from "./downloads";
import { add, removeWithin } from "./drawing";
import { change, css, escape, marks, number, text, tick, tooltip, valueAxis } from "./look";

const seconds = (tenths: number): number => tenths / 1e4;
const middle = ([start, length]: readonly (number | null)[]): number => seconds(start! + length! / 2);
const rate = ([, length, , pages]: readonly number[]): number => (length > 0 ? pages / seconds(length) : 0);
const sideName = (trial: TrialSeries, side: number): string => (trial.sides.length > 1 ? "AB"[side] : "");
const nearZero = 10;  // thousandths of a host CPU

interface Shown { trial: TrialSeries; nodes: { name: string; color: number; at: number }[]; idle: string[] }

function shown(trials: Trials, trial: TrialSeries): Shown {
  const nodes = trials.nodes.map((node, at) => ({ ...node, at, most: Math.max(-1, ...trial.cpu.map((use) => use[2 + at] ?? -1)) })).filter((node) => node.most >= 0);
  return { trial, nodes: nodes.filter((node) => node.most >= nearZero), idle: nodes.filter((node) => node.most < nearZero).map((node) => node.name) };
}

const timeAxis = (trial: TrialSeries) => ({
  ...valueAxis("", (value) => tick(value)), name: "seconds since the trial began", nameLocation: "middle" as const, nameGap: 24, nameTextStyle: text(11), min: 0,
  max: Math.ceil(Math.max(...[...trial.rates, ...trial.cpu].map((each) => seconds(each[0]! + each[1]!))) * 10) / 10, splitLine: { show: false },
});

const frame = (trial: TrialSeries) => ({ animation: false, grid: { left: 6, right: 14, top: 34, bottom: 26, containLabel: true }, xAxis: timeAxis(trial) });

const fromZero = (name: string) => ({ ...valueAxis(name, tick), min: 0, boundaryGap: [0, "6%"] });

// A slice is a line as long as it took, with its side's mark in the middle.
function ratesOption({ trial }: Shown) {
  return {
    ...frame(trial), tooltip: tooltip(),
    yAxis: fromZero("pages/s"),
    series: trial.sides.flatMap((_cell, side) => {
      const slices = trial.rates.filter((each) => each[2] === side);
      const color = css(`s${side}`);
      return [
        { type: "line" as const, symbol: "none", silent: true, lineStyle: { color, width: 3 },
          data: slices.flatMap((each) => [[seconds(each[0]), rate(each)], [seconds(each[0] + each[1]), rate(each)], [seconds(each[0] + each[1]), null]]) },
        { type: "scatter" as const, symbol: marks[`s${side}`].symbol, symbolSize: marks[`s${side}`].size, z: 4, itemStyle: { color, borderColor: css("card"), borderWidth: 1, opacity: 1 },
          data: slices.map((each) => [middle(each), rate(each)]),
          tooltip: { formatter: (item: { value: number[] }) => `${sideName(trial, side)} at ${item.value[0].toFixed(2)} s: <b>${number(item.value[1])}</b> pages/s` } },
      ];
    }),
  };
}

// Of slices in turn a point each; of stretches that follow each other a line as long as they took.
function cpuOption({ trial, nodes }: Shown) {
  const rows = [...trial.cpu].sort((a, b) => a[0] - b[0]);
  const instants = (use: Use): number[] => (trial.sides.length > 1 ? [middle(use)] : [seconds(use[0]), seconds(use[0] + use[1])]);
  return {
    ...frame(trial),
    tooltip: { ...tooltip(), trigger: "axis" as const, formatter: (items: { seriesName: string; value: number[] }[]) =>
      `at ${items[0].value[0].toFixed(2)} s<br>${items.map((item) => `${escape(item.seriesName)} <b>${item.value[1]?.toFixed(3) ?? "–"}</b>`).join("<br>")}` },
    yAxis: fromZero("host CPUs"),
    series: nodes.map((node) => ({
      type: "line" as const, name: node.name, symbolSize: 5, symbol: "circle", lineStyle: { color: css(`n${node.color}`), width: 1.8 }, itemStyle: { color: css(`n${node.color}`) },
      data: rows.flatMap((use) => { const value = use[2 + node.at] ?? null; return instants(use).map((at) => [at, value === null ? null : value / 1000]); }),
    })),
  };
}

const listOf = (items: string[]): string => (items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}` : items[0] ?? "");

function caption({ trial, idle }: Shown): string {
  const cell = (side: number): string => `<code>${escape(trial.sides[side])}</code>`;
  const what = trial.kind === "aa" ? `an A/A pair: ${cell(0)} on both sides, in turn` : trial.sides.length > 1 ? `A is ${cell(0)}, B is ${cell(1)}, loaded in turn` : cell(0);
  const ratio = trial.ratio === null ? "" : ` B against A: ${change(trial.ratio)}.`;
  const measure = trial.rates.length === 0 ? "Nothing was measured." : trial.rates.length > trial.sides.length ? "A line is a slice, as long as it took." : "The measurement is one stretch.";
  const left = idle.length > 0 ? ` Left out, near zero: ${escape(listOf(idle))}.` : "";
  return `<b>Trial ${trial.trial}</b> over time: ${what}.${ratio} ${measure}${left}`;
}

function remarks(trial: TrialSeries): string {
  const flags = trial.flags.map((flag) => `<a class="flag" href="#flags">⚑\u00a0${escape(flag)}</a>`).join(" ");
  const notes = [...(trial.failed ? [`It failed: ${trial.failed}`] : []), ...trial.notes].map((note) => `<li>${escape(note)}</li>`).join("");
  return flags || notes ? `<div class="remarks"><h3>Flags and notes</h3>${flags ? `<p>${flags}</p>` : ""}${notes ? `<ul class="plain">${notes}</ul>` : ""}</div>` : "";
}

function numbers({ trial, nodes }: Shown): string {
  const cell = (value: number | null | undefined, as: (value: number) => string): string =>
    value === null || value === undefined ? "<td>–</td>" : `<td class="number" data-value="${value}">${as(value)}</td>`;
  const columns = ["Start, s", "Length, s", "Side", "Pages", "Pages/s", ...nodes.map((node) => `${escape(node.name)}, host CPUs`)];
  const uses = new Map(trial.cpu.map((use) => [`${use[0]} ${use[1]}`, use]));
  const row = (span: readonly (number | null)[], side: string, pages: number | null, use?: readonly (number | null)[]): string =>
    `<tr><th scope="row" class="number" data-value="${seconds(span[0]!)}">${seconds(span[0]!).toFixed(3)}</th>${cell(seconds(span[1]!), (value) => value.toFixed(3))}<td>${side || "–"}</td>${cell(pages, String)}${
      cell(pages === null ? null : pages / seconds(span[1]!), number)}${nodes.map((node) => cell(use && use[2 + node.at] !== null ? use[2 + node.at]! / 1000 : null, (value) => value.toFixed(3))).join("")}</tr>`;
  const slices = [...trial.rates].sort((a, b) => a[0] - b[0]).map((each) => row(each, sideName(trial, each[2]), each[3], uses.get(`${each[0]} ${each[1]}`)));
  const sliced = new Set(trial.rates.map((each) => `${each[0]} ${each[1]}`));
  const samples = trial.cpu.filter((use) => !sliced.has(`${use[0]} ${use[1]}`)).map((use) => row(use, "", null, use));
  const title = `Trial ${trial.trial} over time`;
  return `<details class="numbers"><summary>The numbers</summary><div class="table-scroll" tabindex="0" role="region" aria-label="${title}"><table class="trial"><caption>${title}</caption><thead><tr>${
    columns.map((name, i) => `<th scope="col"${i === 2 ? "" : ' class="number"'}>${name}</th>`).join("")}</tr></thead><tbody>${[...slices, ...samples].join("")}</tbody></table></div></details>`;
}

function alternatives({ trial, nodes }: Shown): [rates: string, cpu: string] {
  const range = (values: number[], as: (value: number) => string): string => (values.length > 0 ? `${as(Math.min(...values))} to ${as(Math.max(...values))}` : "nothing");
  const sides = trial.sides.map((_cell, side) => `${sideName(trial, side) || "the trial"} ${range(trial.rates.filter((each) => each[2] === side).map(rate), number)}`);
  const used = nodes.map((node) => `${node.name} ${range(trial.cpu.flatMap((use) => (use[2 + node.at] === null ? [] : [use[2 + node.at]! / 1000])), (value) => value.toFixed(2))}`);
  return [`Pages a second over the time of trial ${trial.trial}: ${sides.join("; ")}.`, `Host CPUs in use over the time of trial ${trial.trial}: ${used.join("; ")}.`];
}

function figureOf(which: Shown): string {
  const { trial, nodes } = which;
  const [rates, cpu] = alternatives(which).map(escape);
  const sides = trial.sides.length > 1 ? trial.sides.map((cell, side) => `<li><span class="swatch s${side}"></span>${"AB"[side]}: ${escape(cell)}</li>`) : [];
  const legend = [...sides, ...nodes.map((node) => `<li><span class="swatch n${node.color}"></span>${escape(node.name)}</li>`)];
  if (trial.rates.length === 0) {
    return `<figure><figcaption>${caption(which)}</figcaption>${remarks(trial)}</figure>`;
  }
  return `<figure><figcaption>${caption(which)}</figcaption><ul class="legend" aria-hidden="true">${legend.join("")}</ul>
    <div class="panel"><h3>Pages a second</h3><div class="chart over-time" id="trial-${trial.trial}" role="img" aria-label="${rates}"></div></div>
    <div class="panel"><h3>CPU of the nodes</h3><div class="chart over-time" id="trial-${trial.trial}-cpu" role="img" aria-label="${cpu}"></div></div>
    ${remarks(trial)}${numbers(which)}</figure>`;
}

// Fills the section of one trial; what is returned shows the trial of a dot that was clicked.
export function offerTrials(trials: Trials): (info: unknown) => void {
  const section = document.getElementById("trials");
  if (!section) {
    return () => {};
  }
  const [choice, absent, place] = ["trial-choice", "trial-absent", "trial-shown"].map((id) => document.getElementById(id)!) as [HTMLSelectElement, HTMLElement, HTMLElement];
  const known = new Map(trials.trials.map((trial) => [trial.trial, trial]));
  choice.replaceChildren(new Option("choose one", ""), ...trials.trials.map((trial) =>
    new Option(`${trial.flags.length || trial.failed ? "⚑ " : ""}${trial.trial}: ${trial.kind === "aa" ? `${trial.sides[0]}, A/A` : trial.sides.join(" ↔ ")}`, String(trial.trial))));
  section.querySelector<HTMLElement>(".picker")!.hidden = false;

  const show = (number: number): void => {
    const trial = known.get(number);
    removeWithin(place);
    choice.value = trial ? String(number) : "";
    absent.hidden = Boolean(trial);
    place.hidden = !trial;
    absent.replaceChildren(`The slices of trial ${number} are not in this page, which would become too large. `, Object.assign(document.createElement("code"), { textContent: `lab report ${absent.dataset.run} --trial ${number}` }), " writes it with them.");
    place.innerHTML = "";
    if (trial) {
      const which = shown(trials, trial);
      place.innerHTML = figureOf(which);
      const options = [ratesOption, cpuOption];
      place.querySelectorAll("figure:has(.chart)").forEach(offerDownloads);
      add([...place.querySelectorAll<HTMLElement>(".chart")].map((element, i) => ({ element, option: () => options[i](which), width: 0 })));
    }
  };
  const asked = (): number => Number(/^#trial-(\d+)$/.exec(location.hash)?.[1] ?? 0);
  const goTo = (number: number): void => {
    show(number);
    history.replaceState(null, "", `#trial-${number}`);
  };
  const step = (by: number): void => {
    const at = trials.trials.findIndex((trial) => String(trial.trial) === choice.value);
    goTo(trials.trials[at < 0 ? 0 : (at + by + trials.trials.length) % trials.trials.length].trial);
  };
  // By a link or a dot, so that "back" leads to where the reader came from.
  const follow = (): void => {
    if (asked() > 0) {
      show(asked());
      section.scrollIntoView();
      place.focus({ preventScroll: true });
    }
  };
  choice.addEventListener("change", () => choice.value && goTo(Number(choice.value)));
  document.getElementById("trial-before")!.addEventListener("click", () => step(-1));
  document.getElementById("trial-next")!.addEventListener("click", () => step(1));
  addEventListener("hashchange", follow);
  follow();
  return (info) => { location.hash = `#trial-${(info as { trial: number }).trial}`; };
}
