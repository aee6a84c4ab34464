#!/bin/bash
# Guests that are busy and guests that idle, pages out of PostgreSQL, a log on a disk of its own: measured, counted, gone afterwards. As root
# and as an ordinary user; a disk of its own takes a mount of ours, which an ordinary user gets from root.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1
. "$SOURCE/tests/e2e/borrowed_user.bash"
cd "$work" || exit 1

holds() { jq -es "length > 0 and all(.[]; $2)" "$1" >/dev/null || fail "not so of $1: $2: $(head -c 3000 "$1")"; }

logs=/dev/shm/lab-e2e-$$
mkdir "$logs"
trap '"$LAB" --quiet down --all >/dev/null 2>&1; rm -rf "$work" "$logs"' EXIT
sed "s|cpus: 2}   # , log-dir: /mnt/logs|cpus: 2, log-dir: $logs}|" "$SOURCE/labs/platform.yaml" >"$work/platform.yaml"
grep -q "log-dir: $logs}" "$work/platform.yaml" || fail "no log-dir in the lab"

wants 0 "$LAB" up "$work/platform.yaml"
says "lab platform stands: 9 nodes in"
wants 0 "$LAB" status
[ "$(ls -A "$logs" | wc -l)" -eq 1 ] || fail "no log folder: $(ls -A "$logs")"

wants 0 "$LAB" run platform --repeats 2 --seed 5 --only 'overcommit/*' --only 'log/*' --only '*database/page=5.8KB*' --only 'isolated/page=5.8KB*'
run=$(readlink -f reports/latest)
holds "$run/trials.jsonl" '.failed == "" and (.flags | index("errors") == null)'
holds "$run/trials.jsonl" '.notes | all((startswith("unreconciled: ") | not) or contains("mean service time"))'
holds "$run/results.json" '[.cells[] | select(.status == "measured")] | length == 9'
rate() { jq -r ".cells[] | select(.id | startswith(\"$1\")).pages_per_s.median" "$run/results.json"; }
holds "$run/trials.jsonl" '.sides[] | select(.cell | contains("busy=2")) | .cpu.guest1 > 0.2 and .cpu.guest2 > 0.2'
holds "$run/trials.jsonl" '.sides[] | select(.cell | contains("busy=0")) | .cpu.guest1 < 0.1 and .cpu.guest2 < 0.1'
# Others on the host take what the guests would: where trials say so, nothing can be said of them.
if jq -es 'any(.[]; (.sides[0].cell | startswith("overcommit/")) and (.flags | index("noisy-host")))' "$run/trials.jsonl" >/dev/null; then
  echo "noisy host: what busy guests cost is not looked at"
else
  jq -e -n "$(rate overcommit/page=5.8KB/cpus=2/busy=2) < 0.9 * $(rate overcommit/page=5.8KB/cpus=2/busy=0)" >/dev/null ||
    fail "busy guests cost the gateway nothing: $(jq -c '.cells[] | [.id, .pages_per_s.median]' "$run/results.json")"
fi
holds "$run/trials.jsonl" '.sides[] | select(.cell | startswith("database/")) | .cpu_us_per_page.db2 > 1'
holds "$run/trials.jsonl" '.sides[] | select(.cell | startswith("no-database/")) | .cpu_us_per_page.db2 < 1'
[ -s "$logs"/.lab-logs-*/request.log.b ] || fail "no log on the other disk: $(ls -AR "$logs")"
grep -q "A disk of its own for the log\|Whether a disk of its own" "$run/report.html" || fail "the report says nothing on the log's disk"

wants 0 "$LAB" down platform
nothing_left "after down" platform
[ -z "$(ls -A "$logs")" ] || fail "logs are left: $(ls -A "$logs")"
[ -z "$(pgrep -f "$XDG_STATE_HOME")" ] || fail "programs are left: $(pgrep -af "$XDG_STATE_HOME")"

# On the device of the node's own files it is skipped, with the reason.
mkdir "$work/same"
sed "s|cpus: 2}   # , log-dir: /mnt/logs|cpus: 2, log-dir: $work/same}|" "$SOURCE/labs/platform.yaml" | grep -v 'was-db:\|db2:' >"$work/same.yaml"
wants 0 "$LAB" up "$work/same.yaml"
sed -n '/^  - id: log$/,/^$/p' "$SOURCE/playbooks/platform.yaml" | cat <(printf 'playbook: same\nprofiles: {quick: {warmup: 0.1s, measure: 1s}}\nscenarios:\n') - >"$work/same-run.yaml"
wants 0 "$LAB" run --list --json "$work/same-run.yaml"
case $out in *"is on the same device as the node's other files"*) ;; *) fail "not skipped: $out" ;; esac
wants 0 "$LAB" down --all
[ -z "$(ls -A "$work/same")" ] || fail "logs are left: $(ls -A "$work/same")"
echo "ok as $(id -un)"

if [ "$(id -u)" -eq 0 ]; then as_borrowed_user "$SOURCE/tests/e2e/platform.sh" || fail "as an ordinary user"; fi
