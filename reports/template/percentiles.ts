import type { Percentiles } from "./data";
import { css, decade, duration, escape, flagged, marks, number, text, tooltip, valueAxis } from "./look";
import { rowAxis, rowsHeight } from "./rows";

const names = ["p50", "p90", "p99", "p99.9", "longest"];

export const percentilesHeight = (chart: Percentiles, width: number): number => rowsHeight(chart.rows.length, width);

function tip(chart: Percentiles, at: number): string {
  const row = chart.rows[at];
  const figures = names.flatMap((name, i) => (row.us[i] === null ? [] : [`${name} <b>${duration(row.us[i])}</b>`]));
  return `${escape(row.label)}<br>${figures.join("<br>")}<br>${number(row.count)} exchanges${flagged(row.flags)}`;
}

// From the least to the greatest that is drawn, behind the marks.
const spans = (chart: Percentiles) => ({
  type: "custom" as const, silent: true, z: 2, tooltip: { show: false },
  data: chart.rows.map((row, at) => { const known = row.us.filter((us) => us !== null); return [known[0], known[known.length - 1], at]; }),
  encode: { x: [0, 1], y: 2 },
  renderItem: (_params: unknown, api: any) => {
    const [from, to] = [0, 1].map((end) => api.coord([api.value(end), api.value(2)]));
    return { type: "line", shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }, style: { stroke: css("muted"), lineWidth: 1, opacity: 0.6 } };
  },
});

export function percentilesOption(chart: Percentiles, width: number) {
  const known = chart.rows.flatMap((row) => row.us.filter((us) => us !== null));
  const end = (round: (value: number) => number, value: number): number => 10 ** round(Math.log10(Math.max(value, 1e-3)));
  return {
    animation: false,
    grid: { left: 6, right: 18, top: 18, bottom: 26, containLabel: true },
    tooltip: { ...tooltip(), trigger: "axis" as const, axisPointer: { type: "shadow" as const, axis: "y" as const, shadowStyle: { color: css("muted"), opacity: 0.1 } },
      formatter: (items: { value: number[] }[]) => tip(chart, items[0].value[1]) },
    yAxis: rowAxis(chart.rows, width),
    xAxis: { ...valueAxis("", decade), type: "log" as const, name: "time, logarithmic", nameLocation: "middle" as const, nameGap: 24, nameTextStyle: text(11),
      min: end(Math.floor, Math.min(...known) * 0.999), max: end(Math.ceil, Math.max(...known) * 1.001) },
    series: [
      spans(chart),
      ...names.map((name, i) => ({
        type: "scatter" as const, name, z: 4 + i, symbol: marks[`p${i}`].symbol, symbolSize: marks[`p${i}`].size,
        data: chart.rows.flatMap((row, at) => (row.us[i] === null ? [] : [[row.us[i], at]])),
        itemStyle: { color: css(`p${i}`), borderColor: css("card"), borderWidth: 1, opacity: 1 },
      })),
    ],
  };
}
