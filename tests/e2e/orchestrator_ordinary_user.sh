#!/bin/bash
# The whole way as an ordinary user.
if [ "$(id -u)" -eq 0 ] && [ -z "${LAB_AS_USER:-}" ]; then
  . "$SOURCE/tests/e2e/borrowed_user.bash"
  as_borrowed_user "$0"
  exit $?
fi
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1

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
