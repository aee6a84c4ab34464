#!/bin/bash
# `lab image build --from`, in an image store of its own: on an image that is there, made again without leftovers, older recipes removed.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
[ -n "${LAB_LONG:-}" ] || skip "it takes a minute or more: LAB_LONG=1 runs it"
[ "$engine" = podman ] || skip "the image store of a test of its own takes podman"
[ "$(id -u)" -eq 0 ] || skip "needs root"
image_or_skip
name=$(grep -o 'localhost/lab-node:[0-9a-f]*' "$work/image" | tail -1)
podman image save -q -o "$work/base.tar" "$name" || fail "no base image"

cat >"$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/images"
runroot = "$work/image-run"
CONF
export CONTAINERS_STORAGE_CONF=$work/storage.conf
trap 'podman rmi -af >/dev/null 2>&1; umount "$work/images/overlay" 2>/dev/null; rm -rf "$work"' EXIT

wants 0 podman load -q -i "$work/base.tar"
wants 0 podman tag "$name" localhost/some-debian:1
wants 0 podman tag "$name" localhost/lab-node:000000000000  # an older recipe's
wants 0 podman untag "$name" "$name"
id_of() { podman image inspect --format '{{.Id}}' "$1"; }
nameless() { podman images -a --filter dangling=true --quiet; }

wants 0 "$LAB" image build --from localhost/some-debian:1
says "$name made in"
says "removed an older image: localhost/lab-node:000000000000"
first=$(id_of "$name")
[ -z "$(nameless)" ] || fail "images without a name: $(podman images -a)"
[ "$(podman images --quiet | sort -u | wc -l)" -eq 2 ] || fail "not base and image alone: $(podman images -a)"

wants 0 "$LAB" image build --from localhost/some-debian:1
says "$name is there already"
[ "$(id_of "$name")" = "$first" ] || fail "it was made again unasked"
wants 0 "$LAB" image build --from localhost/some-debian:1 --again
says "$name made in"
[ "$(id_of "$name")" != "$first" ] || fail "it was not made again"
[ -z "$(nameless)" ] || fail "--again leaves images without a name: $(podman images -a)"

podman run --rm --runtime runc --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$name" \
  sh -c 'test -x /usr/sbin/sshd && test -x /usr/sbin/nft && ! ls /etc/ssh/ssh_host_* 2>/dev/null' || fail "sshd or nft are not in it, or host keys are"

wants 1 "$LAB" image build --again --from localhost/nobody-has-this:1
says "is the image there, or its registry reachable?"
[ "$(podman images --quiet | sort -u | wc -l)" -eq 2 ] || fail "a failed build takes the image away: $(podman images -a)"
echo "ok"
