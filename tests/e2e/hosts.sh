#!/bin/bash
# Provider ssh on hosts of the test's own, each a private sshd with a home of its own: up, run, exec, a killed agent, down; afterwards every
# home is as it was, byte for byte. As root, then as an ordinary user.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1

sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
servers=()
trap '"$LAB" --quiet down --all >/dev/null 2>&1; kill "${servers[@]}" 2>/dev/null; rm -rf "$work"' EXIT
ssh-keygen -q -t ed25519 -N "" -f "$work/key"

# host NAME: its sshd at $port, its key's fingerprint in $pin.
host() {
  local folder=$work/$1
  mkdir -p "$folder/home/papers"
  echo "a letter" >"$folder/home/papers/letter"
  ln -s papers/letter "$folder/home/link"
  ssh-keygen -q -t ed25519 -N "" -f "$folder/host_key"
  pin=$(ssh-keygen -lf "$folder/host_key.pub" | cut -d' ' -f2)
  until
    port=$(shuf -i 20000-32000 -n 1)
    printf '%s\n' "ListenAddress 127.0.0.1:$port" "HostKey $folder/host_key" "AuthorizedKeysFile $work/key.pub" "PidFile none" "UsePAM no" \
      "StrictModes no" "PasswordAuthentication no" "PermitRootLogin prohibit-password" "Subsystem sftp internal-sftp" \
      "SetEnv SHLVL=1 HOME=$folder/home" >"$folder/sshd_config"
    "$sshd" -D -e -f "$folder/sshd_config" 2>"$folder/log" &
    tail -F --pid=$! "$folder/log" 2>/dev/null | grep -q -m1 "Server listening"
  do wait $!; done
  servers+=($!)
}

manifest() { (cd "$work" && find ./*/home -printf '%p %y %m %u %s %l\n' -type f -exec sha256sum {} + | sort); }

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
