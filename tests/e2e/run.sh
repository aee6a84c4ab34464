#!/bin/bash
# `lab run` on a lab that stands: real processes, real counts, interrupted and resumed, and afterwards the lab is as it was.
set -u
: "${LAB:?}"
work=$(mktemp -d)
export XDG_STATE_HOME=$work/state
name=e2e-run
failures=0

finish() {
  "$LAB" down --name "$name" >"$work/down" 2>&1 || cat "$work/down" >&2
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

# expect NAME EXIT-CODE COMMAND…: standard output in $work/out, standard error in $work/err.
expect() {
  local test=$1 code=$2 got
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ "$got" = "$code" ] || fail "$test: exit $got instead of $code: $(cat "$work/out" "$work/err")"
}

# holds NAME FILE FILTER: jq's filter is true of every value in the file.
holds() {
  jq -es "length > 0 and all(.[]; $3)" "$2" >"$work/jq" 2>&1 || fail "$1: not so of $2: $3: $(cat "$work/jq") $(head -c 2000 "$2")"
}

cd "$work" || exit 1

expect "without a lab" 1 "$LAB" run --name "$name"
grep -q "lab up" "$work/err" || fail "without a lab: the remedy is not named: $(cat "$work/err")"
expect "the list needs no lab" 0 "$LAB" run --list --json --name "$name"
holds "the list" "$work/out" '(.cells | length) == 40 and .estimated_s > 60'

expect "up" 0 "$LAB" up --name "$name" local
[ "$failures" = 0 ] || exit 1

expect "usage" 2 "$LAB" run --name "$name" --only 'nothing/*'
expect "list" 0 "$LAB" run --list --json --name "$name"
holds "what cannot run is skipped with its reason" "$work/out" \
  '[.cells[] | select(.status == "skipped")] | length >= 2 and all(.reason != "") and all(.id | test("own-disk|adapter"))'

# HTTP, HTTPS and login, a log that is written and one that is not; both crypto settings.
expect "run" 0 "$LAB" run --name "$name" --repeats 2 --seed 7 --json \
  --only '1/*cpus=2/clients=8' --only '1-log/*clients=8/log=null' --only '3/*cpus=1/*' --only '5/*cpus=1/*'
run=$(readlink -f reports/latest)
holds "every runnable cell is measured, with a rate" "$run/results.json" \
  '.schema == 1 and ([.cells[] | select(.status == "measured")] | length == 6 and all(.pages_per_s.median > 0 and .trials == 2 and .errors == 0))'
holds "the result is printed too" "$work/out" '.schema == 1 and (.cells | length) == 7'
holds "nothing failed, and all counts agree" "$run/trials.jsonl" \
  '.failed == "" and .seed == 7 and (.flags | index("errors") == null) and ((.flags | index("unreconciled") == null) or ((.flags | index("noisy-host") != null) and (.notes | all((startswith("unreconciled: ") | not) or contains("mean service time")))))'
holds "driver, log and back end counted the same" "$run/trials.jsonl" \
  '(.notes | any(contains("both sides together"))) as $together | .sides[] | ((.cell | startswith("5/")) or $together) as $none | .counts | .started == .done and .gateway == .done + .logins and .pages == (if $none then 0 else .done end)'
holds "the crypto switch took" "$run/trials.jsonl" \
  '.sides[] | (.cell | contains("software")) == (.openssl_cpu | contains("env:"))'
holds "TLS is as asked for" "$run/results.json" \
  '[.cells[] | select(.scenario == "3")] | all(.tls == {"version": "1.2", "cipher": "ECDHE-RSA-AES128-GCM-SHA256"})'
holds "CPU of every node was sampled, or it is said whose was not" "$run/trials.jsonl" \
  '(.notes | map(select(contains("its counters were read too late"))) | length) as $late | ([.sides[] | 7 - (.cpu | length)] | add) == $late and ($late > 0 or all(.sides[]; .cpu.webseal > 0))'
holds "a run tells how it was made" "$run/run.json" '.seed == 7 and (.files.lab | contains("nodes:")) and (.files.playbook | contains("claims:"))'
[ "$(find "$run/histograms" -name '*.hlog' | wc -l)" = 16 ] || fail "not a histogram for each side of 10 trials: $(ls "$run/histograms")"
holds "crypto is compared in pairs, and one cell with itself" "$run/results.json" \
  '[.pairs[] | .kind] | sort == ["aa", "pair", "pair"]'
holds "each pair has a ratio of as many trials" "$run/results.json" '.pairs[] | .ratio.n == 2 and .ratio.median > 0 and .noise_floor > 0'
holds "sides are measured in slices" "$run/trials.jsonl" 'select(.kind != "single") | .ratio > 0 and (.sides | length == 2 and all(.slices | length >= 4))'
[ -s "$run/report.html" ] || fail "no report.html"

# broken_off SIGNAL LINE OPTION…: a run that gets the signal once that line of progress stands; its exit code in $code.
broken_off() {
  local signal=$1 line=$2 pid
  shift 2
  "$LAB" run --name "$name" "$@" >"$work/out" 2>"$work/err" &
  pid=$!
  for _ in $(seq 200); do grep -q "^$line" "$work/err" && break; sleep 0.1; done
  kill "-$signal" "$pid"
  wait "$pid"
  code=$?
}

# The same seed gives the same order; what breaks a run off keeps what is done, and --resume makes the rest.
broken_off INT 1/6 --repeats 6 --seed 9 --only '1/*cpus=1/clients=8'
[ "$code" = 130 ] || fail "an interrupted run exits with $code, not with 130: $(cat "$work/err")"
cut=$(readlink -f reports/latest)
first=$(wc -l <"$cut/trials.jsonl")
[ "$first" -lt 4 ] || fail "nothing was interrupted"
printf '{"trial": 9, "torn' >>"$cut/trials.jsonl"
broken_off KILL $((first + 1))/6 --resume "$(basename "$cut")"
[ "$code" = 137 ] || fail "a killed run exits with $code: $(cat "$work/err")"
cp "$cut/trials.jsonl" "$work/kept"
second=$(wc -l <"$work/kept")
{ [ "$second" -gt "$first" ] && [ "$second" -lt 6 ]; } || fail "killed after $second of 6 trials, $first of them made before"
expect "resume after a kill" 0 "$LAB" run --name "$name" --resume "$(basename "$cut")" -q
[ "$(jq -r '.trial' "$cut/trials.jsonl" | paste -sd' ')" = "1 2 3 4 5 6" ] || fail "resumed: $(jq -c '.trial' "$cut/trials.jsonl")"
head -n "$second" "$cut/trials.jsonl" | cmp -s - "$work/kept" || fail "finished trials were changed by the resumed run"
[ "$(jq -s --arg note "the run was broken off before this trial, and resumed" -c 'map(select(.notes | index($note)) | .trial)' "$cut/trials.jsonl")" = \
  "[$((first + 1)),$((second + 1))]" ] || fail "the seams are not told: $(jq -c '[.trial, .notes]' "$cut/trials.jsonl")"
# An open loop: latency from the instant at which a request was due, and a rate that cannot be reached is flagged.
cat >open.yaml <<'YAML'
playbook: open
profiles:
  quick: {warmup: 0.2s, measure: 1s, repeats: 1}
scenarios:
  - id: steady
    client: http
    junction: {point: /app, type: tcp, servers: [was]}
    rate: 50
    axes: {page: [5.8KB], clients: [8]}
  - {id: beyond, like: steady, rate: 500000, axes: {clients: [1]}}
YAML
expect "open loop" 0 "$LAB" run open.yaml --name "$name" -q
run=$(readlink -f reports/latest)
holds "an open loop has latencies" "$run/results.json" '.cells | length == 2 and all(.latency_us.p99.median > 0 and .latency_us.p99.n == 1)'
holds "the rate is kept, and that the gateway had CPU left is no fault" "$run/results.json" \
  '.cells[] | select(.scenario == "steady") | (.pages_per_s.median | . > 45 and . < 55) and (.flags | index("rate-missed") == null and index("unsaturated") == null)'
holds "a rate beyond reach is flagged" "$run/results.json" '.cells[] | select(.scenario == "beyond") | .flags | index("rate-missed") != null'
grep -q "At 50.0 requests/s, latency from the instant" "$run/report.html" || fail "the report does not tell the latency"
grep -q "<b>Latency</b> by cell" "$run/report.html" || fail "the report does not draw the latency"
[ "$(find "$run/histograms" -name '*-latency.hlog' | wc -l)" = 2 ] || fail "not a histogram of latency for each trial: $(ls "$run/histograms")"

expect "runs" 0 "$LAB" runs --json
holds "runs" "$work/out" '.runs | length == 3 and all(.state == "finished")'

expect "status" 0 "$LAB" status --name "$name" --json
holds "the lab is as it was" "$work/out" '[.nodes[] | select(.roles | index("gateway"))] | all(.health == "ok")'

[ "$failures" = 0 ] || { echo "$failures failed" >&2; exit 1; }
