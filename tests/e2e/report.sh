#!/bin/bash
# lab report on the fixture's run: where it writes, what it prints, how it fails.
set -u
: "${LAB:?the binary}" "${SOURCE:?the checkout}"
. "$SOURCE/tests/e2e/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work" || exit 1
out=$("$LAB" report 2>&1)
check "no run: exit 2" 2 $?
check "no run: the remedy" "error: there is no run in reports
  measure one with: lab run" "$out"

mkdir -p reports
cp -r "$SOURCE/tests/report/fixture" reports/one
ln -s one reports/latest
check "the latest run, as HTML beside it" "$work/reports/one/report.html" "$("$LAB" report)"
check "it is a page" "<!doctype html>" "$(head -n 1 reports/one/report.html)"
check "by name, elsewhere" "numbers.csv" "$("$LAB" report one --format csv -o numbers.csv)"
check "a row a cell" 41 "$(wc -l < numbers.csv)"
check "to standard output" "# webseal-2007, quick profile" "$("$LAB" report reports/one --format md -o - | head -n 1)"
check "JSON that a program reads" one "$("$LAB" report one --format json -o - | node -e 'process.stdout.write(JSON.parse(require("fs").readFileSync(0)).report.run.replace("fixture", "one"))')"

check "a trial that is asked for goes into the page" "$work/reports/one/report.html" "$("$LAB" report one --trial 7 --trial 9)"
"$LAB" report one --trial 700 > out 2>&1
check "a trial that is not there: exit 2" 2 $?
check "a trial that is not there: which there are" "  it has 222 trials, numbered from 1" "$(tail -n 1 out)"
"$LAB" report one --trial 7 --format csv > out 2>&1
check "a trial's time series is the page's alone: exit 2" 2 $?

"$LAB" report none > out 2>&1
check "an unknown run: exit 2" 2 $?
check "an unknown run: the remedy" "error: no such run: none
  lab runs lists those in reports" "$(cat out)"
"$LAB" report one --format pdf > out 2>&1
check "an unknown format: exit 2" 2 $?
rm reports/one/results.json
"$LAB" report one > out 2>&1
check "an unfinished run: exit 1" 1 $?
check "an unfinished run: the remedy" "  finish it: lab run --resume one" "$(tail -n 1 out)"
if [ -e /dev/full ]; then
  cp "$SOURCE/tests/report/fixture/results.json" reports/one/
  "$LAB" report one -o - > /dev/full 2> out
  check "a full disk: exit 1" 1 $?
  check "a full disk: the message" "error: write the report to standard output: it was not taken whole" "$(head -n 1 out)"
fi
exit $failed
