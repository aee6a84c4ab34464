#!/bin/bash
# `lab pages` under clients that nobody here wrote: curl, wrk, ab, h2load --h1, openssl s_client.
set -u
: "${LAB:?}"
work=$(mktemp -d)
failures=0
server=

finish() {
  [ -n "$server" ] && kill "$server" 2>/dev/null
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

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 1 -subj /CN=first \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
mkfifo "$work/ready"
"$LAB" pages --http 127.0.0.1:0 --https 127.0.0.1:0 --cert "$work/cert.pem" --key "$work/key.pem" --threads 2 \
  --control "$work/control" --ready-fd 3 3>"$work/ready" 2>"$work/log" &
server=$!
ready=$(timeout 20 cat "$work/ready")
http=$(grep -o 'http://[^"]*' <<<"$ready")
https=$(grep -o 'https://[^"]*' <<<"$ready")
[ -n "$http" ] && [ -n "$https" ] || { fail "no ready line: $ready $(cat "$work/log")"; exit 1; }
has "the ready line tells OpenSSL's CPU settings" '"openssl_cpu":"' "$ready"

# curl: exact sizes, the same bytes every time, over both transports.
for size in 0:0 100B:100 5.8KB:5939 12KB:12288 2.9MB:3040870 17:17; do
  for url in "$http" "$https"; do
    same "curl $url/page/${size%:*}" "${size#*:} 200" \
      "$(curl -s --cacert "$work/cert.pem" -o "$work/body" -w '%{size_download} %{http_code}' "$url/page/${size%:*}")"
  done
done
same "every page is a prefix of the longer ones" "$(curl -s "$http/page/100000" | head -c 5939 | sha256sum)" "$(curl -s "$http/page/5.8KB" | sha256sum)"
has "curl -I" 'Content-Length: 5939' "$(curl -sI "$http/page/5.8KB")"
same "curl keeps one connection for five pages" 1 "$(curl -s -o /dev/null -w '%{num_connects}\n' "$http/page/[1-5]" | awk '{n += $1} END {print n}')"
same "curl --http1.0" 100 "$(curl -s --http1.0 "$http/page/100" | wc -c)"

# Uploads of either framing, hashed as they pass.
head -c 3000000 /dev/urandom >"$work/upload"
sum=$(sha256sum <"$work/upload" | cut -d' ' -f1)
for url in "$http" "$https"; do
  for framing in 'X-Framing: length' 'Transfer-Encoding: chunked'; do
    has "upload, $framing" "\"body_length\":3000000,\"body_sha256\":\"$sum\"" \
      "$(curl -s --cacert "$work/cert.pem" -T "$work/upload" -H "$framing" "$url/echo")"
  done
done
has "curl waits for 100 Continue and gets it" 'HTTP/1.1 100 Continue' "$(curl -sv -H 'Expect: 100-continue' -d x "$http/echo" 2>&1)"
same "405" 405 "$(curl -s -o /dev/null -w '%{http_code}' -X POST -d x "$http/page/1")"
same "404" 404 "$(curl -s -o /dev/null -w '%{http_code}' "$http/nothing")"

# Load generators see no failure.
has "wrk" '[1-9][0-9]* requests in' "$(wrk -t1 -c8 -d1s "$http/page/5.8KB" | tee "$work/wrk")"
grep -Eq 'Non-2xx|Socket errors' "$work/wrk" && fail "wrk: $(cat "$work/wrk")"
has "wrk, HTTPS" '[1-9][0-9]* requests in' "$(wrk -t1 -c8 -d1s "$https/page/12KB" | tee "$work/wrk")"
grep -Eq 'Non-2xx|Socket errors' "$work/wrk" && fail "wrk, HTTPS: $(cat "$work/wrk")"
ab -q -k -c 8 -n 2000 "$http/page/5.8KB" >"$work/ab" 2>&1
has "ab -k completes" 'Complete requests: +2000' "$(cat "$work/ab")"
has "ab -k fails none" 'Failed requests: +0' "$(cat "$work/ab")"
has "ab -k keeps its connections" 'Keep-Alive requests: +2000' "$(cat "$work/ab")"
has "ab without keep-alive" 'Failed requests: +0' "$(ab -q -c 8 -n 500 "$http/page/100B" 2>&1)"
for url in "$http" "$https"; do
  has "h2load --h1 $url" '2000 succeeded, 0 failed, 0 errored, 0 timeout' "$(h2load --h1 -c 8 -n 2000 "$url/page/5.8KB" 2>&1)"
done

# TLS as openssl sees it.
address=${https#https://}
for version in tls1_2 tls1_3; do
  has "openssl s_client -$version" 'HTTP/1.1 200 OK' \
    "$(printf 'GET /page/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' | openssl s_client -quiet -$version -connect "$address" 2>/dev/null)"
done
openssl s_client -tls1_2 -connect "$address" -sess_out "$work/session" </dev/null >/dev/null 2>&1
for _ in 1 2 3 4; do # on whichever thread
  has "a session resumes" 'Reused, TLSv1.2' "$(openssl s_client -tls1_2 -connect "$address" -sess_in "$work/session" </dev/null 2>/dev/null)"
done

# SIGHUP reads the certificate again.
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 1 -subj /CN=second 2>/dev/null
kill -HUP "$server"
for _ in $(seq 100); do
  grep -q 'certificate read again' "$work/log" && break
  sleep 0.05
done
has "the new certificate is shown" 'CN ?= ?second' "$(openssl s_client -connect "$address" </dev/null 2>/dev/null)"

# SIGTERM: what is under way is finished, the exit code is 0, the socket is gone.
curl -s --limit-rate 3M "$http/page/2.9MB" -o "$work/slow" &
slow=$!
for _ in $(seq 100); do
  [ -s "$work/slow" ] && break
  sleep 0.02
done
kill -TERM "$server"
wait "$server"
same "exit after SIGTERM" 0 $?
server=
wait "$slow"
same "a page under way is finished" 3040870 "$(wc -c <"$work/slow")"
[ -e "$work/control" ] && fail "the control socket is left behind"

# A second Ctrl-C does not wait for what is under way.
mkfifo "$work/ready2"
"$LAB" pages --http 127.0.0.1:0 --ready-fd 3 3>"$work/ready2" 2>"$work/log2" &
server=$!
address=$(timeout 20 cat "$work/ready2" | grep -o '127[^"]*')
exec 4<>"/dev/tcp/${address%:*}/${address#*:}"
printf 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n' >&4
head -c 12 <&4 >"$work/out"
has "a request under way" 'HTTP/1.1 100' "$(cat "$work/out")"
kill -TERM "$server"
for _ in $(seq 100); do # until it no longer listens
  (: <>"/dev/tcp/${address%:*}/${address#*:}") 2>/dev/null || break
  sleep 0.02
done
kill -TERM "$server"
wait "$server"
same "exit after a second signal" 130 $?
server=
exec 4>&-

# Errors that say what to do.
"$LAB" pages >"$work/out" 2>&1
same "no listener" 2 $?
has "no listener" 'nowhere to listen' "$(cat "$work/out")"
"$LAB" pages --https 127.0.0.1:0 >"$work/out" 2>&1
same "no certificate" 2 $?
has "no certificate" 'give --cert FILE and --key FILE' "$(cat "$work/out")"
"$LAB" pages --https 127.0.0.1:0 --cert "$work/cert.pem" --key /nowhere >"$work/out" 2>&1
[ $? = 0 ] && fail "a missing key is accepted"
has "no key" '/nowhere' "$(cat "$work/out")"

[ "$failures" = 0 ]
