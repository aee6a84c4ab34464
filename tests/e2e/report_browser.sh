#!/bin/bash
# The fixture's report in Debian's Chromium: drawn, readable, printable, without the network.
set -eu
: "${LAB:?the binary}" "${SOURCE:?the checkout}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE/tests/browser"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
"$LAB" report "$SOURCE/tests/report/fixture" -o "$work/report.html"
REPORT="$work/report.html" RESULTS="$SOURCE/tests/report/fixture/results.json" node --test .
