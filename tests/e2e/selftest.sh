#!/bin/bash
# `lab selftest`: what must hold on any host, however busy, and that nothing of it is left. The effects whose size a busy host hides are
# checked by hand, on a quiet one.
set -u
: "${LAB:?}"
work=$(mktemp -d)
export XDG_STATE_HOME=$work/state
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1" >&2
  cat "$work/out" "$work/err" >&2
  exit 1
}

"$LAB" selftest --only nothing >"$work/out" 2>"$work/err"
[ $? = 2 ] || fail "an unknown check is no error of usage"
"$LAB" selftest --json --only synthetic --only lost-lines >"$work/out" 2>"$work/err" || fail "exit $?"
jq -e '.checks | length == 2 and all(.outcome == "held" or (.outcome == "skipped" and .reason != ""))' "$work/out" >"$work/jq" || fail "not all held"
[ -z "$("$LAB" status 2>/dev/null)" ] || fail "its lab still stands"
[ ! -d "$XDG_STATE_HOME/lab/selftest" ] || fail "its state is left"
