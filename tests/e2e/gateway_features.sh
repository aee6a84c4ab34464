#!/usr/bin/env bash
# What an administrator does with a running `lab gateway`: junctions by command, settings read again, forms, logs, metrics, WebSocket.
set -u
LAB=${LAB:?the lab binary}
SOURCE=${SOURCE:?the source tree}
DIR=$(mktemp -d)
source "$SOURCE/tests/e2e/gateway_common.bash"

certificate gateway.test
start pages pages --http 127.0.0.1:0 --https 127.0.0.1:0 --cert "$DIR/cert.pem" --key "$DIR/key.pem"
start other pages --http 127.0.0.1:0
start directory directory --ldap 127.0.0.1:0 --users 10
plain=${pages[0]#http://} tls=${pages[1]#https://} second=${other[0]#http://}
write_config() {  # what may do what with /
  cat >"$DIR/gateway.yaml" <<YAML
http: 127.0.0.1:0
https: 127.0.0.1:0
tls: {cert: $DIR/cert.pem, key: $DIR/key.pem}
threads: 2
control: $DIR/control
metrics: 127.0.0.1:0
authentication: {forms: https, basic: http}
directory: {url: "${directory[0]}"}
junctions: [{point: /, servers: ["$plain"]}]
access: [{path: /, allow: $1}, {path: /private, allow: authenticated}]
logs: {request: $DIR/request.log, max-size: 20000, columns: [total-us, backend-us, junction]}
YAML
}
write_config everybody
start gateway gateway -c "$DIR/gateway.yaml"
http=${gateway[0]} https=${gateway[1]}
junction() { "$LAB" junction --control "$DIR/control" "$@"; }

# --- junctions by command
expect "list" / "$(junction list)"
junction create -t tcp -h 127.0.0.1 -p "${plain#*:}" -c all -r /app >"$DIR/out" || fail "create: $(cat "$DIR/out")"
expect "create says so" "created junction /app" "$(cat "$DIR/out")"
expect "a path of the new junction" 200 "$(status "$http/app/page/100B")"
curl -s "$http/app/echo" | grep -q '"iv-user"' || fail "-c all inserts nothing"
junction create -t tcp -h 127.0.0.1 -p 1 /app 2>"$DIR/out" && fail "a junction is made twice"
grep -q "replace it with -f" "$DIR/out" || fail "no remedy: $(cat "$DIR/out")"
junction create -f -t tcp -h 127.0.0.1 -p "${plain#*:}" -x /app >/dev/null || fail "create -f"
curl -s "$http/app/echo" | grep -q '"iv-user"' && fail "-f did not replace"
expect "-x keeps the mount point" 404 "$(status "$http/app/page/100B")"
junction create -f -t tcp -h 127.0.0.1 -p "${plain#*:}" -s /app >/dev/null
junction add -h 127.0.0.1 -p "${second#*:}" /app || fail "add"
uuid=$(junction show --json /app | jq -r '.servers[0].uuid')
expect "two servers" 2 "$(junction show --json /app | jq '.servers | length')"
curl -s -c "$DIR/jar" "$http/app/page/100B" >/dev/null
grep -q PD_STATEFUL "$DIR/jar" || fail "-s sets no cookie"
junction offline -i "$uuid" /app || fail "offline"
expect "the state" offline "$(junction show --json /app | jq -r '.servers[0].state')"
for _ in 1 2 3 4; do status "$http/app/page/100B" >/dev/null; done
expect "requests of the server that is on" 4 "$(junction show --json /app | jq '.servers[1].requests')"
junction throttle -i "$uuid" /app && junction online /app || fail "throttle, online"
junction remove -i "$uuid" /app || fail "remove"
expect "one server" 1 "$(junction show --json /app | jq '.servers | length')"
junction show /app | grep -q "active requests" || fail "show: $(junction show /app)"
junction delete /app && expect "a deleted junction" 404 "$(status "$http/app/page/100B")"
junction delete /app 2>"$DIR/out"
expect "exit of deleting it again" 1 $?
grep -q "there is no junction /app" "$DIR/out" || fail "$(cat "$DIR/out")"

# --- an SSL junction that looks at the server's name, and shows a certificate of its own
port=${tls#*:}
junction create -t ssl -h 127.0.0.1 -p "$port" --ca "$DIR/cert.pem" -D CN=gateway.test -K "$DIR/cert.pem" --key "$DIR/key.pem" /ssl >/dev/null || fail "create -t ssl"
expect "the right name" 200 "$(status "$http/ssl/page/100B")"
junction create -f -t ssl -h 127.0.0.1 -p "$port" --ca "$DIR/cert.pem" -D CN=other.test /ssl >/dev/null
expect "another name" 503 "$(status "$http/ssl/page/100B")"
grep -q 'its certificate is for "CN=gateway.test", expected is "CN=other.test"' "$DIR/gateway.err" || fail "the name is not told: $(tail -n 3 "$DIR/gateway.err")"
mkdir "$DIR/www" && echo shown >"$DIR/www/page"
cat >"$DIR/demanding.conf" <<NGINX
daemon off; master_process off; pid $DIR/demanding.pid; error_log $DIR/demanding.err;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path $DIR/t1; proxy_temp_path $DIR/t2; fastcgi_temp_path $DIR/t3; uwsgi_temp_path $DIR/t4; scgi_temp_path $DIR/t5;
  server {
    listen unix:$DIR/demanding.sock; listen 127.0.0.1:$(free_port) ssl; root $DIR/www;
    ssl_certificate $DIR/cert.pem; ssl_certificate_key $DIR/key.pem; ssl_verify_client on; ssl_client_certificate $DIR/cert.pem;
  }
}
NGINX
demanding=$(grep -o '127.0.0.1:[0-9]*' "$DIR/demanding.conf" | cut -d: -f2)
nginx -c "$DIR/demanding.conf" &
PIDS+=($!)
wait_until 10 curl -sk -o /dev/null "https://127.0.0.1:$demanding/page" || fail "nginx does not start: $(cat "$DIR/demanding.err")"
junction create -t ssl -h 127.0.0.1 -p "$demanding" --ca "$DIR/cert.pem" -K "$DIR/cert.pem" --key "$DIR/key.pem" /demanding >/dev/null || fail "create -K"
expect "-K shows the certificate" 200 "$(status "$http/demanding/page")"
junction create -f -t ssl -h 127.0.0.1 -p "$demanding" --ca "$DIR/cert.pem" /demanding >/dev/null
expect "without -K" 400 "$(status "$http/demanding/page")"
junction create -t tcp -h 127.0.0.1 -p "${plain#*:}" -B -U gw -W pw /login >/dev/null
curl -s "$http/login/echo" | grep -q 'Basic Z3c6cHc=' || fail "-B does not log in"

# --- settings read again: nothing is lost, the new rules hold
write_config authenticated
kill -HUP "$gateway_pid"
wait_until 20 grep -q "settings read again" "$DIR/gateway.err" || fail "no reload"
expect "the new rule" 401 "$(status "$http/page/100B")"
expect "what was made by command is gone" / "$(junction list)"
echo "nonsense: 1" >>"$DIR/gateway.yaml"
kill -HUP "$gateway_pid"
wait_until 20 grep -q "the old settings stay" "$DIR/gateway.err" || fail "a bad file was taken"
expect "the rule stays" 401 "$(status "$http/page/100B")"

# --- login by form with curl, the POST made again
curl -sk -c "$DIR/jar" -b "$DIR/jar" -d a=kept "$https/echo" | grep -q pkmslogin.form || fail "no form"
place=$(curl -sk -c "$DIR/jar" -b "$DIR/jar" -o /dev/null -w '%{redirect_url}' -d username=user000001 -d password=secret000001 -d login-form-type=pwd "$https/pkmslogin.form")
expect "the way back" "$https/echo" "$place"
curl -sk -b "$DIR/jar" "$place" >"$DIR/out"
expect "the method made again" POST "$(jq -r .method "$DIR/out")"
expect "the session's way past the form, to a page that is not there" 404 "$(status -b "$DIR/jar" "$https/private")"
curl -sk -c "$DIR/jar" -b "$DIR/jar" "$https/pkmslogout" | grep -q "user000001 has logged out" || fail "no logout"

# --- WebSocket, by Python's client and server
/usr/bin/python3 - "$DIR/ws" <<'PY' &
import asyncio, sys, websockets
async def echo(socket):
    async for message in socket:
        await socket.send(message[::-1])
async def main():
    async with websockets.serve(echo, "127.0.0.1", 0) as server:
        with open(sys.argv[1], "w") as out:
            print(server.sockets[0].getsockname()[1], file=out)
        await asyncio.Future()
asyncio.run(main())
PY
PIDS+=($!)
wait_until 20 test -s "$DIR/ws" || fail "no WebSocket server"
write_config everybody
kill -HUP "$gateway_pid"
wait_until 20 bash -c "[ \"\$(curl -s -o /dev/null -w '%{http_code}' $http/page/100B)\" = 200 ]" || fail "no reload"
junction create -t tcp -h 127.0.0.1 -p "$(cat "$DIR/ws")" /ws >/dev/null
/usr/bin/python3 - "ws://${http#http://}/ws/" "wss://${https#https://}/ws/" <<'PY' || fail "WebSocket"
import asyncio, ssl, sys, websockets
async def talk(url):
    trust = None
    if url.startswith("wss"):
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    async with websockets.connect(url, ssl=trust) as socket:
        for message in ("hello", "x" * 300_000):
            await socket.send(message)
            assert await asyncio.wait_for(socket.recv(), 20) == message[::-1]
for url in sys.argv[1:]:
    asyncio.run(talk(url))
PY

# --- metrics
metrics=$(grep -oE 'metrics at http://[^ ]+' "$DIR/gateway.err" | grep -oE 'http.*')
curl -s "$metrics" >"$DIR/metrics"
grep -qE '^lab_gateway_responses_total\{status="200"\} [0-9]+$' "$DIR/metrics" && [ "$(tail -n 1 "$DIR/metrics")" == "# EOF" ] || fail "metrics: $(cat "$DIR/metrics")"

# --- the log: columns, and files renamed at their size without a line lost
ab -q -k -c 4 -n 1000 "$http/page/100B" >"$DIR/ab" 2>&1
logged() { [ "$(cat "$DIR"/request.log* | grep -c /page/100B)" -ge 1000 ]; }
wait_until 20 logged || fail "lines are lost over rotation"
ls "$DIR"/request.log.20* >/dev/null 2>&1 || fail "the log is not renamed"
cat "$DIR"/request.log* | grep '/page/100B' | grep -qvE '" [0-9]{3} [0-9]+ [0-9]+ [0-9]+ (/|/app|/ssl)$' && fail "a line lacks a column"
finish
