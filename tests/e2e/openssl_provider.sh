#!/bin/bash
# A provider for OpenSSL is a shared object that OPENSSL_CONF names for one process: lab-dynamic loads it; lab, which is static, has no
# libcrypto that it could share.
set -u
. "$SOURCE/tests/e2e/checks.bash" || exit 1
build=$(dirname "$LAB")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/openssl.cnf" <<TXT
openssl_conf = start
[start]
providers = providers
[providers]
default = default_provider
lab_test = lab_test
[default_provider]
activate = 1
[lab_test]
module = $build/tests/lab_test_provider.so
activate = 1
TXT

# providers PROGRAM [VARIABLE=VALUE]: those that the program, as a page server, has loaded by the time that it serves.
providers() {
  local ready=$work/ready program=$1
  shift
  rm -f "$ready"
  mkfifo "$ready"
  env "$@" "$program" pages --http 127.0.0.1:0 --ready-fd 3 3>"$ready" 2>"$work/log" &
  timeout 60 grep -o '"openssl_providers":[^]]*]' <"$ready" | cut -d: -f2 || cat "$work/log"
  kill $!
  wait $! 2>/dev/null
}

conf=OPENSSL_CONF=$work/openssl.cnf
check "the dynamic program loads the provider" '["default","lab_test"]' "$(providers "$build/lab-dynamic" "$conf")"
check "another process of it does not" '["default"]' "$(providers "$build/lab-dynamic" -u OPENSSL_CONF)"
check "the static program cannot" '["default"]' "$(providers "$LAB" "$conf")"
check "both are of one build" "$("$LAB" version | head -1)" "$("$build/lab-dynamic" version | head -1)"
exit $failed
