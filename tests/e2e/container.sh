#!/bin/bash
# The study's nine nodes as real containers: firewalls that let through what is declared and nothing else, a run through them, a container
# that dies, and nothing left afterwards. Skipped (exit 77) with the reason where no engine works.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
image_or_skip

wants 0 "$LAB" plan webseal-2007
says "create  node firewall1 (container at "
wants 0 "$LAB" up webseal-2007
says "lab webseal-2007 stands: 9 nodes in"
tail -2 <<<"$out"
wants 0 "$LAB" up webseal-2007
says "nothing to do"
wants 0 "$LAB" status
wants 0 "$LAB" exec webseal -- sh -c 'hostname; uname -m'
says "webseal"

address_of() { "$LAB" status --json | jq -r ".nodes[] | select(.name == \"$1\").address"; }
counter() { # NODE NAME: packets
  "$LAB" exec "$1" -- nft -j list counters table inet lab | jq ".nftables[] | select(.counter.name == \"$2\").counter.packets"
}
# probe FROM ADDRESS PORT: whether a TCP connection comes about within two seconds.
probe() { "$LAB" exec "$1" -- timeout 2 bash -c "exec 3<>/dev/tcp/$2/$3" >/dev/null 2>&1; }

webseal=$(address_of webseal) was=$(address_of was) tam=$(address_of tam) db2=$(address_of db2) firewall1=$(address_of firewall1)

# Declared: clients to the gateway, the gateway to directory and back ends, back ends to the database's port (nobody listens yet: refused).
probe client1 "$webseal" 8080 || fail "client1 does not reach the gateway"
probe webseal "$tam" 3890 || fail "the gateway does not reach the directory"
probe webseal "$was" 9080 || fail "the gateway does not reach the back end"
[ "$(counter firewall1 flow/client1/webseal/8080)" -gt 0 ] || fail "firewall1 does not count what it lets through"
"$LAB" exec client1 -- sh -c 'echo secret000001 >/tmp/password'
wants 0 "$LAB" exec client1 -- /lab/bin/lab load "https://$webseal:8443/app/page/5.8KB" -c 2 -n 50 --expect-bytes 5939 \
  --cacert /lab/certs/ca.pem --user user000001 --password-file /tmp/password

# Undeclared: dropped and counted.
dropped=$(counter firewall1 dropped)
for target in "$was 9080" "$tam 3890" "$webseal 22" "$db2 5432"; do
  ! probe client1 $target || fail "client1 reaches $target, which no role needs"
done
[ "$(counter firewall1 dropped)" -gt "$dropped" ] || fail "firewall1 does not count what it drops"
dropped=$(counter firewall2 dropped)
! probe webseal "$db2" 5432 || fail "the gateway reaches the database, which no role needs"
! probe was "$webseal" 8080 || fail "a back end reaches the gateway, which no role needs"
[ "$(counter firewall2 dropped)" -gt "$dropped" ] || fail "firewall2 does not count what it drops"
! probe webseal "$(address_of client1)" 22 || fail "the gateway reaches a client, which no role needs"
# Neither by other protocols. First that the probes are heard where nothing is between.
drops() { # FIREWALL WHAT COMMAND…: it fails, and the firewall counts it
  local before
  before=$(counter "$1" dropped)
  ! "${@:3}" || fail "$2 gets past $1"
  [ "$(counter "$1" dropped)" -gt "$before" ] || fail "$1 does not count $2 among what it drops"
}
ping_from() { # NODE ADDRESS: whether an echo request is answered within two seconds
  "$LAB" exec "$1" -- perl -MSocket -e 'socket(my $s, AF_INET, SOCK_DGRAM, 1) or die "no ICMP socket: $!";
    send($s, pack("C2n3", 8, 0, 0, 0, 1), 0, sockaddr_in(0, inet_aton($ARGV[0]))) or exit 1;
    my $r = ""; vec($r, fileno $s, 1) = 1; exit !select($r, undef, undef, 2)' "$2"
}
datagram() { # NODE ADDRESS PORT: whether a UDP datagram is answered, if only by "port unreachable"
  "$LAB" exec "$1" -- perl -MSocket -e 'socket(my $s, AF_INET, SOCK_DGRAM, 0); connect($s, sockaddr_in($ARGV[1], inet_aton($ARGV[0])));
    send($s, "x", 0); my $r = ""; vec($r, fileno $s, 1) = 1; exit !select($r, undef, undef, 2)' "$2" "$3"
}
client2=$(address_of client2)
ping_from client1 "$client2" || fail "client1 does not reach its neighbour by ICMP"
datagram client1 "$client2" 8080 || fail "client1 does not reach its neighbour by UDP"
drops firewall1 "ICMP from a client to the gateway" ping_from client1 "$webseal"
drops firewall1 "UDP to a port that is declared for TCP" datagram client1 "$webseal" 8080
drops firewall2 "ICMP from the gateway to the directory" ping_from webseal "$tam"
drops firewall2 "UDP from a back end to the gateway" datagram was "$webseal" 8080

# Nor by the management network, or with a source address of somebody else's.
management=$(jq -r '.nodes[] | select(.node.name == "was").node.ssh_address' "$XDG_STATE_HOME/lab/webseal-2007/state.json")
! probe client1 "$management" 22 || fail "client1 reaches was by the management network"
pretend() { # FIREWALL FROM ITS-ADDRESS-THERE SOURCE TARGET PORT: a connection to TARGET from another's address
  "$LAB" exec "$2" -- sh -c "ip address add $4/32 dev lo && ip route replace $5/32 via $3 src $4" || fail "$2 cannot take another address"
  drops "$1" "a connection to $5 from $4, forged by $2," probe "$2" "$5" "$6"
  "$LAB" exec "$2" -- sh -c "ip route del $5/32; ip address del $4/32 dev lo"
}
inside=$(jq -r '.nodes[] | select(.node.name == "firewall2").node.addresses.inner' "$XDG_STATE_HOME/lab/webseal-2007/state.json")
pretend firewall1 client1 "$firewall1" "$webseal" "$tam" 3890
pretend firewall2 was "$inside" "$(address_of client1)" "$webseal" 8080  # declared, but from the other side

# CPU quota, live, and CPU time.
cgroup=$(jq -r '.nodes[] | select(.node.name == "webseal").details.cgroup.cpu // empty' "$XDG_STATE_HOME/lab/webseal-2007/state.json")
if [ -n "$cgroup" ]; then
  one=$(jq '.cpu_unit * 10000 | round' "$XDG_STATE_HOME/lab/webseal-2007/state.json")
  [ "$(cat "$cgroup"/cpu.cfs_quota_us "$cgroup"/cpu.max 2>/dev/null | cut -d' ' -f1)" = "$one" ] || fail "the gateway's lab CPU is no quota of $one"
fi

# Measured end to end, one lab CPU and two.
run_measured 2 --only '1/page=5.8KB/*/clients=8' --repeats 2
! jq -e '.cells[] | select(.flags | index("unreconciled"))' "$results" >/dev/null || fail "counts do not agree: $(jq .cells "$results")"
jq -e '.environment.firewalls[] | select(.node == "firewall1") | .flows[] | select(.from == "client1" and .port == 8080) | .packets > 0' \
  "$results" >/dev/null || fail "the firewalls' counters are not in the results: $(jq .environment.firewalls "$results")"
grep -q "firewall1: dropped" "$work/reports/latest/report.html" || fail "the report does not show the firewalls"

# A container that dies is seen, and brought back.
"$engine" kill "$(container_of tam)" >/dev/null
wants 1 "$LAB" status
says "container ended with exit code 137 (killed): lab up repairs it"
wants 0 "$LAB" up webseal-2007
wants 0 "$LAB" status
"$engine" rm -f "$(container_of firewall1)" >/dev/null 2>&1
wants 1 "$LAB" status
says "container gone: lab up repairs it"
wants 0 "$LAB" up webseal-2007
wants 0 "$LAB" status
probe client1 "$webseal" 8080 || fail "a firewall that was made anew does not forward"

wants 0 "$LAB" down
says "is down in"
tail -1 <<<"$out"
nothing_left_of webseal-2007
echo "ok"
