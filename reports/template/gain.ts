import type { Gain, Ratio } from "./data";
import { type Bar, intervalBars } from "./interval_bars";
import { categoryAxis, change, css, escape, flagged, tick, tooltip, valueAxis } from "./look";

const percent = (ratio: number): number => (ratio - 1) * 100;

function bar(ratio: Ratio, line: string): Bar {
  const range = ratio.n > 1 ? `<br>${change(ratio.low)} to ${change(ratio.high)}, n = ${ratio.n}` : "";
  return {
    value: percent(ratio.median), low: percent(ratio.low), high: percent(ratio.high), several: ratio.n > 1, flagged: ratio.flags.length > 0,
    label: change(ratio.median), dots: [], tip: `${escape(line)}<br><b>${change(ratio.median)}</b>${range}${flagged(ratio.flags)}`,
  };
}

export function gainOption(chart: Gain) {
  const published = chart.published.map((ratio, page) => (ratio === null ? null : [page, percent(ratio)])).filter((point) => point !== null);
  return {
    animation: false,
    grid: { left: 6, right: 6, top: 34, bottom: 6, containLabel: true },
    tooltip: tooltip(),
    xAxis: categoryAxis(chart.pages),
    yAxis: valueAxis("gain", (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${tick(Math.abs(value))}%`),
    series: [
      ...intervalBars(chart.lines.map((line) => ({
        label: line.label, color: css(`h1-${line.shade}`), bars: line.points.map((point) => point && bar(point, line.label)),
      }))),
      { type: "scatter", name: "published", z: 6, symbol: "diamond", symbolSize: 15, data: published,
        itemStyle: { color: css("card"), borderColor: css("ink"), borderWidth: 2 },
        tooltip: { formatter: (item: { value: number[] }) => `published: <b>${change(1 + item.value[1] / 100)}</b>` } },
    ],
  };
}
