#!/bin/bash
# lab up, status, exec, logs, down of the built-in lab, from every state that a lab can be in.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1

wants 0 "$LAB" plan
says "create  node webseal"
nothing_left "after plan"

wants 0 "$LAB" down
says "no lab stands"

wants 0 "$LAB" up
says "lab local stands: 7 nodes in"
echo "$out" | tail -3
remember_addresses
[ -n "$addresses" ] || fail "no addresses"

wants 0 "$LAB" up
says "nothing to do"

wants 0 "$LAB" status --json
[ "$(grep -o '"health":"ok"' <<<"$out" | wc -l)" -eq 7 ] || fail "not all ok: $out"

wants 0 "$LAB" graph --mermaid
says "flowchart LR"
wants 7 "$LAB" exec webseal -- sh -c 'echo "in $LAB_NODE"; exit 7'
says "in $XDG_STATE_HOME/lab/local/nodes/webseal"
wants 2 "$LAB" exec nobody -- true
says "lab local has no node nobody"
wants 0 "$LAB" logs webseal gateway

was=$("$LAB" status --json | grep -o '"name":"was","address":"[^"]*"' | cut -d'"' -f8)
[ "$(curl -s --max-time 5 "http://$was:9080/page/12KB" | wc -c)" -eq 12288 ] || fail "pages does not serve at $was"

# Junctions of the running gateway, through its agent.
webseal=$("$LAB" status --json | jq -r '.nodes[] | select(.name == "webseal") | .address')
wants 0 "$LAB" junction create -t tcp -h "$was" -p 9080 /extra
says "created junction /extra"
wants 0 "$LAB" junction list --gateway webseal
says "/extra"
[ "$(curl -sk --max-time 5 -u user000001:secret000001 "https://$webseal:8443/extra/page/12KB" | wc -c)" -eq 12288 ] || fail "/extra leads nowhere"
wants 0 "$LAB" junction delete /extra
wants 1 "$LAB" junction delete /extra
says "there is no junction /extra"
wants 2 "$LAB" junction list --gateway nobody
says "the lab has no gateway nobody"

# A killed agent takes nothing with it for good: up brings it back.
kill -9 "$(process_of 'agent.*webseal')" || fail "no agent of webseal"
wants 1 "$LAB" status
wants 0 "$LAB" up
wants 0 "$LAB" status

wants 0 "$LAB" down
says "lab local is down in"
nothing_left "after down"
wants 0 "$LAB" down local
says "no lab local stands, and nothing of one is left"

# Down without sshd, without agents, without state.
wants 0 "$LAB" --quiet up
kill -9 "$(process_of 'nodes/tam/ssh/sshd_config')" "$(process_of 'agent.*was')"
rm "$XDG_STATE_HOME/lab/local/state.json"*
wants 0 "$LAB" down local
nothing_left "after down without state"

wants 0 "$LAB" --quiet up
rm -r "$XDG_STATE_HOME/lab/local"
wants 0 "$LAB" down local
nothing_left "after down without the state folder"

# Interrupted half-way.
"$LAB" up >"$work/up.log" 2>&1 &
up=$!
tail -F --pid=$up "$work/up.log" 2>/dev/null | grep -q -m1 ': node'
kill -INT $up
wait $up
code=$?
[ $code -eq 130 ] || [ $code -eq 0 ] || fail "exit code $code of an interrupted up: $(cat "$work/up.log")"
wants 0 "$LAB" down local
nothing_left "after an interrupted up"

# Two at once: one waits for the other and finds the lab standing.
"$LAB" up >"$work/first.log" 2>&1 &
first=$!
"$LAB" up >"$work/second.log" 2>&1 || fail "the second up: $(cat "$work/second.log")"
wait $first || fail "the first up: $(cat "$work/first.log")"
[ "$(cat "$work"/first.log "$work"/second.log | grep -c 'nothing to do')" -eq 1 ] || fail "both ups worked: $(cat "$work"/*.log)"

# Two labs at once, each with addresses of its own.
wants 0 "$LAB" --quiet up --name other
wants 2 "$LAB" status
says "several labs stand: local, other"
wants 0 "$LAB" status --name other
wants 0 "$LAB" down --all
nothing_left "after down --all"
nothing_left "after down --all" other
echo "ok"
