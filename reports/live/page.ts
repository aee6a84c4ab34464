// Puts a state into the page. All texts go in as texts: nothing that a run says is read as markup.
import { number } from "../template/look";
import { dotChart, lineChart } from "./chart";
import { cellsSoFar, median, type State } from "./state";

const [leastShown, mostShown] = [30, 300];  // seconds
const colors = 8;

const byId = (id: string): HTMLElement => document.getElementById(id)!;

function put(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

const time = (us: number): string => (us <= 0 ? "–" : us < 1000 ? `${number(us)} µs` : us < 1e6 ? `${number(us / 1e3)} ms` : `${number(us / 1e6)} s`);
const percent = (share: number | undefined): string => (share === undefined ? "–" : `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}%`);

function row(cells: string[], numeric: (column: number) => boolean): HTMLTableRowElement {
  const made = document.createElement("tr");
  cells.forEach((text, column) => {
    const cell = document.createElement(column === 0 ? "th" : "td");
    if (column === 0) {
      cell.setAttribute("scope", "row");
    }
    cell.className = numeric(column) ? "number" : "";
    cell.textContent = text;
    made.append(cell);
  });
  return made;
}

function fill(table: string, rows: HTMLTableRowElement[]): void {
  byId(table).querySelector("tbody")!.replaceChildren(...rows);
}

export function showProgress(state: State, sinceStart: number): void {
  const last = state.finished.at(-1);
  const done = last?.number ?? (state.current ? state.current.number - 1 : 0);
  const bar = byId("bar") as HTMLProgressElement;
  bar.max = Math.max(1, state.trials);
  bar.value = done;
  put("title", `${state.playbook}, ${state.profile} profile`);
  put("meta", `lab ${state.lab}, ${state.cells.length} cells, ${state.trials} trials`);
  put("done", `${done} of ${state.trials}`);
  put("left", state.current ? duration(state.current.left_s - sinceStart) : "–");
  const sides = last && !last.failed ? last.sides : [];
  put("rate", sides.map((side) => number(side.pages_per_s)).join(" · ") || "–");
  put("p99", sides.map((side) => time(side.service_us_p99)).join(" · ") || "–");
  put("current", state.current ? state.current.cells.join(" against ") : "Nothing is measured at the moment.");
  document.title = state.trials ? `${Math.floor((100 * done) / state.trials)}% ${state.playbook}` : "lab run";
}

export function showCpu(state: State): void {
  const last = state.finished.at(-1);
  const shares = Object.assign({}, ...(last?.sides ?? []).map((side) => side.cpu)) as Record<string, number>;
  const nodes = [...new Set([...state.nodes, ...Object.keys(state.samples), ...Object.keys(shares)])];
  const byName = [...nodes].sort();  // a node's colour is that of the report
  const lines = nodes.map((name) => ({ name, color: byName.indexOf(name) % colors, points: state.samples[name] ?? [] }));
  fill("cpu-table", lines.map((line) => {
    const made = row([line.name, line.points.at(-1)?.[1].toFixed(2) ?? "–", percent(shares[line.name])], (column) => column > 0);
    const swatch = document.createElement("span");
    swatch.className = `swatch n${line.color} d${line.color}`;
    made.cells[0].prepend(swatch);
    return made;
  }));
  const drawn = lines.filter((line) => line.points.length > 1);
  const figure = byId("cpu-figure");
  figure.hidden = drawn.length === 0;
  if (drawn.length > 0) {
    const since = Math.min(...drawn.map((line) => line.points[0][0]));
    const until = Math.max(...drawn.map((line) => line.points.at(-1)![0]));
    byId("cpu-chart").replaceChildren(lineChart(byId("cpu-chart").clientWidth, drawn, Math.min(mostShown, Math.max(leastShown, until - since))));
  }
}

export function showThroughput(state: State): void {
  const dots = state.finished.flatMap((trial) => trial.failed
    ? [{ at: trial.number, value: null, flagged: false, title: `trial ${trial.number} failed: ${trial.failed}` }]
    : trial.sides.map((side) => ({ at: trial.number, value: side.pages_per_s > 0 ? side.pages_per_s : null, flagged: trial.flags.length > 0,
      title: `${side.cell}: ${number(side.pages_per_s)} pages/s${trial.flags.length ? `, ${trial.flags.join(", ")}` : ""}` })));
  byId("throughput-chart").replaceChildren(dotChart(byId("throughput-chart").clientWidth, dots, state.trials));
  fill("cells", cellsSoFar(state).map((cell) => row([cell.cell, String(cell.rates.length), number(median(cell.rates)),
    cell.rates.length > 1 ? `${number(Math.min(...cell.rates))}–${number(Math.max(...cell.rates))}` : "–", time(cell.p99), cell.flags.join(", ")],
  (column) => column > 0 && column < 5)));
}

// Stays at its end, unless somebody has scrolled up to read.
export function showLog(state: State): void {
  const log = byId("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
  const kept = new Set<Node>();
  const lines = state.log.map((text, i) => {
    const old = log.children[i];
    if (old?.textContent === text) {
      kept.add(old);
      return old;
    }
    const made = document.createElement("p");
    made.textContent = text;
    return made;
  });
  log.replaceChildren(...lines);
  if (atEnd) {
    log.scrollTop = log.scrollHeight;
  }
}

export const say = (text: string): void => put("status", text);
