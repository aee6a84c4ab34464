// What src/live/feed.cpp sends, and how its events change what is known.
export interface Side { cell: string; pages_per_s: number; service_us_p99: number; cpu: Record<string, number> }
export interface Current { number: number; total: number; cells: string[]; left_s: number }
export interface Finished { number: number; total: number; sides: Side[]; flags: string[]; failed: string }
export interface Ended { report: boolean; why: string }
export interface State {
  lab: string; playbook: string; profile: string; cells: string[]; nodes: string[]; trials: number;
  current: Current | null; finished: Finished[]; samples: Record<string, [number, number][]>; log: string[]; ended: Ended | null;
}
export interface Sampled { node: string; at_s: number; cpus: number }

const most = { finished: 4000, samples: 300, lines: 200 };  // as the feed keeps

const add = <T>(list: T[], item: T, limit: number): void => {
  list.push(item);
  if (list.length > limit) {
    list.shift();
  }
};

export const changes: Record<string, (state: State, data: any) => void> = {
  starting: (state, data: Current) => { state.current = data; state.trials = data.total; },
  finished: (state, data: Finished) => { state.current = null; state.trials = data.total; add(state.finished, data, most.finished); },
  sampled: (state, data: Sampled) => add((state.samples[data.node] ??= []), [data.at_s, data.cpus], most.samples),
  logged: (state, data: { line: string }) => add(state.log, data.line, most.lines),
  ended: (state, data: Ended) => { state.current = null; state.ended = data; },
};

export interface CellSoFar { cell: string; rates: number[]; p99: number; flags: string[] }

// In the plan's order, those that have a trial. Failed trials have no numbers.
export function cellsSoFar(state: State): CellSoFar[] {
  const cells = new Map<string, CellSoFar>();
  for (const trial of state.finished.filter((each) => !each.failed)) {
    for (const side of trial.sides) {
      const cell = cells.get(side.cell) ?? { cell: side.cell, rates: [], p99: 0, flags: [] };
      cell.rates.push(side.pages_per_s);
      cell.p99 = side.service_us_p99;
      cell.flags = [...new Set([...cell.flags, ...trial.flags])];
      cells.set(side.cell, cell);
    }
  }
  const place = new Map(state.cells.map((cell, i) => [cell, i]));
  return [...cells.values()].sort((a, b) => (place.get(a.cell) ?? 0) - (place.get(b.cell) ?? 0));
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
