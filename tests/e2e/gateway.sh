#!/usr/bin/env bash
# `lab gateway` in front of `lab pages` and `lab directory`, driven by programs that nobody here wrote.
set -u
LAB=${LAB:?the lab binary}
SOURCE=${SOURCE:?the source tree}
DIR=$(mktemp -d)
source "$SOURCE/tests/e2e/gateway_common.bash"

# control METHOD: one call to the gateway's control socket.
control() {
  perl -MIO::Socket::UNIX -e '
    my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no control socket: $!";
    print $socket qq({"jsonrpc":"2.0","id":1,"method":"$ARGV[1]"}\n);
    $socket->flush;
    print scalar <$socket>;' "$DIR/gateway.sock" "$1"
}

number() { grep -oE "\"$2\":[0-9]+" <<<"$1" | grep -oE '[0-9]+$'; }
# With the files that were moved away when it grew too large: a fast host writes megabytes in a second.
log_lines() { control logs.flush >/dev/null; cat "$DIR"/request.log "$DIR"/request.log.* 2>/dev/null | wc -l; }
empty_log() { control logs.flush >/dev/null; rm -f "$DIR"/request.log.*; : >"$DIR/request.log"; }

certificate gateway.test

start pages pages --http 127.0.0.1:0 --https 127.0.0.1:0 --cert "$DIR/cert.pem" --key "$DIR/key.pem"
start directory directory --ldap 127.0.0.1:0 --users 100
plain=${pages[0]#http://} tls=${pages[1]#https://}
start gateway gateway --http 127.0.0.1:0 --https 127.0.0.1:0 --cert "$DIR/cert.pem" --key "$DIR/key.pem" --threads 2 \
  --junction "tcp:/=$plain" --junction "ssl:/ssl=$tls" --junction "tcp:/dead=127.0.0.1:1" --junction local:/local \
  --directory "${directory[0]}" --public /page --public /echo --public /ssl --public /dead --public /local/page \
  --request-log "$DIR/request.log" --control "$DIR/gateway.sock"
http=${gateway[0]} https=${gateway[1]}

# --- curl: sizes and bytes, on every way through
for size in 0 1 100B 5.8KB 12KB 2.9MB; do
  curl -s "${pages[0]}/page/$size" >"$DIR/original"
  for base in "$http" "$https" "$http/ssl" "$https/ssl" "$http/local"; do
    curl -sk "$base/page/$size" >"$DIR/copy"
    cmp -s "$DIR/original" "$DIR/copy" || fail "$base/page/$size is not what the page server sent"
  done
done
curl -sk --cacert "$DIR/cert.pem" "$https/page/1" >/dev/null || fail "curl does not trust the certificate"
expect "HEAD" "5939" "$(curl -sI "$http/page/5.8KB" | tr -d '\r' | awk 'tolower($1) == "content-length:" {print $2}')"

# --- curl: uploads, with length, in chunks, with 100-continue, over TLS
head -c 3000000 /dev/urandom >"$DIR/upload"
sum=$(sha256sum <"$DIR/upload" | cut -d' ' -f1)
for options in "-H Expect:" "-H Expect:100-continue" "-H Transfer-Encoding:chunked"; do
  for base in "$http" "$https" "$https/ssl"; do
    # shellcheck disable=SC2086
    curl -sk $options --data-binary "@$DIR/upload" "$base/echo" | grep -q "$sum" || fail "an upload to $base with $options arrives changed"
  done
done

# --- curl: identity, logins, sessions
expect "without a login" 401 "$(status "$http/private")"
expect "wrong password" 401 "$(status -u user000001:wrong "$http/private")"
expect "empty password" 401 "$(status -u user000001: "$http/private")"
expect "right password" 404 "$(status -u user000001:secret000001 "$https/private")"
expect "login with a cookie jar" 404 "$(status -c "$DIR/jar" -u user000001:secret000001 "$https/private")"
grep -q 'PD-S-SESSION-ID' "$DIR/jar" || fail "no session cookie over HTTPS"
expect "the cookie alone" 404 "$(status -b "$DIR/jar" "$https/private")"
expect "the cookie of HTTPS over HTTP" 401 "$(status -b "$DIR/jar" "$http/private")"
grep -qi 'iv' <<<"$(curl -s -H 'Iv_User: admin' -H 'iv-user: admin' "$http/echo")" && fail "a client's identity header reaches the back end"
expect "dead server" 503 "$(status "$http/dead/x")"
expect "encoded slash" 400 "$(status --path-as-is "$http/echo/..%2fprivate")"
expect "dots around a rule" 401 "$(status --path-as-is "$http/echo/../private")"
expect "TRACE" 405 "$(status -X TRACE "$http/echo")"

# --- openssl s_client: both versions, resumption, a raw request
for version in tls1_2 tls1_3; do
  reply=$(printf 'GET /page/100B HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n' |  # -quiet waits for the answer's end
    timeout 20 openssl s_client -quiet -connect "${https#https://}" -"$version" 2>/dev/null | head -1 | tr -d '\r')
  expect "s_client -$version" "HTTP/1.1 200 OK" "$reply"
done
timeout 20 openssl s_client -connect "${https#https://}" -tls1_2 -reconnect </dev/null 2>/dev/null | grep -q '^Reused' || fail "TLS sessions are not resumed"
timeout 10 openssl s_client -connect "${https#https://}" -tls1_1 </dev/null >/dev/null 2>&1 && fail "TLS 1.1 is accepted"

# --- malformed TLS spins nothing (CVE-2014-0963)
printf '\x16\x03\x01\xff\xff garbage' | timeout 5 perl -MIO::Socket::INET -e '
  my $socket = IO::Socket::INET->new($ARGV[0]) or die; print $socket <STDIN>; $socket->flush; shutdown $socket, 1; 1 while <$socket>;' "${https#https://}"

# --- load programs: every response is a line of the log
empty_log
requests=$(wrk -t2 -c8 -d1s "$http/page/5.8KB" | tee "$DIR/wrk" | grep -oE '[0-9]+ requests in' | grep -oE '^[0-9]+')
grep -qE 'Non-2xx|Socket errors' "$DIR/wrk" && fail "wrk: $(cat "$DIR/wrk")"
lines=$(log_lines)
# wrk does not count what is under way when it stops: 8 connections, one request each
[ "$lines" -ge "$requests" ] && [ "$lines" -le $((requests + 8)) ] || fail "wrk made $requests requests, the log has $lines lines"

empty_log
ab -q -k -c 10 -n 5000 "$http/page/5.8KB" >"$DIR/ab" 2>&1
grep -q 'Complete requests: *5000' "$DIR/ab" && grep -q 'Failed requests: *0' "$DIR/ab" && ! grep -q 'Non-2xx' "$DIR/ab" || fail "ab: $(cat "$DIR/ab")"
expect "lines after ab -k" 5000 "$(log_lines)"
empty_log
ab -q -c 10 -n 500 "$https/page/5.8KB" >"$DIR/ab" 2>&1
grep -q 'Failed requests: *0' "$DIR/ab" || fail "ab over HTTPS: $(cat "$DIR/ab")"
expect "lines after ab over HTTPS" 500 "$(log_lines)"

empty_log
h2load --h1 -t1 -c8 -n4000 "$https/ssl/page/12KB" >"$DIR/h2load" 2>&1
grep -q '4000 succeeded, 0 failed, 0 errored' "$DIR/h2load" || fail "h2load: $(cat "$DIR/h2load")"
expect "lines after h2load" 4000 "$(log_lines)"
empty_log
h2load --h1 -t1 -c2 -m4 -n2000 "$http/local/page/100B" >"$DIR/h2load" 2>&1
grep -q '2000 succeeded, 0 failed, 0 errored' "$DIR/h2load" || fail "h2load, pipelined: $(cat "$DIR/h2load")"
expect "lines after pipelining" 2000 "$(log_lines)"

# --- the log's form, and the counters
grep -qvE '^127\.0\.0\.1 - (-|user[0-9]+) \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\] "[A-Z]+ [^ ]+ HTTP/1\.[01]" [0-9]{3} [0-9]+$' \
  "$DIR/request.log" && fail "a line is not in common log format"
stats=$(control stats)
expect "every request is logged" "$(number "$stats" requests)" "$(number "$stats" log_lines)"
expect "no line is lost" 0 "$(number "$stats" log_errors)"
expect "logins" 2 "$(number "$stats" logins)"

# --- certificates are read again on SIGHUP
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=renewed.test -keyout "$DIR/key2.pem" -out "$DIR/cert2.pem" 2>/dev/null
mv "$DIR/key2.pem" "$DIR/key.pem" && mv "$DIR/cert2.pem" "$DIR/cert.pem"
kill -HUP "$gateway_pid"
for _ in $(seq 100); do
  subject=$(openssl s_client -connect "${https#https://}" </dev/null 2>/dev/null | openssl x509 -noout -subject 2>/dev/null)
  [[ $subject == *renewed.test* ]] && break
done
[[ $subject == *renewed.test* ]] || fail "the certificate was not read again"

# --- a drain ends what is under way
curl -s --limit-rate 10M "$http/page/9MB" >"$DIR/slow" &
curl_pid=$!
for _ in $(seq 200); do [ -s "$DIR/slow" ] && break; sleep 0.01; done
kill -TERM "$gateway_pid"
wait "$curl_pid" || fail "a download was cut off by the drain"
expect "size of the download" 9437184 "$(stat -c %s "$DIR/slow")"
wait "$gateway_pid"
expect "exit after SIGTERM" 0 $?

# --- errors: what, remedy, exit code
refused() {  # code, text, arguments…
  local code=$1 text=$2
  shift 2
  timeout 10 "$LAB" gateway "$@" >"$DIR/out" 2>&1
  expect "exit of $*" "$code" $?
  grep -qF -- "$text" "$DIR/out" || fail "gateway $*: expected \"$text\" in: $(cat "$DIR/out")"
}
refused 1 "Address already in use" --http "$plain" --junction "tcp:/=$plain"
refused 2 "cannot use certificate" --https 127.0.0.1:0 --cert "$DIR/none.pem" --key "$DIR/none.pem" --junction "tcp:/=$plain"
refused 2 "it has no type" --http 127.0.0.1:0 --junction "/=$plain"
refused 2 "does not begin with /" --http 127.0.0.1:0 --junction "tcp:app=$plain"
refused 2 "is no server" --http 127.0.0.1:0 --junction "tcp:/=nowhere"
refused 2 "it has no servers" --http 127.0.0.1:0 --junction "tcp:/"
refused 2 "the gateway has no junction" --http 127.0.0.1:0
refused 2 "nowhere to listen" --junction "tcp:/=$plain"
refused 1 "cannot open the log" --http 127.0.0.1:0 --junction "tcp:/=$plain" --request-log "$DIR/none/request.log"

finish
