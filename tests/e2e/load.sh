#!/bin/bash
# `lab load` against nginx, which nobody here wrote, and against `lab pages`.
set -u
: "${LAB:?}"
work=$(mktemp -d)
failures=0
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
  wait
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

same() { # NAME EXPECTED GOT
  [ "$2" = "$3" ] || fail "$1: \"$3\" instead of \"$2\""
}

has() { # NAME EXTENDED-EXPRESSION TEXT
  grep -Eq -- "$2" <<<"$3" || fail "$1: no \"$2\" in: $3"
}

# number SECTION KEY: of the result, the JSON object on the last line of $work/out.
number() {
  tail -1 "$work/out" | grep -o "\"$1\":{[^}]*" | tail -1 | grep -o "\"$2\":[0-9]*" | cut -d: -f2
}

section() { # SECTION: the object as it stands there
  tail -1 "$work/out" | grep -o "\"$1\":{[^}]*}" | tail -1
}

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 1 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
mkfifo "$work/ready"
"$LAB" pages --http 127.0.0.1:0 --https 127.0.0.1:0 --cert "$work/cert.pem" --key "$work/key.pem" --ready-fd 3 3>"$work/ready" 2>/dev/null &
pids+=($!)
ready=$(timeout 20 cat "$work/ready")
pages=$(grep -o 'http://[^"]*' <<<"$ready")
secure=$(grep -o 'https://[^"]*' <<<"$ready")
[ -n "$pages" ] || { fail "lab pages does not start"; exit 1; }

# Free ports: the kernel's choice for a server of ours that is gone again.
"$LAB" pages --http 127.0.0.1:0 --http 127.0.0.1:0 --http 127.0.0.1:0 --ready-fd 3 3>"$work/ready" 2>/dev/null &
chooser=$!
read -r http_port https_port deserted_port < <(timeout 20 cat "$work/ready" | grep -o 'http://[^"]*' | cut -d: -f3 | paste -sd' ')
kill "$chooser"
wait "$chooser"
mkdir -p "$work/www/page" "$work/tmp"
curl -s "$pages/page/5.8KB" -o "$work/www/page/5.8KB"
printf 'alice:%s\n' "$(openssl passwd -apr1 secret)" >"$work/htpasswd"
cat >"$work/nginx.conf" <<CONF
pid $work/nginx.pid;
error_log $work/error.log;
worker_processes 1;
events {}
http {
  access_log $work/access.log;
  client_body_temp_path $work/tmp; proxy_temp_path $work/tmp; fastcgi_temp_path $work/tmp; uwsgi_temp_path $work/tmp; scgi_temp_path $work/tmp;
  keepalive_requests 100;
  ssl_certificate $work/cert.pem;
  ssl_certificate_key $work/key.pem;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_tickets on;
  ssl_verify_client optional_no_ca;
  server {
    listen 127.0.0.1:$http_port;
    listen 127.0.0.1:$https_port ssl;
    root $work/www;
    location /mutual { default_type text/plain; return 200 "\$ssl_client_s_dn"; }
    location /private/ { alias $work/www/; auth_basic lab; auth_basic_user_file $work/htpasswd; }
  }
}
CONF
[ "$(id -u)" = 0 ] && sed -i '1i user root;' "$work/nginx.conf"
/usr/sbin/nginx -p "$work" -c "$work/nginx.conf" -g 'daemon off;' 2>"$work/nginx.err" &
pids+=($!)
nginx=http://127.0.0.1:$http_port
for _ in $(seq 100); do
  curl -s -o /dev/null "$nginx/page/5.8KB" && break
  sleep 0.05
done
for _ in $(seq 100); do # nginx logs a request after it is answered: that of curl is not to come after the log was emptied
  [ -s "$work/access.log" ] && break
  sleep 0.05
done
: >"$work/access.log"

# Counts agree with nginx's log, though nginx closes each connection after 100 requests.
"$LAB" load "$nginx/page/5.8KB" -c 4 -n 1000 --warmup 0.2s --expect-pages --json >"$work/out" 2>"$work/err"
same "exit" 0 $?
for _ in $(seq 100); do # nginx logs a request after it is answered
  [ "$(wc -l <"$work/access.log")" -ge "$(number total responses)" ] && break
  sleep 0.05
done
same "responses are the log's lines" "$(wc -l <"$work/access.log")" "$(number total responses)"
same "started = done + failed + in flight" "$(number total started)" \
  "$(($(number total done) + $(number total failed) + $(number total in_flight)))"
[ "$(number requests done)" -ge 1000 ] || fail "fewer than the requests asked for: $(section requests)"
same "nothing failed" 0 "$(number total failed)"
[ "$(tail -1 "$work/out" | grep -o '"reconnects":[0-9]*' | tail -1 | cut -d: -f2)" -ge 6 ] || fail "closed connections are not opened again"
same "connections" '"connections":{"requested":4,"achieved":4}' "$(section connections)"

# TLS to nginx in all three ways.
for mode in once full resume; do
  "$LAB" load "https://127.0.0.1:$https_port/page/5.8KB" -c 2 -n 60 --tls $mode --tls-max 1.2 --ciphers ECDHE-RSA-AES128-GCM-SHA256 \
    --cacert "$work/cert.pem" --expect-pages --json >"$work/out" 2>"$work/err" || fail "--tls $mode: $(cat "$work/err")"
  same "--tls $mode: done" 60 "$(number total done)"
  same "--tls $mode: negotiated" '"tls":{"version":"1.2","cipher":"ECDHE-RSA-AES128-GCM-SHA256"}' "$(section tls)"
  case $mode in
    once) same "--tls once" '"handshakes":{"full":2,"resumed":0}' "$(section handshakes)" ;;
    full) same "--tls full" '"handshakes":{"full":60,"resumed":0}' "$(section handshakes)" ;;
    resume) same "--tls resume" '"handshakes":{"full":2,"resumed":58}' "$(section handshakes)" ;;
  esac
done

# nginx's basic authentication sets no cookie: the password goes with every request after the first 401.
echo secret >"$work/password"
"$LAB" load "$nginx/private/page/5.8KB" -c 2 -n 40 --user alice --password-file "$work/password" --expect-pages --json >"$work/out"
same "a login a client" "40 2" "$(number total done) $(number total logins)"
echo wrong >"$work/password"
"$LAB" load "$nginx/private/page/5.8KB" -n 3 --user alice --password-file "$work/password" >"$work/out" 2>"$work/err"
same "a wrong password" 1 $?
has "a wrong password" '401 Unauthorized in spite of a password' "$(cat "$work/err")"

# `lab pages` over both transports, large pages, a connection a request.
"$LAB" load "$secure/page/2.9MB" -c 3 -n 30 --cacert "$work/cert.pem" --expect-pages >"$work/out" 2>&1 || fail "2.9MB: $(cat "$work/out")"
has "human output" '30 started = 30 done \+ 0 failed \+ 0 in flight' "$(cat "$work/out")"
"$LAB" load "$pages/page/100B" -c 3 -t 2 -n 300 --close --expect-pages --hdr "$work/times.hlog" >"$work/out" 2>&1 || fail "--close: $(cat "$work/out")"
has "an HdrHistogram log" '^0\.000,[0-9.]+,[0-9.]+,HISTFA' "$(cat "$work/times.hlog")"

# Every second is a line of --csv and --hdr, and the log's lines add up to the run: HdrHistogram's own JavaScript tool reads them.
"$LAB" load "$pages/page/100B" -c 2 -d 2.2s -R 500 --csv "$work/seconds.csv" --hdr "$work/seconds.hlog" --json >"$work/out" 2>"$work/err" ||
  fail "--csv: $(cat "$work/err")"
[ "$(wc -l <"$work/seconds.csv")" -ge 4 ] || fail "fewer lines than seconds: $(cat "$work/seconds.csv")"
same "--csv counts all" "$(number total done)" "$(awk -F, 'NR > 1 { sum += $4 } END { print sum }' "$work/seconds.csv")"
(cd "$SOURCE/tests/hdr" && { [ -d node_modules ] || npm ci --silent --no-audit --no-fund >/dev/null 2>&1; })
node "$SOURCE/tests/hdr/read.mjs" "$work/seconds.hlog" >"$work/read" 2>&1 || fail "hdr-histogram-js does not read the log: $(head -5 "$work/read")"
same "the log's count" "$(number requests done)" "$(jq .count "$work/read")"
jq -e --slurpfile run <(tail -1 "$work/out") '
  def near(a; b): (a - b) * (a - b) <= (0.002 * b) * (0.002 * b);
  near(.p50 / 1000; $run[0].latency_us.p50) and near(.p99 / 1000; $run[0].latency_us.p99) and near(.max / 1000; $run[0].latency_us.max)' \
  "$work/read" >/dev/null || fail "the log's percentiles are others: $(cat "$work/read") and $(section latency_us)"

# Open loop: the target, what was achieved, and a warning where it is missed.
same "a rate" 1100 "$(jq -r .rate.scheduled <(tail -1 "$work/out"))"
"$LAB" load "$pages/page/2.9MB" -c 1 -d 0.5s -R 100000 >"$work/out" 2>"$work/err"
same "a rate that is missed" 0 $?
has "a rate that is missed" 'warning: rate-missed: .* found no free connection' "$(cat "$work/err")"
has "a rate that is missed" 'of 100000.0/s asked for' "$(cat "$work/out")"

# A pair: its ratio with an interval, for people and as JSON.
"$LAB" load "$pages/page/5.8KB" --against "$pages/page/12KB" -c 2 -d 3s --slice 20ms --expect-pages --json >"$work/out" 2>"$work/err" ||
  fail "--against: $(cat "$work/err")"
jq -e '.against | .ratio.n >= 2 and .ratio.low <= .ratio.median and .ratio.median <= .ratio.high and .ratio.median > 0.1 and
  .slice_s >= 0.02 and .a.total.failed == 0 and .b.total.failed == 0 and (.a.total.done + .b.total.done) > 0 and
  ([.slices[].done] | add) == .a.total.done + .b.total.done' <(tail -1 "$work/out") >/dev/null || fail "--against: $(tail -1 "$work/out")"
"$LAB" load "$pages/page/1" --against "$pages/page/1" -c 1 -d 0.5s --slice 10ms --gap 30ms >"$work/out" 2>"$work/err" || fail "--gap: $(cat "$work/err")"
has "a pair for people" 'B / A = [0-9.]+, 95% interval [0-9.]+ to [0-9.]+, of [0-9]+ groups' "$(cat "$work/out")"
has "a pair for people" 'slices    10ms each, 30ms to drain' "$(cat "$work/out")"

# The highest rate within a limit; a limit that nothing meets.
"$LAB" load "$pages/page/100B" -c 8 -d 0.2s --find-max -R 20 --slo 'p99<1us' --json >"$work/out" 2>"$work/err"
same "no rate within the limit" 3 $?
same "no rate within the limit" 0 "$(jq .rate "$work/out")"
"$LAB" load "$pages/page/100B" -c 8 -d 0.3s --find-max -R 2000 --slo 'p50<2s' --json >"$work/out" 2>"$work/err"
jq -e '.probes | length > 1' "$work/out" >/dev/null || fail "--find-max: $(cat "$work/out" "$work/err")"

# Forms, steps, source addresses, client certificates and groups against nginx.
"$LAB" load "$nginx/" -c 2 -n 60 --step '3 /page/5.8KB' --step '1 HEAD /page/5.8KB' --source 127.0.0.7 --expect-header 'Content-Type' --json >"$work/out" 2>"$work/err" ||
  fail "--step: $(cat "$work/err")"
for _ in $(seq 100); do
  grep -q '^127.0.0.7 .*"HEAD /page/5.8KB HTTP/1.1" 200 0' "$work/access.log" && break
  sleep 0.05
done
grep -q '^127.0.0.7 .*"HEAD /page/5.8KB HTTP/1.1" 200 0' "$work/access.log" || fail "--step and --source: $(tail -3 "$work/access.log")"
for key in "tls-min 1.3 --ciphersuites TLS_AES_128_GCM_SHA256 --groups P-256" "tls full --full-each 3" "tls resume --full-each 3"; do
  # shellcheck disable=SC2086 # options and their values
  "$LAB" load "https://127.0.0.1:$https_port/page/5.8KB" -c 1 -n 9 --cacert "$work/cert.pem" --$key --json >"$work/out" 2>"$work/err"
  case "$?/$key" in
    0/tls-min*) same "--ciphersuites" '"tls":{"version":"1.3","cipher":"TLS_AES_128_GCM_SHA256"}' "$(section tls)" ;;
    2/"tls full"*) has "--full-each without resumption" 'add --tls resume' "$(cat "$work/err")" ;;
    0/"tls resume"*) same "--full-each" '"handshakes":{"full":3,"resumed":6}' "$(section handshakes)" ;;
    *) fail "--$key: $(cat "$work/err")" ;;
  esac
done
"$LAB" load "https://127.0.0.1:$https_port/mutual" -n 3 --insecure --cert "$work/cert.pem" --key "$work/key.pem" --expect-text 'CN=localhost' >"$work/out" 2>&1 ||
  fail "a client certificate: $(cat "$work/out")"
"$LAB" load "https://127.0.0.1:$https_port/page/5.8KB" -n 9 --insecure --tls resume --requests-per-connection 3 --json >"$work/out" 2>&1
same "--requests-per-connection" '"handshakes":{"full":1,"resumed":2}' "$(section handshakes)"

# What makes no sense is refused, with a remedy.
refused() { # EXTENDED-EXPRESSION OPTION…
  local expression=$1
  shift
  "$LAB" load "$pages/page/1" "$@" >"$work/out" 2>"$work/err"
  same "refused: $*" 2 $?
  has "refused: $*" "$expression" "$(cat "$work/err")"
}
refused 'no whole number from 1' -n=-1
refused 'no whole number from 1' -n 0
refused 'no whole number from 1' -n 18446744073709551617
refused 'no whole number from 1' -n 1.5
refused '--duration of no time' -d 0s
refused '--timeout of no time' --timeout 0s
refused 'Content-Length header .* framing' -H 'Content-Length: 5'
refused 'Transfer-Encoding header' -H 'transfer-encoding: chunked'
refused 'is no header' -H 'bad name: x'
refused 'is no header' -H "$(printf 'X: a\001b')"
refused 'requires' --poisson
refused 'excludes' -R 5 --think 1s
refused 'excludes' -R 5 --against "$pages/page/1"
refused 'leave -R and -n out' -n 5 --against "$pages/page/1"
refused 'excludes' --close --requests-per-connection 3
refused 'not https' --tls full
refused 'requires' --slice 20ms
refused 'requires' --slo 'p99<1ms'
refused 'is no step' --step '/page/1'
refused 'is no step' --step '0 /page/1'
refused 'give -d instead of -n' --find-max -n 3
refused 'a login without users' --auth forms
has "--help tells the drain's limit" '5s more' "$("$LAB" load --help | tr -s '\n ' ' ')"
"$LAB" run --seed=-1 --list >"$work/out" 2>"$work/err"
same "lab run --seed -1" 2 $?
has "lab run --seed -1" 'no whole number' "$(cat "$work/err")"

# A file instead of options: the last line of standard output is the result.
printf 'url: %s/page/12KB\nclients: 2\nduration: 0.2s\nexpect: {pages: true}\n' "$pages" >"$work/load.yaml"
"$LAB" load -c "$work/load.yaml" >"$work/out" 2>"$work/err" || fail "-c FILE: $(cat "$work/err")"
same "-c FILE" 0 "$(number requests failed)"

for given in "$pages/page/1" '-c 3' '-d 1s'; do
  # shellcheck disable=SC2086 # an option and its value
  "$LAB" load --config "$work/load.yaml" $given >"$work/out" 2>"$work/err"
  same "a file and $given" 2 $?
  has "a file and $given" 'beside a file' "$(cat "$work/err")"
done
"$LAB" load -c "$work/load.yaml" --close >"$work/out" 2>"$work/err"
same "-c FILE and --close" 2 $?
"$LAB" load "$pages/page/1" -c 99999999999 >"$work/out" 2>"$work/err"
same "too many clients" 2 $?

# Exit codes and messages.
"$LAB" load "$pages/page/1" -d 0.2s --fail-if 'rate<1000000000' >/dev/null 2>"$work/err"
same "a threshold missed" 3 $?
has "a threshold missed" 'threshold missed: rate<1000000000' "$(cat "$work/err")"
"$LAB" load "http://127.0.0.1:$deserted_port/" -c 2 -d 0.2s >"$work/out" 2>"$work/err"
same "nobody there" 1 $?
has "nobody there" 'only 0 of 2 connections could be opened: connect: .*Connection refused' "$(cat "$work/err")"
"$LAB" load "$secure/page/1" -d 0.2s >"$work/out" 2>"$work/err"
same "an unknown certificate" 1 $?
has "an unknown certificate" 'certificate verify failed' "$(cat "$work/err")"
"$LAB" load gopher://x >"$work/out" 2>"$work/err"
same "no URL" 2 $?
: >"$work/access.log"
"$LAB" load "$nginx/page/5.8KB" -d 60s --json --hdr "$work/interrupted.hlog" >"$work/out" 2>"$work/err" &
driver=$!
for _ in $(seq 200); do
  [ -s "$work/access.log" ] && break
  sleep 0.05
done
kill -INT "$driver"
wait "$driver"
same "interrupted" 130 $?
[ -s "$work/interrupted.hlog" ] || fail "an interrupted run writes no --hdr file"
[ "$(number total done)" -gt 0 ] || fail "an interrupted run does not report: $(cat "$work/out")"

[ "$failures" = 0 ]
