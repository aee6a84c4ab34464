#!/usr/bin/env bash
# Chromium logs in to the gateway through its form, over HTTPS.
set -u
LAB=${LAB:?the lab binary}
SOURCE=${SOURCE:?the source tree}
DIR=$(mktemp -d)
source "$SOURCE/tests/e2e/gateway_common.bash"

certificate gateway.test
start pages pages --http 127.0.0.1:0
start directory directory --ldap 127.0.0.1:0 --users 10
cat >"$DIR/gateway.yaml" <<YAML
https: 127.0.0.1:0
tls: {cert: $DIR/cert.pem, key: $DIR/key.pem}
authentication: {forms: https}
directory: {url: "${directory[0]}"}
junctions: [{point: /, servers: ["${pages[0]#http://}"], identity: all}]
YAML
start gateway gateway -c "$DIR/gateway.yaml"

cd "$SOURCE/tests/browser" || exit 1
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
GATEWAY=${gateway[0]} node --test login.mjs || fail "the browser's login"
finish
