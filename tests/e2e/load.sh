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
  ssl_session_tickets on;
  server {
    listen 127.0.0.1:$http_port;
    listen 127.0.0.1:$https_port ssl;
    root $work/www;
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
