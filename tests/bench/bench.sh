#!/usr/bin/env bash
# CPU time per request of our programs and other people's, the same work, one thread each, interleaved: every round measures every
# contender once in turn, and the ratio is taken in each round. The program under test has core 0; driver and back end have core 1.
# usage: LAB=build/lab bench.sh [gateway|threads|idle|pages|load|pacing|pairs|directory …] ; ROUNDS=20 SECONDS_EACH=1 in the environment
# ONLY=REGEX: some of the gateway's
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/gateway.bash"

rounds=${ROUNDS:-20}
seconds=${SECONDS_EACH:-1}
results=${RESULTS:-$(dirname "$LAB")/bench}
mkdir -p "$results"
pids=()
turn=turn # how a contender is loaded: pid, url → CPU µs a request

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}

start() { # core, command…
  local core=$1
  shift
  taskset -c "$core" "$@" >"$work/$(basename "$1")-${#pids[@]}.log" 2>&1 &
  pids+=($!)
  last=$!
}

wait_for() { # url
  for _ in $(seq 200); do
    curl -ksf -o /dev/null "$1" && return
    sleep 0.05 # polling for a server of our own to listen
  done
  echo "error: nothing answers at $1" >&2
  tail -n 5 "$work"/*.log >&2
  exit 1
}

cpu_ns() { # pid: CPU time of all its threads
  cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
  cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
}

# Median, minimum and maximum of the numbers on standard input.
spread() { sort -g | awk '{ v[NR] = $1 } END { printf "%.3f %.3f %.3f", (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2), v[1], v[NR] }'; }

# In each round the cheapest of the others ÷ one of ours, those that log against those that log.
best_of_others() { # ours, file
  awk -v ours="$1" '
    function logs(name) { return name ~ /-log$/ }
    $1 == ours { own[++n] = $2 }
    $1 !~ /^lab/ && logs($1) == logs(ours) { i = ++rows[$1]; if (!(i in best) || $2 < best[i]) best[i] = $2 }
    END { for (i in own) if (i in best) print best[i] / own[i] }' "$2"
}

# rows of "contender us" in $1, a round after the other; ours is called "lab".
summarise() { # name, file
  local name=$1 file=$2 contender
  printf '\n%s, CPU µs per request, %s rounds of %s s\n' "$name" "$rounds" "$seconds"
  printf '  %-10s %10s %21s   %s\n' '' median 'min – max' 'ratio to lab: median (min – max)'
  {
    echo "{\"benchmark\": \"$name\", \"rounds\": $rounds, \"contenders\": {"
    local comma=
    for contender in $(awk '{ print $1 }' "$file" | sort -u); do
      local own ratio
      own=$(awk -v c="$contender" '$1 == c { print $2 }' "$file" | spread)
      ratio=$(paste <(awk -v c="$contender" '$1 == c { print $2 }' "$file") <(awk '$1 == "lab" { print $2 }' "$file") | awk '{ print $1 / $2 }' | spread)
      read -r m lo hi <<<"$own"
      read -r rm rlo rhi <<<"$ratio"
      printf '  %-10s %10.1f %10.1f – %8.1f   %.2f (%.2f – %.2f)\n' "$contender" "$m" "$lo" "$hi" "$rm" "$rlo" "$rhi" >&2
      echo "$comma\"$contender\": {\"us\": [$m, $lo, $hi], \"ratio_to_lab\": [$rm, $rlo, $rhi]}"
      comma=,
    done
    echo '}, "best_other": {'
    comma=
    for contender in $(awk '$1 ~ /^lab/ { print $1 }' "$file" | sort -u); do
      ratio=$(best_of_others "$contender" "$file" | spread)
      read -r rm rlo rhi <<<"$ratio"
      printf '  the cheapest other in each round ÷ %-8s %13s %.2f (%.2f – %.2f)\n' "$contender" '' "$rm" "$rlo" "$rhi" >&2
      echo "$comma\"to_$contender\": [$rm, $rlo, $rhi]"
      comma=,
    done
    echo '}}'
  } 2>&1 >"$results/$name.json"
}

# One contender's turn: wrk loads URL for the time given; prints CPU µs of PID per completed request.
turn() { # pid, url
  local before after requests
  before=$(cpu_ns "$1")
  requests=$(taskset -c 1 wrk -t1 -c"${clients:-8}" -d"${seconds}s" "$2" | awk '/requests in/ { print $1 }')
  after=$(cpu_ns "$1")
  per_request "$before" "$after" "$requests" "$2"
}

# CPU µs per request; a contender that answered none is no contender.
per_request() { # CPU ns before and after, requests, url
  [ "${3:-0}" -gt 0 ] || { echo "error: no request was answered at $4" >&2; exit 1; }
  awk -v b="$1" -v a="$2" -v n="$3" 'BEGIN { printf "%.3f\n", (a - b) / 1000 / n }'
}

rounds_of() { # name, then "contender pid url" words
  local name=$1 round contender us
  shift
  local file="$work/$name.rows"
  : >"$file"
  for round in $(seq "$rounds"); do
    for contender in "$@"; do
      read -r label pid url <<<"$contender"
      us=$("$turn" "$pid" "$url")
      echo "$label $us" >>"$file"
    done
    [ -t 2 ] && printf '\r%s: round %s of %s ' "$name" "$round" "$rounds" >&2
  done
  [ -t 2 ] && printf '\r\033[K' >&2
  summarise "$name" "$file"
}

bench_pages() {
  certificate
  start 0 "$LAB" pages --http 127.0.0.1:19080 --https 127.0.0.1:19443 --cert "$work/cert.pem" --key "$work/key.pem" --tls-max 1.2 \
    --ciphers ECDHE-RSA-AES128-GCM-SHA256
  local ours=$last
  wait_for http://127.0.0.1:19080/page/5.8KB
  serve_page 0
  return_page
  rounds_of pages-http-5.8KB "lab $ours http://127.0.0.1:19080/page/5.8KB" "nginx $nginx_pid http://127.0.0.1:19083/page/5.8KB" \
    "haproxy $haproxy_pid http://127.0.0.1:19086/page"
  rounds_of pages-https-5.8KB "lab $ours https://127.0.0.1:19443/page/5.8KB" "nginx $nginx_pid https://127.0.0.1:19084/page/5.8KB" \
    "haproxy $haproxy_pid https://127.0.0.1:19087/page"
}

# HAProxy answering by itself, on 19086 and (TLS) 19087.
return_page() {
  cat >"$work/haproxy-return.conf" <<CONF
global
  nbthread 1
  ssl-default-bind-options ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2
  ssl-default-bind-ciphers ECDHE-RSA-AES128-GCM-SHA256
defaults
  mode http
  timeout client 600s
frontend f
  bind 127.0.0.1:19086
  bind 127.0.0.1:19087 ssl crt $work/both.pem
  http-request return status 200 content-type text/plain file $work/www/page/5.8KB
CONF
  start 0 haproxy -db -f "$work/haproxy-return.conf"
  haproxy_pid=$last
  wait_for http://127.0.0.1:19086/page
}

# nginx serving a file saved from /page/5.8KB, on 19083 and (TLS) 19084.
serve_page() { # core
  mkdir -p "$work/www/page"
  [ -s "$work/www/page/5.8KB" ] || {
    "$LAB" pages --http 127.0.0.1:19085 >/dev/null 2>&1 &
    local source=$!
    wait_for http://127.0.0.1:19085/page/5.8KB
    curl -sf -o "$work/www/page/5.8KB" http://127.0.0.1:19085/page/5.8KB
    kill "$source"
  }
  cat >"$work/nginx-www.conf" <<CONF
daemon off; master_process off; pid $work/nginx-www.pid; error_log $work/nginx-www.err;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; open_file_cache max=10; client_body_temp_path $work/f; proxy_temp_path $work/g; fastcgi_temp_path $work/h; uwsgi_temp_path $work/i; scgi_temp_path $work/j;
  server {
    listen 127.0.0.1:19083; listen 127.0.0.1:19084 ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256;
    root $work/www;
  }
}
CONF
  start "$1" nginx -c "$work/nginx-www.conf"
  nginx_pid=$last
  wait_for http://127.0.0.1:19083/page/5.8KB
}

# CPU µs per request of a driver: user and system time of the whole command ÷ the requests it says it completed.
drive() { # contender, url
  local contender=$1 url=$2 requests log="$work/drive.log"
  local TIMEFORMAT='%U %S'
  local timed
  case "$contender" in
    lab) timed=$({ time taskset -c 0 "$LAB" load "$url" -c 8 -t 1 -d "${seconds}s" --insecure --expect-pages --json >"$log" 2>/dev/null; } 2>&1)
      requests=$(grep -o '"done":[0-9]*' "$log" | head -n 1 | cut -d: -f2) ;;
    wrk) timed=$({ time taskset -c 0 wrk -t1 -c8 -d"${seconds}s" "$url" >"$log" 2>/dev/null; } 2>&1)
      requests=$(awk '/requests in/ { print $1 }' "$log") ;;
    h2load) timed=$({ time taskset -c 0 h2load --h1 -t1 -c8 -D "$seconds" "$url" >"$log" 2>/dev/null; } 2>&1)
      requests=$(awk '/^requests:/ { print $8 }' "$log") ;;
    ab) timed=$({ time taskset -c 0 ab -q -k -c8 -n 10000000 -t "$seconds" "$url" >"$log" 2>/dev/null; } 2>&1)
      requests=$(awk '/^Complete requests:/ { print $3 }' "$log") ;;
  esac
  awk -v t="$timed" -v n="$requests" 'BEGIN { split(t, part, " "); printf "%.3f\n", (part[1] + part[2]) * 1e6 / n }'
}

bench_load() {
  certificate
  serve_page 1
  local round contender url name
  for name in http https; do
    url=http://127.0.0.1:19083/page/5.8KB
    [ "$name" = https ] && url=https://127.0.0.1:19084/page/5.8KB
    : >"$work/load.rows"
    for round in $(seq "$rounds"); do
      for contender in lab wrk h2load ab; do echo "$contender $(drive "$contender" "$url")" >>"$work/load.rows"; done
    done
    summarise "load-$name-5.8KB" "$work/load.rows"
  done
}

# value SECTION KEY: of a result of `lab load --json` on standard input.
value() { grep -o "\"$1\":{[^}]*" | head -n 1 | grep -o "\"$2\":[0-9.E+-]*" | head -n 1 | cut -d: -f2; }

# The driver's lateness at 5,000/s on one thread, spinning and sleeping, beside that of a thread that only sleeps until as many instants;
# and the 99th percentile against a server that is stopped for a second, as a ratio to the analytic one: of 10 s at a constant rate the
# longest 1% are those due in the stop's first 100 ms, so 900 ms.
bench_pacing() {
  start 1 "$LAB" pages --http 127.0.0.1:19080
  local server=$last driver round
  wait_for http://127.0.0.1:19080/page/5.8KB
  local load=(taskset -c 0 "$LAB" load http://127.0.0.1:19080/page/5.8KB -R 5000 -c 16 --json)
  for round in $(seq "$rounds"); do
    "${load[@]}" -d 2s --warmup 0.2s --spin 2>/dev/null | value lateness_us p99 >>"$work/spinning"
    "${load[@]}" -d 2s --warmup 0.2s 2>/dev/null | value lateness_us p99 >>"$work/sleeping"
    taskset -c 0 "$SLEEPER" 5000 2 >>"$work/sleeper"
  done
  for round in $(seq "${STOPPED_ROUNDS:-3}"); do
    "${load[@]}" -d 10s --warmup 1s >"$work/answer" 2>/dev/null &
    driver=$!
    sleep 5 # the time of the stop is what is measured
    kill -STOP "$server"
    sleep 1
    kill -CONT "$server"
    wait "$driver"
    value latency_us p99 <"$work/answer" | awk '{ printf "%.4f\n", $1 / 900000 }' >>"$work/stopped"
  done
  local name m lo hi line=
  printf '\np99 of lateness at 5,000/s on one thread, µs, %s rounds of 2 s\n' "$rounds"
  for name in spinning sleeping sleeper; do
    read -r m lo hi <<<"$(spread <"$work/$name")"
    printf '  %-32s %8.1f (%.1f – %.1f)\n' "$([ $name = sleeper ] && echo 'a bare sleeper on this host' || echo "lab load, $name")" "$m" "$lo" "$hi"
    line+="\"$name\": [$m, $lo, $hi], "
  done
  read -r m lo hi <<<"$(spread <"$work/stopped")"
  printf 'p99 against a server stopped for a second ÷ the analytic 900 ms: %.3f (%.3f – %.3f)\n' "$m" "$lo" "$hi"
  echo "{\"benchmark\": \"load-pacing\", \"lateness_p99_us\": {${line%, }}, \"stopped_p99_to_analytic\": [$m, $lo, $hi]}" >"$results/load-pacing.json"
}

# A/A pairs on one nginx, 20 ms slices: the standard deviation of the ratio over rounds.
bench_pairs() {
  certificate
  serve_page 1
  local url=http://127.0.0.1:19083/page/5.8KB round
  : >"$work/pairs.rows"
  for round in $(seq "$rounds"); do
    taskset -c 0 "$LAB" load "$url" --against "$url" --slice 20ms -c 8 -d 2.3s --json 2>/dev/null | grep -o '"ratio":{[^}]*' | head -n 1 |
      grep -o '"median":[0-9.E+-]*' | cut -d: -f2 >>"$work/pairs.rows"
  done
  awk -v n="$rounds" '{ l = log($1); s += l; q += l * l } END { m = s / NR; d = sqrt((q - NR * m * m) / (NR - 1));
    printf "\nA/A, 20 ms slices, %d pairs of 2.3 s: mean ratio %.4f, standard deviation %.2f%%\n", NR, exp(m), 100 * d
    printf "{\"benchmark\": \"load-pairs\", \"n\": %d, \"mean\": %.5f, \"sd\": %.5f}\n", NR, exp(m), d >"'"$results"'/load-pairs.json" }' "$work/pairs.rows"
}

# CPU µs of PID per operation that the LDAP driver says was done.
ldap_turn() { # pid, address, kind
  local before after done
  before=$(cpu_ns "$1")
  done=$(taskset -c 1 "$LDAP_DRIVER" "$2" 10 "$seconds" "$3" "$directory_users")
  after=$(cpu_ns "$1")
  awk -v b="$before" -v a="$after" -v n="$done" 'BEGIN { printf "%.3f\n", (a - b) / 1000 / n }'
}

slapd_with_users() { # port: slapd (mdb, indexed) with the users that `lab directory --users` makes
  mkdir "$work/mdb"
  cat >"$work/slapd.conf" <<CONF
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $work/slapd.pid
loglevel 0
threads 2
database mdb
suffix dc=lab
rootdn cn=admin,dc=lab
directory $work/mdb
maxsize 2147483648
index objectClass,uid,cn,mail,member eq
CONF
  /usr/sbin/slapadd -q -f "$work/slapd.conf" -l "$work/users.ldif"
  start 0 /usr/sbin/slapd -d 0 -f "$work/slapd.conf" -h "ldap://127.0.0.1:$1/"
}

wait_for_ldap() { # url
  for _ in $(seq 200); do
    ldapwhoami -x -H "$1" >/dev/null 2>&1 && return
    sleep 0.05 # polling for a server of our own to listen
  done
  echo "error: nothing answers at $1" >&2
  exit 1
}

bench_directory() {
  directory_users=${DIRECTORY_USERS:-10000}
  timeout -s TERM 2 "$LAB" directory --ldap 127.0.0.1:19389 --users "$directory_users" --save "$work/users.ldif" 2>/dev/null || true
  for _ in $(seq 100); do [ -s "$work/users.ldif" ] && break; sleep 0.1; done
  start 0 "$LAB" directory --ldap 127.0.0.1:19389 --users "$directory_users"
  local ours=$last
  slapd_with_users 19390
  local slapd=$last
  wait_for_ldap ldap://127.0.0.1:19389
  wait_for_ldap ldap://127.0.0.1:19390
  local kind round
  for kind in bind connect search; do
    : >"$work/directory.rows"
    for round in $(seq "$rounds"); do
      echo "lab $(ldap_turn "$ours" 127.0.0.1:19389 "$kind")" >>"$work/directory.rows"
      echo "slapd $(ldap_turn "$slapd" 127.0.0.1:19390 "$kind")" >>"$work/directory.rows"
    done
    summarise "directory-$kind" "$work/directory.rows"
  done
  bench_directory_load
}

# A million users: seconds until it serves, and the most memory it took.
bench_directory_load() {
  local began ended memory
  began=$(date +%s%N)
  mkfifo "$work/ready"
  "$LAB" directory --ldap 127.0.0.1:19391 --users 999999 --ready-fd 3 3>"$work/ready" 2>/dev/null &
  local big=$!
  pids+=("$big")
  head -n 1 "$work/ready" >/dev/null
  ended=$(date +%s%N)
  memory=$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$big/status")
  awk -v b="$began" -v e="$ended" -v m="$memory" 'BEGIN {
    printf "\ndirectory-load, 999999 users: %.1f s, %.0f MiB\n", (e - b) / 1e9, m > "/dev/stderr"
    printf "{\"benchmark\": \"directory-load\", \"users\": 999999, \"seconds\": %.2f, \"mib\": %.0f}\n", (e - b) / 1e9, m }' \
    >"$results/directory-load.json"
}

[ $# -gt 0 ] || set -- gateway threads idle pages load pacing pairs directory
for name in "$@"; do
  case "$name" in
    gateway | threads | idle | pages | load | pacing | pairs | directory) ;;
    *) echo "error: no benchmark \"$name\": gateway, threads, idle, pages, load, pacing, pairs, directory" >&2; exit 2 ;;
  esac
done
for name in "$@"; do
  (
    work=$(mktemp -d)
    trap finish EXIT
    "bench_$name"
  )
done
echo
echo "written to $results"
