# The gateway against nginx and HAProxy as reverse proxies, with the access log off and on. Sourced by bench.sh.

here=$(dirname "${BASH_SOURCE[0]}")

# A proxy's three doors, HTTP, HTTPS and HTTPS to an SSL back end, on ports BASE+1 … BASE+3; HTTPS with a login on BASE+4.
nginx_proxy() { # name, base port, "off" or an access_log setting
  cat >"$work/$1.conf" <<CONF
daemon off; master_process off; pid $work/$1.pid; error_log $work/$1.err;
events { worker_connections 4096; }
http {
  access_log $3; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path $work/$1-a; proxy_temp_path $work/$1-b; fastcgi_temp_path $work/$1-c; uwsgi_temp_path $work/$1-d; scgi_temp_path $work/$1-e;
  upstream plain { server 127.0.0.1:19080; keepalive 64; keepalive_requests 1000000000; keepalive_timeout 600s; }
  upstream secure { server 127.0.0.1:19443; keepalive 64; keepalive_requests 1000000000; keepalive_timeout 600s; }
  proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Forwarded-For \$remote_addr;
  proxy_buffers 8 64k; proxy_buffer_size 64k; proxy_busy_buffers_size 128k; proxy_max_temp_file_size 0;
  ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.2; ssl_ciphers $cipher; ssl_session_cache off; ssl_session_tickets off;
  server { listen 127.0.0.1:$(($2 + 1)); listen 127.0.0.1:$(($2 + 2)) ssl; location / { proxy_pass http://plain; } }
  server { listen 127.0.0.1:$(($2 + 3)) ssl; location / { proxy_pass https://secure; proxy_ssl_protocols TLSv1.2; proxy_ssl_ciphers $cipher; } }
  server { listen 127.0.0.1:$(($2 + 4)) ssl; auth_basic lab; auth_basic_user_file $work/htpasswd; location / { proxy_pass http://plain; } }
}
CONF
  start 0 nginx -c "$work/$1.conf"
}

haproxy_proxy() { # name, base port, "" or "log"
  cat >"$work/$1.conf" <<CONF
global
  nbthread 1
  maxconn 4096
  ssl-default-bind-options ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2 no-tls-tickets
  ssl-default-bind-ciphers $cipher
  ssl-default-server-options ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2
  ssl-default-server-ciphers $cipher
  tune.ssl.cachesize 0
  ${3:+log stdout format raw local0}
userlist users
  user user000001 insecure-password secret000001
defaults
  mode http
  timeout client 600s
  timeout server 600s
  timeout connect 5s
  option http-keep-alive
  option forwardfor
  ${3:+log global}
  ${3:+option httplog}
frontend plain
  bind 127.0.0.1:$(($2 + 1))
  bind 127.0.0.1:$(($2 + 2)) ssl crt $work/both.pem
  default_backend plain
frontend secure
  bind 127.0.0.1:$(($2 + 3)) ssl crt $work/both.pem
  default_backend secure
frontend login
  bind 127.0.0.1:$(($2 + 4)) ssl crt $work/both.pem
  http-request auth realm lab unless { http_auth(users) }
  default_backend plain
backend plain
  http-reuse always
  server s 127.0.0.1:19080
backend secure
  http-reuse always
  server s 127.0.0.1:19443 ssl verify none
CONF
  start 0 haproxy -db -f "$work/$1.conf"
}

lab_proxy() { # base port, request log or "none": one process for the first three doors, one for the login
  local tls=(--cert "$work/cert.pem" --key "$work/key.pem" --tls-max 1.2 --ciphers "$cipher" --request-log "$2")
  start 0 "$LAB" gateway --http "127.0.0.1:$(($1 + 1))" --https "127.0.0.1:$(($1 + 2))" --https "127.0.0.1:$(($1 + 3))" "${tls[@]}" \
    --junction tcp:/=127.0.0.1:19080 --junction ssl:/ssl=127.0.0.1:19443
  lab_pid=$last
  start 0 "$LAB" gateway --https "127.0.0.1:$(($1 + 4))" "${tls[@]}" --junction tcp:/=127.0.0.1:19080 --directory ldap://127.0.0.1:19389
  lab_login_pid=$last
}

# A round's turn of full handshakes, with a login where there are credentials: ab opens a connection a request and resumes none.
handshake_turn() { # pid, url
  local before after requests
  before=$(cpu_ns "$1")
  requests=$(taskset -c 1 ab -q -c 8 -t "$seconds" -n 1000000 "${credentials[@]}" "$2" 2>/dev/null | awk '/^Complete requests/ { print $3 }')
  after=$(cpu_ns "$1")
  per_request "$before" "$after" "$requests" "$2"
}

bench_gateway() {
  cipher=ECDHE-RSA-AES128-GCM-SHA256
  certificate
  printf 'user000001:{PLAIN}secret000001\n' >"$work/htpasswd"
  start 1 "$LAB" pages --http 127.0.0.1:19080 --https 127.0.0.1:19443 --cert "$work/cert.pem" --key "$work/key.pem" --tls-max 1.2 --ciphers "$cipher"
  start 1 "$LAB" directory --ldap 127.0.0.1:19389 --users 100
  local -A lab nginx haproxy login
  lab_proxy 19100 none; lab[off]=$lab_pid login[off]=$lab_login_pid
  lab_proxy 19200 "$work/request.log"; lab[on]=$lab_pid login[on]=$lab_login_pid
  nginx_proxy nginx 19300 off; nginx[off]=$last
  nginx_proxy nginx-log 19400 "$work/access.log combined buffer=64k flush=1s"; nginx[on]=$last
  haproxy_proxy haproxy 19500 ""; haproxy[off]=$last
  haproxy_proxy haproxy-log 19600 log; haproxy[on]=$last
  local base page log
  for base in 191 192 193 194 195 196; do wait_for "http://127.0.0.1:${base}01/page/5.8KB"; done
  for page in http:1:5.8KB https:2:5.8KB https:2:12KB https:2:2.9MB https:3:5.8KB handshake:2:5.8KB login:4:5.8KB; do
    IFS=: read -r scheme door size <<<"$page"
    local name=gateway-$scheme-$size ssl= whose=lab
    [ "$door" = 3 ] && name=gateway-ssl-junction-$size ssl=/ssl
    local credentials=() turn=turn
    [ "$scheme" = handshake ] && name=gateway-full-handshake scheme=https turn=handshake_turn
    [ "$door" = 4 ] && name=gateway-full-handshake-login scheme=https whose=login turn=handshake_turn credentials=(-A user000001:secret000001)
    [[ $name =~ ${ONLY:-.} ]] || continue
    local -n own=$whose
    rounds_of "$name" "lab ${own[off]} $scheme://127.0.0.1:1910$door$ssl/page/$size" "lab-log ${own[on]} $scheme://127.0.0.1:1920$door$ssl/page/$size" \
      "nginx ${nginx[off]} $scheme://127.0.0.1:1930$door/page/$size" "nginx-log ${nginx[on]} $scheme://127.0.0.1:1940$door/page/$size" \
      "haproxy ${haproxy[off]} $scheme://127.0.0.1:1950$door/page/$size" "haproxy-log ${haproxy[on]} $scheme://127.0.0.1:1960$door/page/$size"
  done
}

# What a second thread costs each request: the same gateway with one and with two, on both cores, eight connections for each thread.
bench_threads() {
  start 1 "$LAB" pages --http 127.0.0.1:19080
  start 0,1 "$LAB" gateway --http 127.0.0.1:19101 --junction tcp:/=127.0.0.1:19080 --threads 1
  local one=$last
  start 0,1 "$LAB" gateway --http 127.0.0.1:19201 --junction tcp:/=127.0.0.1:19080 --threads 2
  local two=$last
  wait_for http://127.0.0.1:19101/page/5.8KB
  wait_for http://127.0.0.1:19201/page/5.8KB
  local turn=threads_turn
  rounds_of gateway-threads "lab $one http://127.0.0.1:19101/page/5.8KB" "two-threads $two http://127.0.0.1:19201/page/5.8KB"
}

threads_turn() { # pid, url
  local clients=8
  [ "$1" != "$two" ] || clients=16
  turn "$@"
}

anonymous_kib() { awk '/^RssAnon/ { print $2 }' "/proc/$1/status"; }

# What a gateway's process grows by while CONNECTIONS idle keep-alive connections stand, each after one request: bytes a connection.
# The first 50 are there before, so that what is made once does not count.
idle_turn() { # pid, scheme, port
  local before after
  coproc FIRST { taskset -c 1 python3 "$here/hold_idle.py" 127.0.0.1 "$3" "$2" 50 /page/100B; }
  local first_in=${FIRST[1]} first=$FIRST_PID
  read -r _ <&"${FIRST[0]}"
  before=$(anonymous_kib "$1")
  { coproc MANY { taskset -c 1 python3 "$here/hold_idle.py" 127.0.0.1 "$3" "$2" "$idle" /page/100B; }; } 2>/dev/null
  local many_in=${MANY[1]} many=$MANY_PID
  read -r _ <&"${MANY[0]}"
  after=$(anonymous_kib "$1")
  eval "exec $many_in>&- $first_in>&-"
  wait "$many" "$first"
  awk -v b="$before" -v a="$after" -v n="$idle" 'BEGIN { printf "%.0f\n", (a - b) * 1024 / n }'
}

bench_idle() {
  cipher=ECDHE-RSA-AES128-GCM-SHA256
  idle=${CONNECTIONS:-2000}
  certificate
  printf 'user000001:{PLAIN}secret000001\n' >"$work/htpasswd"
  start 1 "$LAB" pages --http 127.0.0.1:19080 --https 127.0.0.1:19443 --cert "$work/cert.pem" --key "$work/key.pem" --tls-max 1.2 --ciphers "$cipher"
  start 1 "$LAB" directory --ldap 127.0.0.1:19389 --users 100
  local scheme name base door line
  printf '\nidle keep-alive connections, bytes of the gateway'"'"'s own memory each, of %s\n' "$idle"
  for scheme in http https; do
    line=
    for name in lab nginx haproxy; do
      case $name in
        lab) base=19100; lab_proxy $base none; local pid=$lab_pid ;;
        nginx) base=19300; nginx_proxy nginx $base off; local pid=$last ;;
        haproxy) base=19500; haproxy_proxy haproxy $base ""; local pid=$last ;;
      esac
      door=1; [ $scheme = https ] && door=2
      wait_for "$scheme://127.0.0.1:$((base + door))/page/100B"
      local bytes
      bytes=$(idle_turn "$pid" $scheme $((base + door)))
      printf '  %-6s %-8s %8s\n' $scheme $name "$bytes"
      line+="${line:+, }\"$name\": $bytes"
      kill "$pid"; [ $name != lab ] || kill "$lab_login_pid"
      wait "$pid" 2>/dev/null || true
    done
    echo "{\"benchmark\": \"idle-$scheme\", \"connections\": $idle, \"bytes\": {$line}}" >"$results/idle-$scheme.json"
  done
}
