# Sourced by container*.sh: the engine, its image, and the proof that nothing is left in it.
. "$SOURCE/tests/e2e/orchestrator_common.bash"

skip() {
  echo "skipped: $*"
  exit 77
}

engine=${LAB_ENGINE:-podman}
command -v "$engine" >/dev/null || skip "$engine is not installed"

# The image is the engine's and stays there: made once, for this recipe.
image_or_skip() {
  "$LAB" image build >"$work/image" 2>&1 || skip "no image can be made here: $(head -3 "$work/image")"
  "$LAB" plan webseal-2007 >"$work/plan" 2>&1 || skip "containers cannot run here: $(head -3 "$work/plan")"
}

prefix_of() { echo "lab-$1-$(printf %s "$XDG_STATE_HOME/lab/$1" | sha256sum | cut -c1-8)"; }
container_of() { echo "$(prefix_of "${2:-webseal-2007}")-$1"; }

nothing_left_of() { # LAB
  local prefix left
  prefix=$(prefix_of "$1")
  left=$("$engine" ps -a --format '{{.Names}}' | grep "^$prefix")
  [ -z "$left" ] || fail "containers are left: $left"
  left=$("$engine" network ls --format '{{.Name}}' | grep "^$prefix")
  [ -z "$left" ] || fail "networks are left: $left"
  ! nft list ruleset 2>/dev/null | grep -qE '198\.(18|19)\.' || fail "rules of the host are left: $(nft list ruleset | grep -E '198\.(18|19)\.')"
  ! ip -4 address 2>/dev/null | grep -qE '198\.(18|19)\.' || fail "addresses of the host are left: $(ip -4 -br address)"
  [ ! -d "$XDG_STATE_HOME/lab/$1" ] || fail "files are left: $(ls -AR "$XDG_STATE_HOME/lab/$1")"
}

# run_measured CELLS ARGUMENTS…: `lab run`, with so many cells measured; on a busy host, which the run then names, at least one.
run_measured() {
  local cells=$1 code
  shift
  out=$("$LAB" run "$@" -o "$work/reports" 2>&1)
  code=$?
  results=$work/reports/latest/results.json
  if [ "$code" -ne 0 ]; then
    grep -q "is the host busy with something else" <<<"$out" || fail "exit code $code of: lab run $*"$'\n'"$out"
    echo "busy host: not every trial counts"
    cells=1
  fi
  [ "$(jq '[.cells[] | select(.status == "measured" and .pages_per_s.median > 0)] | length' "$results")" -ge "$cells" ] || fail "not measured: $out"
}
