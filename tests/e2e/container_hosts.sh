#!/bin/bash
# Provider ssh on hosts that are machines of their own: containers that know nothing of labs, each with an sshd, a network and a file system.
# Up, a short run, down; afterwards each is as it was, byte for byte.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
image_or_skip
image=$(grep -o 'localhost/lab-node:[0-9a-f]*' "$work/image" | tail -1)
prefix=e2e-hosts-$$ hosts="client webseal tam was"
end_hosts() {
  "$LAB" --quiet down --all >/dev/null 2>&1
  for host in $hosts; do "$engine" rm -f -t 0 "$prefix-$host" >/dev/null 2>&1; done
  "$engine" network rm "$prefix" >/dev/null 2>&1
}
trap 'end_hosts; rm -rf "$work"' EXIT
runtime=()
[ "$engine" = docker ] || runtime=(--runtime runc)

ssh-keygen -q -t ed25519 -N "" -f "$work/key"
wants 0 "$engine" network create --internal --subnet 198.19.255.0/24 "$prefix"
printf '%s\n' "lab: given" "provider: ssh" "gateway: {authentication: {basic: https}, junctions: [{point: /app, servers: [was]}]}" "nodes:" >"$work/hosts.yaml"
place=10
for host in $hosts; do
  role=$(case $host in client) echo load ;; webseal) echo gateway ;; tam) echo directory ;; was) echo pages ;; esac)
  address=198.19.255.$((++place))
  mkdir "$work/$host"
  ssh-keygen -q -t ed25519 -N "" -f "$work/$host/host_key"
  wants 0 "$engine" run -d "${runtime[@]}" --pull never --name "$prefix-$host" --network "$prefix" --ip "$address" \
    --ulimit nofile="$(ulimit -Hn):$(ulimit -Hn)" --ulimit nproc=4096:4096 -v "$work/$host:/ssh:ro" -v "$work/key.pub:/key.pub:ro" "$image" \
    sh -c 'mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e -o HostKey=/ssh/host_key -o AuthorizedKeysFile=/key.pub -o UsePAM=no -o StrictModes=no'
  echo "  $host: {roles: [$role], host: $address, user: root, key: $work/key, host-key: '$(ssh-keygen -lf "$work/$host/host_key.pub" | cut -d' ' -f2)'}" \
    >>"$work/hosts.yaml"
done
deadline=$((SECONDS + 20))
for address in 198.19.255.{11..14}; do
  until (exec 3<>"/dev/tcp/$address/22") 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || fail "no sshd at $address"
    sleep 0.1  # between two looks
  done
done

manifest() { # what sshd itself writes of logins is in var/log
  local host
  for host in $hosts; do
    echo "$host"
    "$engine" exec "$prefix-$host" sh -c 'cd / && find etc home opt root srv tmp usr/local var -xdev -path var/log -prune -o \
      -printf "%p %y %m %u %s %l\n" -type f -exec sha256sum {} + | sort'
  done
}
processes() { for host in $hosts; do "$engine" exec "$prefix-$host" sh -c 'ps -eo args= | grep -c "[l]ab "'; done | paste -sd' '; }
manifest >"$work/before"

wants 0 "$LAB" up "$work/hosts.yaml"
says "lab given stands: 4 nodes in"
wants 0 "$LAB" status
wants 0 "$LAB" exec webseal -- sh -c 'ls -d /root/.lab-given-*-webseal'
[ "$(processes)" != "0 0 0 0" ] || fail "nothing of the lab's runs on the hosts"
printf '%s\n' "playbook: small" "profiles: {quick: {warmup: 0.3s, measure: 1s}}" "scenarios:" \
  '  - {id: "1", client: http, junction: {point: /app2, servers: [was]}, auth: none, axes: {page: [5.8KB], clients: [4]}}' >"$work/small.yaml"
run_measured 1 "$work/small.yaml" --repeats 1

wants 0 "$LAB" down
manifest >"$work/after"
diff "$work/before" "$work/after" >"$work/difference" || fail "hosts are not as they were: $(cat "$work/difference")"
[ "$(processes)" = "0 0 0 0" ] || fail "programs of the lab's are left: $(processes)"
end_hosts
left=$("$engine" ps -a --format '{{.Names}}' | grep "^$prefix")
[ -z "$left" ] || fail "hosts are left: $left"
echo "ok on $engine"
