#!/usr/bin/env bash
# The gateway under other people's scanners and slow clients: nmap, sslscan, slowhttptest, and thousands of idle connections.
set -u
LAB=${LAB:?the lab binary}
SOURCE=${SOURCE:?the source tree}
DIR=$(mktemp -d)
source "$SOURCE/tests/e2e/gateway_common.bash"

certificate gateway.test
start pages pages --http 127.0.0.1:0
ulimit -n "$(ulimit -Hn)"
cat >"$DIR/gateway.yaml" <<YAML
http: 127.0.0.1:0
https: 127.0.0.1:0
tls: {cert: $DIR/cert.pem, key: $DIR/key.pem}
junctions: [{point: /, servers: ["${pages[0]#http://}"]}]
timeouts: {fragment: 5s, head: 10s, idle: 300s}
YAML
start gateway gateway -c "$DIR/gateway.yaml"
http=${gateway[0]} https=${gateway[1]}
port=${https##*:}

# --- TLS: 1.2 and 1.3 only, nothing weak
nmap -Pn -n -p "$port" --script ssl-enum-ciphers 127.0.0.1 >"$DIR/nmap" 2>&1
grep -q "TLSv1.2:" "$DIR/nmap" || fail "nmap: $(cat "$DIR/nmap")"
grep -qE "SSLv|TLSv1\.[01]" "$DIR/nmap" && fail "an old protocol: $(cat "$DIR/nmap")"
expect "the least strength" A "$(grep -oE 'least strength: [A-F]' "$DIR/nmap" | grep -oE '[A-F]$')"
sslscan --no-colour "127.0.0.1:$port" >"$DIR/sslscan" 2>&1
for line in "SSLv2     disabled" "SSLv3     disabled" "TLSv1.0   disabled" "TLSv1.1   disabled" "TLSv1.2   enabled" "TLSv1.3   enabled"; do
  grep -qF "$line" "$DIR/sslscan" || fail "sslscan lacks \"$line\": $(cat "$DIR/sslscan")"
done
nmap_says=$(cat "$DIR/nmap")
[[ $nmap_says == *compressors* && $(grep -A1 compressors <<<"$nmap_says" | grep -vE 'compressors|NULL|--') == "" ]] || fail "TLS compression: $nmap_says"
grep -qE "vulnerable to heartbleed" "$DIR/sslscan" && grep -qE "[^t] vulnerable to heartbleed" <<<"$(grep -v not "$DIR/sslscan")" && fail "heartbleed"
grep -q "Session renegotiation not supported" "$DIR/sslscan" || fail "renegotiation: $(grep -i renego "$DIR/sslscan")"

# --- slow heads and slow bodies are ended in their time, and others are served meanwhile
for mode in -H -B; do
  slowhttptest -c 200 $mode -i 3 -r 200 -l 25 -p 5 -u "$http/page/100B" -x 10 -s 8192 >"$DIR/slow" 2>&1 &
  slow=$!
  served=0
  while kill -0 "$slow" 2>/dev/null; do
    [ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "$http/page/100B")" == 200 ] && served=$((served + 1)) || fail "a request beside slowhttptest $mode"
  done
  wait "$slow"
  [ "$served" -gt 0 ] || fail "nothing was served beside slowhttptest $mode"
  grep -q "service available: *YES" <(sed 's/\x1b\[[0-9;]*m//g' "$DIR/slow") || fail "slowhttptest $mode: $(tail -n 20 "$DIR/slow")"
done

# --- idle connections: held, and in nobody's way
connections=$(($(ulimit -n) / 2 - 1000))
[ "$connections" -gt 10000 ] && connections=10000
[ "$connections" -gt 0 ] || connections=100
# The least of several: what a busy host adds is none of the gateway's.
p99() { for _ in 1 2 3 4 5; do "$LAB" load "$http/page/5.8KB" -c 4 -d 1s --json 2>/dev/null | jq .service_us.p99; done | sort -g | head -n 1; }
before=$(p99)
/usr/bin/python3 - "${http#http://}" "$connections" "$DIR/held" <<'PY' &
import signal, socket, sys
host, port = sys.argv[1].split(":")
held = []
for i in range(int(sys.argv[2])):
    one = socket.create_connection((host, int(port)))
    one.sendall(b"GET /page/100B HTTP/1.1\r\nHost: lab\r\n\r\n")
    assert one.recv(65536)
    held.append(one)
open(sys.argv[3], "w").write("all\n")
signal.pause()
PY
PIDS+=($!)
wait_until 120 test -s "$DIR/held" || fail "the gateway does not hold $connections connections"
memory=$(awk '/VmRSS/ { print $2 }' "/proc/$gateway_pid/status")
after=$(p99)
echo "with $connections idle connections: p99 $before µs before, $after µs beside them; $memory KiB resident"
[ -n "$after" ] || fail "nobody else is served beside $connections idle connections"
finish
