#!/bin/bash
# The whole way as an ordinary user. As root, one is borrowed: games, given a shell by a passwd file that only our mount namespace sees.
if [ "$(id -u)" -eq 0 ] && [ -z "${LAB_AS_USER:-}" ]; then
  unshare -m true 2>/dev/null || { echo "needs the right to make a mount namespace, or an ordinary user" >&2; exit 1; }
  open=$(mktemp -d)
  trap 'rm -rf "$open"' EXIT
  cp "$LAB" "$open/lab"
  cp "$SOURCE/tests/e2e/orchestrator_common.bash" "$0" "$open/"
  sed 's|^games:.*|games:x:5:60:games:/nonexistent:/bin/sh|' /etc/passwd >"$open/passwd"
  chmod -R a+rX "$open"
  unshare -m sh -c 'mount --bind "$1/passwd" /etc/passwd && exec setpriv --reuid=5 --regid=60 --clear-groups \
    env LAB_AS_USER=1 LAB="$1/lab" COMMON="$1/orchestrator_common.bash" bash "$1/$(basename "$2")"' sh "$open" "$0"
  exit $?
fi
. "${COMMON:-$SOURCE/tests/e2e/orchestrator_common.bash}" || exit 1

wants 0 "$LAB" up
says "lab local stands: 7 nodes in"
echo "$out" | tail -3
remember_addresses
wants 0 "$LAB" up
says "nothing to do"
wants 0 "$LAB" status
wants 0 "$LAB" exec was -- id -u
says "$(id -u)"
kill -9 "$(process_of 'nodes/tam/ssh/sshd_config')" "$(process_of 'agent.*was')"
wants 1 "$LAB" status
wants 0 "$LAB" down
nothing_left "after down"
echo "ok"
