import type { Point, Throughput } from "./data";
import { type Bar, intervalBars } from "./interval_bars";
import { categoryAxis, css, escape, flagged, number, tick, tooltip, valueAxis } from "./look";

function bar(point: Point, series: string): Bar {
  const range = point.n > 1 ? `<br>${number(point.low)}–${number(point.high)}, n = ${point.n}` : "";
  return {
    value: point.median, low: point.low, high: point.high, several: point.n > 1, flagged: point.flags.length > 0, label: number(point.median),
    dots: point.trials.map((trial) => ({ value: trial.value, trial: trial.trial, flagged: trial.flags.length > 0 })),
    tip: `${escape(series)}<br><b>${number(point.median)}</b> pages/s${range}${flagged(point.flags)}`,
  };
}

export function throughputOption(chart: Throughput) {
  return {
    animation: false,
    grid: { left: 6, right: 6, top: 34, bottom: 6, containLabel: true },
    tooltip: tooltip(),
    xAxis: categoryAxis(chart.clients.map((clients) => `${clients} clients`)),
    yAxis: { ...valueAxis("pages/s", tick), min: 0 },
    series: intervalBars(chart.series.map((series) => ({
      label: series.label, color: css(`h${series.hue}-${series.shade}`), bars: series.points.map((point) => point && bar(point, series.label)),
    }))),
  };
}
