#!/bin/bash
# The fixture's report, a comparison and the page of runs in Debian's Chromium: drawn, readable, printable, without the network.
set -eu
: "${LAB:?the binary}" "${SOURCE:?the checkout}"
. "$SOURCE/tests/e2e/two_runs.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE/tests/browser"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
"$LAB" report "$SOURCE/tests/report/fixture" -o "$work/report.html"
two_runs "$work/reports"
"$LAB" report before --reports "$work/reports" -q
"$LAB" compare before after --reports "$work/reports" --format html -o "$work/comparison.html" -q
"$LAB" compare before after --reports "$work/reports" --format json -o "$work/comparison.json" -q
"$LAB" runs --reports "$work/reports" --html "$work/reports/index.html" -q
node make_many_cells.mjs "$work/many"
"$LAB" report "$work/many" -o "$work/many.html" -q
COMPARISON="$work/comparison.html" COMPARED="$work/comparison.json" RUNS="$work/reports/index.html" REPORT="$work/report.html" \
  RESULTS="$SOURCE/tests/report/fixture/results.json" MANY="$work/many.html" \
  node --test report.test.mjs plain_pages.test.mjs many_cells.test.mjs palette.test.mjs
