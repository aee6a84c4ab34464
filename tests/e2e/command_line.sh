#!/bin/bash
# Completions in real shells, manual pages through groff, mistyped words.
set -u
: "${LAB:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}
export PATH=$(dirname "$LAB"):$PATH

completed=$(bash -c 'source <(lab completion bash); COMP_WORDS=(lab ru) COMP_CWORD=1; _lab; echo "${COMPREPLY[*]}"')
[ "$completed" = "run runs" ] || fail "bash completes \`lab ru\` to: $completed"
completed=$(bash -c 'source <(lab completion bash); COMP_WORDS=(lab junction --gateway webseal cr) COMP_CWORD=4; _lab; echo "${COMPREPLY[*]}"')
[ "$completed" = create ] || fail "bash completes \`lab junction … cr\` to: $completed"
completed=$(fish -c 'lab completion fish | source; complete -C"lab run --fail"' | cut -f1)
[ "$completed" = --fail-if-claims ] || fail "fish completes \`lab run --fail\` to: $completed"
lab completion zsh | zsh -n || fail "zsh cannot read its completion"

lab man --all "$work/man" || fail "no manual pages"
[ "$(ls "$work/man" | wc -l)" -gt 30 ] || fail "few manual pages: $(ls "$work/man")"
for page in "$work"/man/*.1; do
  complaints=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
  [ -z "$complaints" ] || fail "groff on $(basename "$page"): $complaints"
done
lab man run | groff -man -Tutf8 | grep -q "exit with 3 when a claim differs" || fail "lab-run(1) lacks an option"
lab man nothing 2>"$work/err" && fail "a page of no command"
grep -q 'there is no command `lab nothing`' "$work/err" || fail "$(cat "$work/err")"

lab upp 2>"$work/err"
[ $? = 2 ] || fail "a mistyped command's exit code"
grep -q 'did you mean `up`' "$work/err" || fail "$(cat "$work/err")"

[ "$failures" = 0 ] || { echo "$failures failed" >&2; exit 1; }
