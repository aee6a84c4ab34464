#!/bin/bash
# The study's nine nodes on rootless Podman, as an ordinary user: SSH by ports published on loopback, firewalls and all; a short run, whose
# CPUs are limited by stopping and continuing where the engine may not; nothing left. As root, a user is borrowed, with what the system's
# administrator would give it (subordinate ids, /dev/net/tun), in a mount namespace of its own.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
[ "$engine" = podman ] || skip "rootless is tried with podman"

case "$(id -u):${1:-}" in
  0:)
    [ -n "${LAB_LONG:-}" ] || skip "it takes a minute or more: LAB_LONG=1 runs it"
    for program in newuidmap slirp4netns podman; do command -v "$program" >/dev/null || skip "$program is not installed"; done
    image_or_skip
    export LAB_IMAGE=$work/image.tar CONTRACT=$work/test_container
    podman image save -q --format oci-archive -o "$LAB_IMAGE" "$(grep -o 'localhost/lab-node:[0-9a-f]*' "$work/image" | tail -1)" ||
      fail "the image cannot be handed on"
    cp "$(dirname "$LAB")/tests/test_container" "$CONTRACT"
    chmod a+rx "$work" "$CONTRACT"
    chmod a+r "$LAB_IMAGE"
    unshare -m bash "$0" prepare
    exit
    ;;
  0:prepare)
    . "$SOURCE/tests/e2e/borrowed_user.bash"
    echo "games:200000:65536" >"$work/subid"
    chmod a+rx "$work"
    for file in /etc/subuid /etc/subgid; do [ -e "$file" ] && mount --bind "$work/subid" "$file" || fail "no $file"; done
    mount -t tmpfs tmpfs /dev/net && mknod -m 666 /dev/net/tun c 10 200 || fail "no /dev/net/tun"
    as_borrowed_user "$SOURCE/tests/e2e/container_rootless.sh"
    exit
    ;;
esac

[ -n "${LAB_IMAGE:-}" ] || skip "run as root: it borrows a user"
cd "$work" || exit 1
export XDG_RUNTIME_DIR=$work/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkdir -p "$HOME/.config/containers"
printf '[storage]\ndriver = "overlay"\n' >"$HOME/.config/containers/storage.conf"
end_engine() {
  "$LAB" --quiet down --all >/dev/null 2>&1
  podman rmi -af >/dev/null 2>&1
  kill "$(cat "$XDG_RUNTIME_DIR/libpod/tmp/pause.pid" 2>/dev/null)" 2>/dev/null  # it holds the user namespace
}
trap 'end_engine; rm -rf "$work"' EXIT

wants 1 "$LAB" plan webseal-2007
says "lab image build"
podman load -q -i "$LAB_IMAGE" >/dev/null 2>&1 || fail "the image cannot be loaded: $(podman load -q -i "$LAB_IMAGE" 2>&1)"
limited=$(podman info --format '{{json .Host.CgroupControllers}}' 2>/dev/null | jq 'any(. == "cpu")')

out=$("$LAB" doctor 2>&1)
says ", rootless, "
if [ "$limited" != true ]; then
  says "it cannot limit CPUs and memory"
  sed 's/cpus: 1}/cpus: 1, memory: 256MB}/' "$SOURCE/labs/webseal-2007.yaml" >memory.yaml
  wants 1 "$LAB" plan memory.yaml
  says "the engine cannot limit memory here"
fi

wants 0 "$LAB" up webseal-2007
says "lab webseal-2007 stands: 9 nodes in"
tail -1 <<<"$out"
wants 0 "$LAB" status
state=$XDG_STATE_HOME/lab/webseal-2007/state.json
jq -e '.nodes | all(.node.ssh_address == "127.0.0.1" and .node.ssh_port > 1023)' "$state" >/dev/null || fail "SSH is not by loopback: $(jq -c '.nodes[].node' "$state")"
address_of() { "$LAB" status --json | jq -r ".nodes[] | select(.name == \"$1\").address"; }
probe() { "$LAB" exec "$1" -- timeout 2 bash -c "exec 3<>/dev/tcp/$2/$3" >/dev/null 2>&1; }
probe client1 "$(address_of webseal)" 8080 || fail "client1 does not reach the gateway"
! probe client1 "$(address_of was)" 9080 || fail "client1 reaches the back end past the firewalls"

run_measured 2 --only '1/page=5.8KB/*/clients=8' --repeats 1
if [ "$limited" != true ]; then
  jq -e '.environment.cpu_method == "stop-continue" and (.environment.cpu_note | contains("rootless on cgroups v1"))' "$results" >/dev/null ||
    fail "how CPUs are limited: $(jq -c '.environment | [.cpu_method, .cpu_note]' "$results")"
fi
! jq -e '.cells[] | select(.flags | index("unreconciled"))' "$results" >/dev/null || fail "counts do not agree: $(jq .cells "$results")"

podman kill "$(container_of tam)" >/dev/null 2>&1
wants 1 "$LAB" status
says "container ended with exit code 137 (killed): lab up repairs it"
wants 0 "$LAB" up webseal-2007
wants 0 "$LAB" status

wants 0 "$LAB" down
tail -1 <<<"$out"
nothing_left_of webseal-2007
left=$(ps -u "$(id -u)" -o args= | grep -E '^(/usr/\S*/)?(conmon|slirp4netns|rootlessport|sshd)')
[ -z "$left" ] || fail "programs are left: $left"

"$CONTRACT" "[engine]" || fail "the contract is not kept on rootless Podman"
echo "ok as $(id -un)"
