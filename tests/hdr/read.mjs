// Reads an HdrHistogram log with HdrHistogram's own JavaScript tool: the count and percentiles of all its lines together.
import { readFileSync } from "node:fs";
import { HistogramLogReader, build } from "hdr-histogram-js";

const reader = new HistogramLogReader(readFileSync(process.argv[2], "utf8"));
const all = build({ lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: 3 });
for (let histogram = reader.nextIntervalHistogram(); histogram !== null; histogram = reader.nextIntervalHistogram()) {
  all.add(histogram);
}
console.log(
  JSON.stringify({ count: all.totalCount, p50: all.getValueAtPercentile(50), p99: all.getValueAtPercentile(99), max: all.maxValue }),
);
