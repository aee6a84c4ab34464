#!/bin/bash
# lab run --web: the run as a browser and as curl see it while it goes on, and the report afterwards.
set -u
: "${LAB:?the binary}" "${SOURCE:?the checkout}"
work=$(mktemp -d)
export XDG_STATE_HOME=$work/state
name=e2e-live
pid=

finish() {
  [ -z "$pid" ] || kill -INT "$pid" 2>/dev/null
  [ -z "$pid" ] || wait "$pid"
  "$LAB" down --name "$name" >"$work/down" 2>&1 || cat "$work/down" >&2
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "FAILED: $1" >&2
  [ ! -s "$work/err" ] || cat "$work/err" >&2
  exit 1
}

(
  cd "$SOURCE/tests/browser" || exit 1
  if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json
  fi
) || fail "npm ci"
cd "$work" || exit 1

"$LAB" run --web 127.0.0.1 >out 2>err
[ $? = 2 ] || fail "an address without a port is not refused"
grep -q "127.0.0.1:0" err || fail "a usable address is not named"
: >err
"$LAB" up --name "$name" local >out 2>err || fail "up"

# Standard input is no terminal: the server goes when the run is over and its readers have the report.
"$LAB" run --name "$name" --web 127.0.0.1:0 --repeats 12 --only '1/*cpus=2/clients=8' --only '1/*cpus=1/clients=8' </dev/null >out 2>err &
pid=$!
url=
for _ in $(seq 300); do
  url=$(sed -n 's/^live view: //p' err)
  [ -z "$url" ] || break
  kill -0 "$pid" 2>/dev/null || fail "the run ended before it served"
  sleep 0.1
done
[ -n "$url" ] || fail "no address was printed"

[ "$(curl -s "${url}state" | jq -r .lab)" = "$name" ] || fail "/state is not of this lab"
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: rebound.example' "$url")" = 421 ] || fail "a foreign Host is answered"
[ "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$url")" = 405 ] || fail "POST is answered"
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Sec-Fetch-Site: cross-site' "${url}state")" = 403 ] || fail "another site is answered"

(cd "$SOURCE/tests/browser" && URL_OF_VIEW=$url RUN=$work/reports/latest node --test live.test.mjs) || fail "in the browser"
wait "$pid" || grep -q "trials failed" err || fail "the run failed"  # on a busy host a trial may
pid=
! curl -s "$url" >/dev/null || fail "it still serves"
