import type { Cpu } from "./data";
import { css, escape, flagged, text, tick, tooltip, valueAxis } from "./look";
import { rowAxis, rowsHeight } from "./rows";

export const cpuHeight = (chart: Cpu, width: number): number => rowsHeight(chart.rows.length, width);

// Bars and machine lines share one scale where the host's cores are known: all of them are 100%.
function limit(chart: Cpu): number {
  const stacks = chart.rows.map((_, row) => chart.nodes.reduce((sum, node) => sum + node.cpus[row], 0));
  const lines = chart.machines.flatMap((machine) => machine.shares.map((share) => (share ?? 0) * chart.cores));
  const most = Math.max(0.1, ...stacks, ...lines) * 1.02;
  if (chart.cores > 0 && chart.cores <= 4) {
    return chart.cores;
  }
  const step = 10 ** Math.floor(Math.log10(most));
  return Math.min(chart.cores || Infinity, Math.ceil(most / step) * step);
}

function tip(chart: Cpu, row: number): string {
  const nodes = chart.nodes.map((node) => `${escape(node.name)} <b>${node.cpus[row].toFixed(3)}</b>`);
  const machines = chart.machines.map((machine) => `${escape(machine.name)}, whole machine <b>${Math.round((machine.shares[row] ?? 0) * 100)}%</b>`);
  return `${escape(chart.rows[row].label)}<br>${[...nodes, ...machines].join("<br>")}${flagged(chart.rows[row].flags)}`;
}

export function cpuOption(chart: Cpu, width: number) {
  const most = limit(chart);
  return {
    animation: false,
    grid: { left: 6, right: 18, top: 44, bottom: 26, containLabel: true },
    tooltip: { ...tooltip(), trigger: "axis" as const, axisPointer: { type: "shadow" as const, shadowStyle: { color: css("muted"), opacity: 0.1 } },
      formatter: (items: { dataIndex: number }[]) => tip(chart, items[0].dataIndex) },
    yAxis: rowAxis(chart.rows, width),
    xAxis: [
      { ...valueAxis("", tick), name: "host CPUs", nameLocation: "middle" as const, nameGap: 24, min: 0, max: most, nameTextStyle: text(11) },
      { ...valueAxis("", (value) => `${Math.round(value)}%`), name: "use of the machine", nameLocation: "middle" as const, nameGap: 24, nameTextStyle: text(11),
        position: "top" as const, min: 0, max: chart.cores > 0 ? (most / chart.cores) * 100 : 100, splitLine: { show: false } },
    ],
    series: [
      ...chart.nodes.map((node) => ({ type: "bar" as const, name: node.name, stack: "nodes", barWidth: "64%", data: node.cpus, itemStyle: { color: css(`n${node.color}`) } })),
      ...chart.machines.map((machine) => ({ type: "line" as const, name: machine.name, xAxisIndex: 1, symbol: "circle", symbolSize: 6, z: 4,
        data: machine.shares.map((share, row) => [share === null ? null : share * 100, row]),
        lineStyle: { color: css(`m${machine.color}`), type: "dashed" as const, width: 1.5 }, itemStyle: { color: css(`m${machine.color}`) } })),
    ],
  };
}
