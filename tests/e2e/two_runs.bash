# two_runs DIR: reports `before`, `after` and `latest` in DIR, from the fixture's run. Between them a day passed, the kernel changed, the
# cell $slow came to serve 30% fewer pages, and another one was skipped.
slow=1/page=5.8KB/cpus=1/clients=8
two_runs() {
  mkdir -p "$1"
  cp -r "$SOURCE/tests/report/fixture" "$1/before"
  cp -r "$SOURCE/tests/report/fixture" "$1/after"
  ln -s after "$1/latest"
  jq -c --arg cell "$slow" '(.sides[] | select(.cell == $cell) | .pages_per_s) *= 0.7' "$1/before/trials.jsonl" > "$1/after/trials.jsonl"
  jq --arg cell "$slow" '.environment.kernel = "6.1.0-other"
    | (.cells[] | select(.id == $cell) | .pages_per_s) |= (.median *= 0.7 | .low *= 0.7 | .high *= 0.7)
    | (.cells[] | select(.id == "1/page=5.8KB/cpus=2/clients=10")) += {status: "skipped", reason: "no room"}' \
    "$1/before/results.json" > "$1/after/results.json"
  jq '.name = "after" | .started = "2026-12-01T18:00:00Z"' "$SOURCE/tests/report/fixture/run.json" > "$1/after/run.json"
  jq '.name = "before"' "$SOURCE/tests/report/fixture/run.json" > "$1/before/run.json"
}
