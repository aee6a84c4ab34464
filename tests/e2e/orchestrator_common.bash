# Sourced by orchestrator_*.sh: a state folder of its own, and the proof that nothing of a lab is left.
set -u
work=$(mktemp -d)
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
unset LAB_NODE
trap '"$LAB" --quiet down --all >/dev/null 2>&1; rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# wants CODE COMMAND…: runs it, its output in $out.
wants() {
  local code=$1
  shift
  out=$("$@" 2>&1)
  local got=$?
  [ "$got" -eq "$code" ] || fail "exit code $got, not $code, of: $*"$'\n'"$out"
}

says() { case $out in *"$1"*) ;; *) fail "not said: $1"$'\n'"$out" ;; esac }

# Processes that carry the label of a lab under our state folder.
labelled() {
  {
    grep -lz "^LAB_NODE=$XDG_STATE_HOME/" /proc/[0-9]*/environ
    grep -lz "$XDG_STATE_HOME/lab/.*/ssh/[s]shd_config" /proc/[0-9]*/cmdline
  } 2>/dev/null | cut -d/ -f3 | sort -u
}

# The process whose command line matches, among those of our labs.
process_of() {
  local pid
  for pid in $(labelled); do
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "$1" && echo "$pid" && return
  done
  return 1
}

nothing_left() {
  [ -z "$(labelled)" ] || fail "$1: processes are left: $(labelled)"
  [ ! -d "$XDG_STATE_HOME/lab" ] || [ -z "$(ls -A "$XDG_STATE_HOME/lab")" ] || fail "$1: files are left: $(ls -AR "$XDG_STATE_HOME/lab")"
  local hash
  hash=$(printf %s "$XDG_STATE_HOME/lab/${2:-local}" | sha256sum | cut -c1-8)
  [ -z "$(find /sys/fs/cgroup -type d -name "lab-*-$hash-*" 2>/dev/null)" ] || fail "$1: cgroups are left"
  for address in ${addresses:-}; do
    ! ss -Hltn "src $address" 2>/dev/null | grep -q . || fail "$1: something listens at $address"
  done
}

# Remembers where the lab listens, for nothing_left.
remember_addresses() { addresses=$("$LAB" status --json | grep -o '"address":"[^"]*"' | cut -d'"' -f4); }
