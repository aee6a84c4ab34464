#!/bin/bash
# Containers on Docker, by the scripts that Podman passes. The daemon is the test's own, in namespaces for network and mounts: its packet
# filter, addresses and files are nobody else's, and end with it. Skipped (exit 77) with the reason where no daemon can run.
skip() {
  echo "skipped: $*"
  exit 77
}
command -v docker >/dev/null && command -v dockerd >/dev/null && command -v containerd >/dev/null || skip "docker.io is not installed"
[ "$(id -u)" -eq 0 ] || skip "a Docker daemon wants root"
unshare -nm true 2>/dev/null || skip "no right to make namespaces"

if [ "${1:-}" != apart ]; then
  borrowed=$(mktemp -d)
  trap 'rm -rf "$borrowed"' EXIT
  # The image that Podman has serves Docker, too; without it, it is made there.
  if name=$(podman images --format '{{.Repository}}:{{.Tag}}' localhost/lab-node 2>/dev/null | head -1) && [ -n "$name" ]; then
    podman image save -q --format docker-archive -o "$borrowed/image.tar" "$name"
  fi
  unshare -nm bash "$0" apart "$borrowed"
  exit
fi

borrowed=$2 parent=lab-e2e-$$
export DOCKER_HOST=unix://$borrowed/docker.sock LAB_ENGINE=docker
ip link set lo up
mount -t tmpfs tmpfs /run
mkdir -p /run/lock
dockerd --data-root "$borrowed/data" --exec-root "$borrowed/exec" --host "$DOCKER_HOST" --pidfile "$borrowed/pid" --bridge none \
  --cgroup-parent "/$parent" >"$borrowed/log" 2>&1 &
daemon=$!
end_daemon() {
  kill "$daemon" 2>/dev/null
  wait "$daemon"
  find /sys/fs/cgroup -depth -type d -path "*/$parent*" -exec rmdir {} + 2>/dev/null
}
trap end_daemon EXIT
deadline=$((SECONDS + 30))
until docker version >/dev/null 2>&1; do
  kill -0 "$daemon" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ] || skip "dockerd cannot run here: $(tail -5 "$borrowed/log")"
  sleep 0.1  # between two looks
done
[ ! -e "$borrowed/image.tar" ] || docker load -q -i "$borrowed/image.tar" >/dev/null || exit 1

for script in container container_limits container_contract ${LAB_LONG:+container_churn}; do
  bash "$SOURCE/tests/e2e/$script.sh"
  code=$?
  [ "$code" -eq 0 ] || { echo "FAILED: $script.sh on Docker: exit code $code" >&2; exit "$code"; }
done
end_daemon
trap - EXIT
left=$(find /sys/fs/cgroup -type d -path "*/$parent*")
[ -z "$left" ] || { echo "FAILED: control groups are left: $left" >&2; exit 1; }
links=$(ip -br link | awk '$1 != "lo" { print $1 }')
[ -z "$links" ] || { echo "FAILED: links are left: $links" >&2; exit 1; }
echo "ok"
