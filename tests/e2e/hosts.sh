#!/bin/bash
# Provider ssh on hosts of the test's own, each a private sshd with a home of its own: up, run, exec, a killed agent, down; afterwards every
# home is as it was, byte for byte. As root, then as an ordinary user.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1
. "$SOURCE/tests/e2e/hosts_common.bash" || exit 1
trap '"$LAB" --quiet down --all >/dev/null 2>&1; hosts_end; rm -rf "$work"' EXIT

cat >"$work/hosts.yaml" <<TXT
lab: given
provider: ssh
gateway: {authentication: {basic: https}}
nodes:
TXT
for node in client:load webseal:gateway tam:directory was:pages; do
  host "${node%%:*}"
  echo "  ${node%%:*}: {roles: [${node##*:}], host: 127.0.0.1, port: $port, key: $work/key, host-key: '$pin'}" >>"$work/hosts.yaml"
done
before=$(manifest)

wants 0 "$LAB" plan "$work/hosts.yaml"
says "create  node webseal ($(id -un)@127.0.0.1:"
says "CPUs by stopping and continuing"
[ "$(manifest)" = "$before" ] || fail "plan changed a host"

wants 0 "$LAB" up "$work/hosts.yaml"
says "lab given stands: 4 nodes in"
wants 0 "$LAB" up "$work/hosts.yaml"
says "nothing to do"
wants 0 "$LAB" status
wants 7 "$LAB" exec webseal -- sh -c 'test "$HOME" = "$0" && exit 7' "$work/webseal/home"

cd "$work" || exit 1
cat >run.yaml <<TXT
playbook: small
profiles: {quick: {warmup: 0.3s, measure: 1s}}
scenarios: [{id: a, client: http, junction: {point: /a, type: tcp, servers: [was]}, axes: {page: [5.8KB], cpus: [0.5], clients: [4]}}]
TXT
wants 0 "$LAB" run ./run.yaml
grep -q '"failed":""' reports/latest/trials.jsonl || fail "no trial was measured: $(cat reports/latest/trials.jsonl)"
! grep -q '"unreconciled"' reports/latest/trials.jsonl || fail "counts differ: $(cat reports/latest/trials.jsonl)"

kill -9 "$(cut -d' ' -f1 "$work"/was/home/.lab-given-*/agent.pid)"
wants 1 "$LAB" status
wants 0 "$LAB" up "$work/hosts.yaml"
wants 0 "$LAB" status

rm "$XDG_STATE_HOME"/lab/given/state.json*
wants 0 "$LAB" down given
[ "$(manifest)" = "$before" ] || fail "a host is not as it was: $(diff <(echo "$before") <(manifest))"
nothing_left "after down" given
echo "ok as $(id -un)"

if [ "$(id -u)" -eq 0 ]; then
  . "$SOURCE/tests/e2e/borrowed_user.bash"
  as_borrowed_user "$SOURCE/tests/e2e/hosts.sh" || fail "as an ordinary user"
fi
