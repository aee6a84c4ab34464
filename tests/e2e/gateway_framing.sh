#!/usr/bin/env bash
# The gateway's framing against Varnish's own client and server (varnishtest), one script a kind of fault: tests/e2e/framing/*.vtc.
set -u
LAB=${LAB:?the lab binary}
SOURCE=${SOURCE:?the source tree}
DIR=$(mktemp -d)
gateway_pid=
FAILED=0

cleanup() {
  [ -n "$gateway_pid" ] && kill "$gateway_pid" 2>/dev/null
  wait
  rm -rf "$DIR"
}
trap cleanup EXIT

mkfifo "$DIR/ready"
"$LAB" gateway --http 127.0.0.1:0 --junction local:/ --control "$DIR/control" --ready-fd 3 3>"$DIR/ready" 2>"$DIR/gateway.err" &
gateway_pid=$!
gateway=$(timeout 20 cat "$DIR/ready" | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)
[ -n "$gateway" ] || { echo "FAILED: the gateway did not start: $(cat "$DIR/gateway.err")"; exit 1; }

for script in "$SOURCE"/tests/e2e/framing/*.vtc; do
  if ! varnishtest -t 60 -D "lab=$LAB" -D "control=$DIR/control" -D "gateway=$gateway" "$script" >"$DIR/log" 2>&1; then
    echo "FAILED: $(basename "$script")"
    tail -n 60 "$DIR/log"
    FAILED=1
  fi
done
kill -0 "$gateway_pid" 2>/dev/null || { echo "FAILED: the gateway has ended: $(cat "$DIR/gateway.err")"; FAILED=1; }

[ "$FAILED" == 0 ] && echo "all passed"
exit "$FAILED"
