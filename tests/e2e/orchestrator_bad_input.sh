#!/bin/bash
# What is wrong is told with its remedy before anything is touched.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1

cat >"$work/typo.yaml" <<'Y'
lab: typo
provider: local
networks: {dmz: 198.18.2.0/24}
nodes:
  webseal: {rolls: [gateway], networks: [dmz]}
Y
wants 2 "$LAB" up "$work/typo.yaml"
says "typo.yaml:5:"
nothing_left "after a wrong key" typo

wants 2 "$LAB" up --name ../elsewhere
says "is no name for a lab"

wants 1 "$LAB" status
says "no lab stands"
says "lab up"

# A port in use, on all addresses.
"$LAB" pages --http 0.0.0.0:0 >"$work/pages.log" 2>&1 &
holder=$!
tail -F --pid=$holder "$work/pages.log" 2>/dev/null | grep -q -m1 'listening on'
port=$(grep -o '0.0.0.0:[0-9]*' "$work/pages.log" | cut -d: -f2)
cat >"$work/busy.yaml" <<Y
lab: busy
provider: local
networks: {inner: 198.18.3.0/24}
nodes:
  tam: {roles: [directory], networks: [inner]}
directory: {ldap: $port}
Y
wants 1 "$LAB" up "$work/busy.yaml"
kill $holder
wait $holder
says ".1.1:$port is in use: process $holder (lab), on all addresses, listens there"
says "at node tam, directory ldap"
says "give directory ldap another port in the lab file"
nothing_left "after a port in use" busy

# No sshd: hidden in a mount namespace of our own.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  : >"$work/not-executable"
  wants 1 unshare -m sh -c 'mount --bind "$1" "$2" && exec "$3" up' sh "$work/not-executable" "$(readlink -f /usr/sbin/sshd)" "$LAB"
  says "sshd not found"
  says "apt-get install openssh-server"
  nothing_left "after a missing sshd"
fi

# A full disk.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  mkdir "$work/small"
  wants 1 unshare -m sh -c 'mount -t tmpfs -o size=20m none "$1" && XDG_STATE_HOME=$1 "$2" up; code=$?; ls -A "$1/lab"; exit $code' sh "$work/small" "$LAB"
  says "disk is full"
  says "what was created has been removed again"
fi
echo "ok"
