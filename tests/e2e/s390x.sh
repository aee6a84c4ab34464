#!/bin/bash
# A lab of two architectures: gateway and directory on an s390x guest, which is a container of Debian's packages for s390x under qemu-user;
# load driver and pages on this host. Brought up over SSH, a short trial measured, taken down. Then, on the guest: lab-dynamic loads a
# provider, lab cannot. Skipped (exit 77), with the reason, where there is no s390x binary, no binfmt_misc or no engine.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
. "$SOURCE/tests/e2e/hosts_common.bash" || exit 1
. "$SOURCE/tests/e2e/binfmt.bash" || exit 1

build=$(dirname "$LAB")
guest=lab-s390x-guest-$$
subnet=198.51.100  # RFC 5737: nobody's

clean_up() {
  "$LAB" --quiet down --all >/dev/null 2>&1
  hosts_end
  "$engine" rm -f -t 0 "$guest" >/dev/null 2>&1
  "$engine" network rm "$guest" >/dev/null 2>&1
  binfmt_off
  rm -rf "$work"
}
trap clean_up EXIT

[ "$(id -u)" -eq 0 ] || skip "binfmt_misc and a bridge want root"
[ -x "$build/lab-s390x" ] || skip "there is no $build/lab-s390x: ./dev s390x builds it"
why=$(binfmt_on) || skip "$why"
binfmt_on
build_of() { "$1" version --json | jq -r .build; }
[ "$(build_of "$build/lab-s390x")" = "$(build_of "$LAB")" ] || skip "$build/lab-s390x is of another build: ./dev s390x builds it anew"

# The image is the engine's and stays there: made once, for this recipe, in some minutes.
guest_image() {
  local recipe=(mmdebstrap --quiet --architectures=s390x --variant=minbase --include=openssh-server --dpkgopt=force-unsafe-io
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
    --customize-hook='rm -f "$1"/etc/ssh/ssh_host_*' bookworm)
  image=localhost/lab-s390x-guest:$(printf '%s\n' "${recipe[@]}" | sha256sum | cut -c1-12)
  ! "$engine" image inspect "$image" >/dev/null 2>&1 || return 0
  for program in mmdebstrap arch-test; do command -v $program >/dev/null || skip "$program is not installed, which makes the guest's image"; done
  "${recipe[@]}" "$work/root.tar" 2>"$work/image.log" || skip "no s390x image can be made here: $(tail -3 "$work/image.log")"
  "$engine" import "$work/root.tar" "$image" >/dev/null || fail "the image cannot be imported"
  rm "$work/root.tar"
}

# The one that lab's own containers get, too: crun refuses control groups of v1 and v2 together.
runtime() {
  [ "$engine" != podman ] || ! podman info --format '{{.Host.OCIRuntime.Name}}' | grep -qx crun || ! mountpoint -q /sys/fs/cgroup/unified ||
    echo --runtime=runc
}

start_guest() {
  mkdir "$work/ssh"
  ssh-keygen -q -t ed25519 -N "" -f "$work/ssh/host_key"
  cp "$work/key.pub" "$work/ssh/authorized_keys"
  guest_pin=$(ssh-keygen -lf "$work/ssh/host_key.pub" | cut -d' ' -f2)
  printf '%s\n' "HostKey /etc/lab-ssh/host_key" "AuthorizedKeysFile /etc/lab-ssh/authorized_keys" "PidFile none" "UsePAM no" "StrictModes no" \
    "PasswordAuthentication no" "Subsystem sftp internal-sftp" >"$work/ssh/sshd_config"
  "$engine" network create --driver bridge --internal --subnet "$subnet.0/24" --gateway "$subnet.1" "$guest" >/dev/null ||
    skip "no network can be made here"
  # shellcheck disable=SC2046
  "$engine" run -d $(runtime) --name "$guest" --hostname "$guest" --network "$guest" --ip "$subnet.2" --pull never --stop-timeout 1 \
    --security-opt label=disable --ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --ulimit "nproc=$(ulimit -Hu):$(ulimit -Hu)" \
    --volume "$work/ssh:/etc/lab-ssh:ro" --volume "$SOURCE/tests:/source/tests:ro" --volume "$build/s390x:/build:ro" "$image" \
    /bin/sh -c "mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e -f /etc/lab-ssh/sshd_config" >"$work/run" 2>&1 ||
    skip "no container runs here: $(head -3 "$work/run")"
  timeout 120 "$engine" logs -f "$guest" 2>&1 | grep -q -m1 "Server listening" || fail "no sshd on the guest: $("$engine" logs "$guest" 2>&1)"
}
guest_manifest() { "$engine" exec "$guest" find /root /tmp /var/tmp -printf '%p %y %m %s\n' | sort; }

guest_image
start_guest
host client
client_port=$port client_pin=$pin
host was
cat >"$work/mixed.yaml" <<TXT
lab: mixed
provider: ssh
cpu-unit: 1
gateway: {authentication: {basic: https}}
directory: {users: 20}
nodes:
  client: {roles: [load], host: 127.0.0.1, port: $client_port, key: $work/key, host-key: '$client_pin'}
  guest: {roles: [gateway, directory], host: $subnet.2, user: root, key: $work/key, host-key: '$guest_pin', cpus: 1}
  was: {roles: [pages], host: 127.0.0.1, port: $port, key: $work/key, host-key: '$pin', address: $subnet.1}
TXT
cat >"$work/trial.yaml" <<'TXT'
playbook: trial
profiles: {quick: {warmup: 1s, measure: 2s, repeats: 1}}
scenarios:
  - {id: z, client: https, auth: once, junction: {point: /z, type: tcp, servers: [was]},
     tls: {handshake: once, version: "1.2", cipher: ECDHE-RSA-AES128-GCM-SHA256}, axes: {page: [5.8KB], crypto: [software], clients: [2]}}
TXT
before=$(manifest; guest_manifest)

# Without a binary for it the guest is refused before anything is pushed.
mkdir "$work/alone"
cp "$LAB" "$work/alone/lab"
wants 1 "$work/alone/lab" up "$work/mixed.yaml"
says "the node is s390x, and there is no binary of lab for it: $work/alone/lab-s390x is missing"
says "name it: lab up --agent-binary s390x=PATH"
[ "$(manifest; guest_manifest)" = "$before" ] || fail "something was pushed before the refusal"
wants 0 "$work/alone/lab" plan --agent-binary "s390x=$build/lab-s390x" "$work/mixed.yaml"

wants 0 "$LAB" up --timeout 300 "$work/mixed.yaml"
says "lab mixed stands: 3 nodes in"
wants 0 "$LAB" exec guest -- uname -m
says s390x
wants 0 "$LAB" status --json
[ "$(jq -r '[.nodes[].health] | unique | join(" ")' <<<"$out")" = ok ] || fail "a role does not answer: $out"
cd "$work" || exit 1
wants 0 "$LAB" run ./trial.yaml
trials=reports/latest/trials.jsonl
jq -es 'length > 0 and all(.failed == "" and (.flags | index("unreconciled") | not))' $trials >/dev/null || fail "the trial does not hold: $(cat $trials)"
jq -es 'all(.[].sides[]; .openssl_cpu | startswith("OPENSSL_s390xcap=") and contains("env:kimd:0:0"))' $trials >/dev/null ||
  fail "the switch for s390x is not in its gateway's process: $(jq '.sides[].openssl_cpu' $trials)"
echo "the trial on s390x: $(jq -c '.sides[] | {cell, pages_per_s, cpu_us_per_page}' $trials)"

wants 0 "$LAB" down mixed
nothing_left "after down" mixed
[ "$(manifest; guest_manifest)" = "$before" ] || fail "a host is not as it was: $(diff <(echo "$before") <(manifest; guest_manifest))"

wants 0 "$engine" exec -e LAB=/build/lab -e SOURCE=/source "$guest" bash /source/tests/e2e/openssl_provider.sh
echo "ok"
