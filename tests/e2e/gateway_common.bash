# What the scripts that drive `lab gateway` share. They set LAB and DIR, source this, and end with `finish`.
PIDS=()
FAILED=0

cleanup() {
  for pid in "${PIDS[@]}"; do kill "$pid" 2>/dev/null; done
  wait
  rm -rf "$DIR"
}
trap cleanup EXIT

fail() {
  echo "FAILED: $*"
  FAILED=1
}

expect() {  # what, expected, actual
  [ "$2" == "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}

finish() {
  [ "$FAILED" == 0 ] && echo "all passed"
  exit "$FAILED"
}

certificate() {  # common name: to cert.pem and key.pem
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -addext "subjectAltName=IP:127.0.0.1" \
    -keyout "$DIR/key.pem" -out "$DIR/cert.pem" 2>/dev/null || fail "openssl req"
}

# start NAME ARGUMENTS…: runs `lab` until the end of the script; its addresses go to the array of that name, its pid to NAME_pid.
start() {
  local name=$1
  shift
  rm -f "$DIR/$name.ready"
  mkfifo "$DIR/$name.ready"
  "$LAB" "$@" --ready-fd 3 3>"$DIR/$name.ready" 2>"$DIR/$name.err" &
  PIDS+=($!)
  declare -g "${name}_pid=$!"
  local ready
  ready=$(timeout 20 cat "$DIR/$name.ready")
  [ -n "$ready" ] || { fail "$name did not start: $(cat "$DIR/$name.err")"; exit 1; }
  mapfile -t "$name" < <(grep -oE '(https?|ldaps?)://[0-9.:]+' <<<"$ready")
}

# The kernel's choice, for a server of somebody else's.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

status() { curl -sk -m 20 -o /dev/null -w '%{http_code}' "$@"; }

wait_until() {  # seconds, command…: looks until it succeeds
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.05  # between two looks
  done
}
