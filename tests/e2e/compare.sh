#!/bin/bash
# lab compare and lab runs on two runs made from the fixture: what they print, when they fail, what they refuse.
set -u
: "${LAB:?the binary}" "${SOURCE:?the checkout}"
. "$SOURCE/tests/e2e/checks.bash"
. "$SOURCE/tests/e2e/two_runs.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work" || exit 1
two_runs reports

"$LAB" compare before after > out 2> err
check "compare: exit 0" 0 $?
check "the verdicts" 1 "$(grep -c '^35 cells: 0 faster, 1 slower, ' out)"
check "the kernel" 1 "$(grep -c '  kernel: 6.1.0-test → 6.1.0-other' out)"
check "the skipped cell" 1 "$(grep -c '    B: skipped: no room' out)"
"$LAB" compare before latest --json > out.json
check "the cell that is slower" "$slow" "$(jq -r '.cells[] | select(.throughput.verdict == "slower") | .id' out.json)"
check "its ratio" 0.7 "$(jq -r '.cells[] | select(.throughput.verdict == "slower") | .throughput.ratio.value * 1000 | round / 1000' out.json)"
check "nothing is faster" 0 "$(jq '.summary.faster' out.json)"

"$LAB" compare before after --fail-if 'throughput<-5%' > out 2> err
check "a threshold missed: exit 3" 3 $?
check "a threshold missed: the line" 1 "$(grep -c '^throughput<-5%: missed by 1 cell, held by' out)"
check "a threshold missed: the error" "error: throughput<-5% is missed by 1 of 35 cells
  $slow" "$(cat err)"
"$LAB" compare before after --fail-if 'throughput<-50%' --format md -o report.md > out 2> err
check "a threshold held: exit 0" 0 $?
check "where it is" report.md "$(cat out)"
check "a threshold held: the line" "throughput<-50%: missed by 0 cells" "$(cut -d, -f1 err)"
check "Markdown" 1 "$(grep -c '^### 35 cells compared: 0 faster, 1 slower' report.md)"
"$LAB" compare before after --format html -o compared.html -q > out
check "a page" "<!doctype html>" "$(head -n 1 compared.html)"
check "quiet" "" "$(cat out)"

"$LAB" compare before after --fail-if 'throughput-5%' > out 2>&1
check "a malformed threshold: exit 2" 2 $?
check "a malformed threshold: the message" 'error: "throughput-5%" is no threshold: neither < nor > is in it
  at --fail-if
  write one of throughput, cpu, p99, then < or >, then a change in percent: --fail-if '"'throughput<-5%'" "$(cat out)"
"$LAB" compare after latest > out 2>&1
check "a run with itself: exit 2" 2 $?
check "a run with itself: the message" "error: both are the same run: after" "$(head -n 1 out)"
"$LAB" compare before none > out 2>&1
check "an unknown run: exit 2" 2 $?
"$LAB" compare before > out 2>&1
check "one run: exit 2" 2 $?
mkdir other && cp -r reports/after other/after
jq '.cells |= map(.status = "failed")' reports/after/results.json > other/after/results.json
"$LAB" compare before other/after > out 2> err
check "nothing in common: exit 1" 1 $?
check "nothing in common: the message" "error: no cell was measured in both runs: nothing is compared" "$(head -n 1 err)"

check "a cell's trend" 2 "$("$LAB" runs --cell "$slow" --json | jq '.cells[0].runs | length')"
check "the oldest first" before "$("$LAB" runs --cell "$slow" --json | jq -r '.cells[0].runs[0].run')"
check "a cell's trend as text" 1 "$("$LAB" runs --cell '1/*cpus=1/clients=8' | grep -c '^1/page')"
"$LAB" runs --cell 'none/*' > out 2>&1
check "no such cell: exit 2" 2 $?
"$LAB" report before > /dev/null
check "the page of runs" reports/index.html "$("$LAB" runs --html)"
check "it links the report that there is" 1 "$(grep -c 'href="before/report.html"' reports/index.html)"
check "and no other" 0 "$(grep -c 'href="after/report.html"' reports/index.html)"
echo rubbish > reports/runs.db
check "a damaged index" 2 "$("$LAB" runs --json | jq '.runs | length')"
rm reports/runs.db
check "no index" 2 "$("$LAB" runs --json | jq '.runs | length')"
exit $failed
