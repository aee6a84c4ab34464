#!/bin/bash
# `lab init` and `lab validate` in an empty folder, with only the binary.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

# expect STATUS TEXT COMMAND…: the command's exit status, and a text that its output holds
expect() {
  local status=$1 text=$2 output code
  shift 2
  output=$("$@" 2>&1)
  code=$?
  if [ "$code" -ne "$status" ] || [[ "$output" != *"$text"* ]]; then
    echo "FAILED: $*"
    echo "  exit $code, expected $status; output, expected to hold: $text"
    printf '%s\n' "$output" | sed 's/^/  | /'
    failed=1
  fi
}

expect 0 "wrote ./lab.yaml and ./playbook.yaml" "$LAB" init
expect 0 "./lab.yaml: ok, 4 nodes" "$LAB" validate ./lab.yaml
expect 0 "./playbook.yaml: ok, 2 scenarios, 6 cells, 2 claims" "$LAB" validate ./lab.yaml ./playbook.yaml
expect 1 "write ./lab.yaml: File exists" "$LAB" init
expect 1 "move it away, or name another folder: lab init DIR" "$LAB" init
expect 0 "wrote new/deep/lab.yaml" "$LAB" init new/deep

# Of two files both are written or none.
rm lab.yaml
expect 1 "write ./playbook.yaml: File exists" "$LAB" init
[ ! -e lab.yaml ] || { echo "FAILED: init left lab.yaml behind"; failed=1; }

printf 'lab: a\nnodes: {x: {rolez: [load]}}\nnodes: {}\n' >bad.yaml
expect 2 'error: unknown key `rolez` in node `x`
  at bad.yaml:2:13
    2 | nodes: {x: {rolez: [load]}}
      |             ^~~~~
  did you mean `roles`?' "$LAB" validate bad.yaml
expect 2 '  first at bad.yaml:2:1' "$LAB" validate bad.yaml
expect 2 '2 errors' "$LAB" validate bad.yaml
expect 2 "new/deep/lab.yaml: ok, 4 nodes" "$LAB" validate bad.yaml new/deep/lab.yaml

# A playbook is held against the one lab beside it.
printf 'lab: other\nnodes: {g: {roles: [gateway]}, l: {roles: [load]}}\n' >other.yaml
expect 2 'error: lab `other` has no node `web`
  at playbook.yaml:' "$LAB" validate other.yaml playbook.yaml

expect 2 "open absent.yaml: No such file or directory" "$LAB" validate absent.yaml
expect 2 "is a directory" "$LAB" validate new
expect 2 "FILE is required" "$LAB" validate
expect 0 "webseal-2007.yaml: ok, 6 scenarios" "$LAB" validate "$SOURCE/labs/local.yaml" "$SOURCE/playbooks/webseal-2007.yaml"

if [ -w /dev/full ]; then
  mkdir full && ln -s /dev/full full/lab.yaml
  expect 1 "write full/lab.yaml: File exists" "$LAB" init full
fi
exit $failed
