#!/bin/bash
# Labs that come and go, one after the other, leave nothing: no container, network, image, rule, address, control group, namespace, mount
# or file: forty containers in all.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
[ -n "${LAB_LONG:-}" ] || skip "it takes a minute or more: LAB_LONG=1 runs it"
image_or_skip
rounds=10

cat >"$work/churn.yaml" <<'YAML'
lab: churn
provider: container
networks: {clients: 198.18.1.0/24, dmz: 198.18.2.0/24}
nodes:
  client:    {roles: [load],     networks: [clients]}
  firewall1: {roles: [firewall], networks: [clients, dmz]}
  webseal:   {roles: [gateway],  networks: [dmz], cpus: 1}
  was:       {roles: [pages],    networks: [dmz], memory: 256MB}
gateway:
  junctions: [{point: /app, type: tcp, servers: [was]}]
YAML

# All that an engine may leave on its host.
traces() {
  echo "containers: $("$engine" ps -aq | sort)"
  echo "networks: $("$engine" network ls --format '{{.Name}}' | sort)"
  echo "images: $("$engine" images -aq | sort -u)"
  echo "volumes: $("$engine" volume ls -q | sort)"
  echo "rules: $(nft list ruleset 2>/dev/null | sed 's/packets [0-9]* bytes [0-9]*//')"
  echo "links: $(ip -br link 2>/dev/null | awk '{ print $1 }')"
  echo "routes: $(ip -4 route 2>/dev/null)"
  echo "control groups: $(find /sys/fs/cgroup -type d 2>/dev/null | grep -E 'libpod|conmon|docker|lab-(churn|e2e)' | sort)"
  echo "namespaces: $(ls /run/netns /var/run/netns 2>/dev/null | sort -u)"
  echo "mounts: $(awk '{ print $5 }' /proc/self/mountinfo | grep -E 'containers|docker|netns' | sort)"
  echo "layers: $(ls "$(storage)" 2>/dev/null | sort)"
  echo "programs: $(ps -eo args= | grep -E '^(/usr/\S*/)?(conmon|aardvark-dns|containerd-shim|slirp4netns)' | sort)"
  echo "files: $(ls -A "$XDG_STATE_HOME/lab" 2>/dev/null; ls -A /tmp | grep '^lab-image')"
}
storage() {
  if [ "$engine" = podman ]; then podman info --format '{{.Store.GraphRoot}}/overlay'; else docker info --format '{{.DockerRootDir}}/overlay2'; fi
}

# The engine's own first traces (a parent control group, say) are not the lab's.
wants 0 "$LAB" up "$work/churn.yaml"
wants 0 "$LAB" down
traces >"$work/before"
for ((round = 1; round <= rounds; ++round)); do
  wants 0 "$LAB" up "$work/churn.yaml"
  [ "$("$engine" ps --format '{{.Names}}' | grep -c "^$(prefix_of churn)-")" -eq 4 ] || fail "round $round: not four containers"
  if [ $((round % 2)) -eq 0 ]; then "$engine" kill "$(container_of was churn)" >/dev/null; fi  # down takes what it finds
  wants 0 "$LAB" down
  nothing_left_of churn
done
traces >"$work/after"
diff "$work/before" "$work/after" >"$work/difference" || fail "left after $((4 * rounds)) containers: $(cat "$work/difference")"
echo "ok on $engine: $((4 * rounds)) containers"
