#!/bin/bash
# Memory and CPUs of real containers: limits stand in their control groups, hold, and change while a run goes on.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
image_or_skip
cd "$work" || exit 1

cat >"$work/limits.yaml" <<'YAML'
lab: limits
provider: container
networks: {lan: 198.18.1.0/24}
nodes:
  client:  {roles: [load],    networks: [lan]}
  webseal: {roles: [gateway], networks: [lan], cpus: 1}
  was:     {roles: [pages],   networks: [lan], memory: 128MB}
gateway:
  junctions: [{point: /app, type: tcp, servers: [was]}]
YAML
wants 0 "$LAB" up "$work/limits.yaml"

# group_of NODE CONTROLLER: the folder of its control group, v1 or v2 (there the outer one, which the engine limits).
group_of() {
  local pid path
  pid=$("$engine" container inspect --format '{{.State.Pid}}' "$(container_of "$1" limits)")
  path=$(awk -F: -v wanted="$2" '$2 ~ "(^|,)" wanted "(,|$)" { print $3 }' "/proc/$pid/cgroup")
  if [ -n "$path" ]; then
    echo "/sys/fs/cgroup/$2$path"
  else
    path=$(awk -F: '$1 == 0 { print $3 }' "/proc/$pid/cgroup")
    echo "/sys/fs/cgroup${path%/container}"
  fi
}

memory=$(group_of was memory)
[ "$(cat "$memory/memory.limit_in_bytes" "$memory/memory.max" 2>/dev/null)" = $((128 << 20)) ] ||
  fail "no limit of 128 MB in $memory: $(cat "$memory/memory.limit_in_bytes" "$memory/memory.max" 2>&1)"
# What wants more is ended; the node and its services go on.
! "$LAB" exec was -- sh -c 'head -c 200M /dev/zero | tail -c 200M | wc -c | grep -qx 209715200' >"$work/greedy" 2>&1 ||
  fail "a node of 128 MB holds 200 MB"
"$LAB" exec client -- sh -c 'head -c 200M /dev/zero | tail -c 200M | wc -c | grep -qx 209715200' || fail "a node without a limit is limited"
wants 0 "$LAB" status

cpu=$(group_of webseal cpu)
quota() { cat "$cpu/cpu.cfs_quota_us" "$cpu/cpu.max" 2>/dev/null | cut -d' ' -f1; }
unit=$(jq .cpu_unit "$XDG_STATE_HOME/lab/limits/state.json")
one=$(jq -n "$unit * 10000 | round") two=$(jq -n "$unit * 20000 | round")
[ "$(quota)" = "$one" ] || fail "one lab CPU is no quota of $one: $(quota) in $cpu"
printf '%s\n' "playbook: small" "profiles: {quick: {warmup: 0.3s, measure: 2s}}" "scenarios:" \
  '  - {id: "1", client: http, junction: {point: /app2, servers: [was]}, auth: none, axes: {page: [5.8KB], cpus: [1, 2], clients: [8]}}' >"$work/small.yaml"
"$LAB" run "$work/small.yaml" --repeats 2 -o "$work/reports" >"$work/run" 2>&1 &
run=$!
: >"$work/quotas"
while kill -0 "$run" 2>/dev/null; do
  quota >>"$work/quotas"
  sleep 0.05  # between two looks
done
for wanted in "$one" "$two"; do
  grep -qx "$wanted" "$work/quotas" || fail "the quota was never $wanted during the run: $(sort "$work/quotas" | uniq -c)"
done
if wait "$run"; then
  jq -e '[.cells[] | select(.status == "measured" and (.cpu.webseal // 0) < 1.1)] | length == 2' "$work/reports/latest/results.json" >/dev/null ||
    fail "CPU shares of the gateway: $(jq -c '.cells[] | [.id, .status, .cpu]' "$work/reports/latest/results.json")"
else
  grep -q "is the host busy with something else" "$work/run" || fail "the run fails: $(cat "$work/run")"
  echo "busy host: not every trial counts"
fi
[ ! -e oom ] || fail "the engine left a file where lab was called from"

wants 0 "$LAB" down
nothing_left_of limits
echo "ok on $engine"
