#!/bin/bash
# Our gateway, nginx and HAProxy in one lab and one run: every count agrees, what they cannot do is skipped with its reason, the report names
# all three, nothing is left.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1
cd "$work" || exit 1

holds() { jq -es "length > 0 and all(.[]; $2)" "$1" >/dev/null || fail "not so of $1: $2: $(head -c 3000 "$1")"; }

wants 0 "$LAB" up peers
says "lab peers stands: 7 nodes in"
wants 0 "$LAB" status
remember_addresses
nginx=$("$LAB" status --json | jq -r '.nodes[] | select(.name == "nginx").address')
[ "$(curl -s --max-time 5 -o /dev/null -w '%{http_code}' "http://$nginx:8080/")" = 404 ] || fail "nginx does not answer at $nginx"

wants 0 "$LAB" run peers --repeats 2 --seed 3 --only 'http/*' --only 'ssl/*' --only 'handshake/*' --only 'login/*'
run=$(readlink -f reports/latest)
holds "$run/trials.jsonl" '.failed == "" and (.flags | index("errors") == null)'
holds "$run/trials.jsonl" '.notes | all((startswith("unreconciled: ") | not) or contains("mean service time"))'
# Where the back ends' pages could not be told apart, they were checked for both sides of a pair together.
holds "$run/trials.jsonl" '(.notes | any(contains("both sides together"))) as $together | .sides[].counts | .started == .done and .gateway == .done + .logins and .pages == (if $together then 0 else .done end)'
holds "$run/trials.jsonl" '.sides[] | (.cell | capture("gateway=(?<kind>[a-z]+)").kind) as $kind | {"lab": "ours", "nginx": "nginx", "haproxy": "haproxy"}[$kind] as $node | .cpu as $cpu | ["ours", "nginx", "haproxy"] | all(. == $node or $cpu[.] < $cpu[$node])'
holds "$run/results.json" '[.cells[] | select(.status == "measured")] | length == 10'
holds "$run/results.json" '[.cells[] | select(.status == "skipped")] | length == 2 and all(.reason | test("has no logins against an LDAP directory"))'
for kind in lab nginx haproxy; do
  grep -q "gateway $kind" "$run/report.html" || fail "the report does not show $kind"
done

# What they do not have is refused when it stands in the lab file, too.
sed 's|authentication: {basic: https}|junctions: [{point: /app, type: tcp, servers: [was], identity: all}]|; s|lab: peers|lab: refused|' \
  "$SOURCE/labs/peers.yaml" >"$work/refused.yaml"
wants 1 "$LAB" up "$work/refused.yaml"
says "kind nginx sends no identity headers (junction /app)"
[ ! -d "$XDG_STATE_HOME/lab/refused" ] || fail "a refused up left its folder"

# An address that is only driven: the same nginx.
cat >"$work/driven.yaml" <<TXT
lab: driven
nodes:
  client: {roles: [load]}
  theirs: {roles: [gateway], kind: external, address: $nginx}
  web: {roles: [pages], kind: external, address: 127.199.1.250, pages: {http: 8080, https: 8443}}
TXT
wants 0 "$LAB" up "$work/driven.yaml"
wants 0 "$LAB" status --name driven
cat >"$work/driven-run.yaml" <<TXT
playbook: driven
profiles: {quick: {warmup: 0.1s, measure: 1s}}
scenarios: [{id: "404", client: http, junction: {point: /, type: tcp, servers: [web]}, axes: {page: [100B], clients: [1]}}]
TXT
wants 0 "$LAB" run "$work/driven-run.yaml" --name driven
holds reports/latest/trials.jsonl '.failed == "" and (.notes | any(contains("it is external"))) and .sides[0].counts.started > 0'
wants 2 "$LAB" exec theirs --name driven -- true
says "node theirs is external"
kill -9 $(process_of 'agent.*--name nginx') $(pgrep -f "$XDG_STATE_HOME/lab/peers/nodes/(nginx|haproxy)/roles/gateway/config.json")
wants 0 "$LAB" down --all
nothing_left "after down" peers
nothing_left "after down" driven
[ -z "$(pgrep -f "$XDG_STATE_HOME")" ] || fail "programs are left: $(pgrep -af "$XDG_STATE_HOME")"
echo "ok"
