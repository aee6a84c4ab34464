#!/bin/bash
# `lab directory` under OpenLDAP's own tools (ldap-utils): what people will point at it.
set -u
: "${LAB:?}"
work=$(mktemp -d)
failures=0
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
  wait
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

# expect NAME EXIT-CODE OUTPUT-PATTERN COMMAND…: standard output and error together match the extended expression.
expect() {
  local name=$1 code=$2 pattern=$3 output got
  shift 3
  output=$("$@" 2>&1)
  got=$?
  [ "$got" = "$code" ] || fail "$name: exit $got instead of $code: $output"
  grep -Eq -- "$pattern" <<<"$output" || fail "$name: no \"$pattern\" in: $output"
}

expect_count() { # NAME COUNT COMMAND…: so many lines begin with "dn:"
  local name=$1 count=$2 got
  shift 2
  got=$("$@" 2>/dev/null | grep -c '^dn:')
  [ "$got" = "$count" ] || fail "$name: $got entries instead of $count"
}

# start OPTIONS…: a directory on ports of the kernel's choice; its URLs are in $urls once it serves.
start() {
  mkfifo "$work/ready"
  "$LAB" directory "$@" --ready-fd 3 3>"$work/ready" 2>>"$work/log" &
  pid=$!
  pids+=("$pid")
  urls=$(timeout 20 cat "$work/ready" | sed 's/.*"listen":\[\([^]]*\)\].*/\1/; s/[",]/ /g')
  rm "$work/ready"
  [ -n "$urls" ] || { fail "start $*: $(cat "$work/log")"; exit 1; }
}

person() { echo "uid=$1,ou=people,dc=lab"; }

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost \
  -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null || fail "openssl made no certificate"
start --ldap 127.0.0.1:0 --ldaps 127.0.0.1:0 --cert "$work/cert.pem" --key "$work/key.pem" --users 100 --threads 2 --control "$work/control"
read -r ldap ldaps <<<"$urls"
search() { ldapsearch -x -LLL -o nettimeout=10 -H "$ldap" -b dc=lab "$@"; }
whoami_as() { ldapwhoami -x -o nettimeout=10 -H "$ldap" -D "$1" -w "$2"; }

expect "search by uid" 0 '^mail: user000042@lab$' search '(uid=user000042)'
expect "groups of a member" 0 '^cn: group2$' search "(member=$(person user000042))" cn
expect_count "everything" 113 search '(objectClass=*)' 1.1
expect_count "objectClass=Person" 100 search '(objectClass=Person)' 1.1
expect_count "objectClass=person" 100 search '(objectClass=person)' 1.1
expect_count "a literal asterisk" 0 search '(uid=\2a)' 1.1
expect_count "a wildcard" 9 search '(uid=user00000*)' 1.1
expect_count "outside the base" 0 ldapsearch -x -LLL -H "$ldap" -b ou=groups,dc=lab '(uid=user000001)' 1.1
expect_count "one level" 2 search -s one 1.1
expect_count "with paging asked for" 113 search -E pr=10/noprompt 1.1
expect "size limit" 4 'Size limit exceeded' search -z 1 '(objectClass=person)' 1.1
expect_count "size limit's entries" 1 search -z 1 '(objectClass=person)' 1.1
expect "no such base" 32 'Matched DN: ou=people,dc=lab' ldapsearch -x -LLL -H "$ldap" -b "$(person nobody)"
expect "root DSE" 0 'namingContexts: dc=lab' ldapsearch -x -LLL -H "$ldap" -s base -b '' +
expect "unknown critical control" 12 'Critical extension is unavailable' search -E '!1.2.3.4'
search '*' + userPassword | grep -q '^userPassword' && fail "a search returned a password"

expect "who am I, by name" 0 "^dn:$(person user000001)$" whoami_as "$(person user000001)" secret000001
expect "who am I, anonymous" 0 '^anonymous$' ldapwhoami -x -H "$ldap"
expect "wrong password" 49 'Invalid credentials' whoami_as "$(person user000001)" secret000002
expect "unknown user" 49 'Invalid credentials' whoami_as "$(person nobody)" secret000001
expect "empty password" 53 'Server is unwilling to perform' whoami_as "$(person user000001)" ''
expect "compare" 6 TRUE ldapcompare -x -H "$ldap" "$(person user000001)" 'CN:USER 000001'
expect "StartTLS" 0 "^dn:$(person user000001)$" env LDAPTLS_CACERT="$work/cert.pem" ldapwhoami -x -ZZ -H "$ldap" -D "$(person user000001)" -w secret000001
expect "StartTLS, untrusted" 1 'Connect error' env LDAPTLS_CACERT=/dev/null ldapwhoami -x -ZZ -H "$ldap"
expect "writing without an administrator" 8 'modifications require authentication' ldapdelete -x -H "$ldap" "$(person user000001)"

expect "LDAPS" 0 "^dn:$(person user000001)$" env LDAPTLS_CACERT="$work/cert.pem" ldapwhoami -x -H "$ldaps" -D "$(person user000001)" -w secret000001
expect "LDAPS, untrusted" 255 "Can't contact LDAP server" env LDAPTLS_CACERT=/dev/null ldapwhoami -x -H "$ldaps"

stats=$(perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die; print $s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stats\"}\n"; $s->flush; print scalar <$s>' "$work/control")
grep -q '"49":2' <<<"$stats" || fail "stats do not count two refused binds: $stats"

call() { # SOCKET METHOD PARAMS
  perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die; print $s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$ARGV[1]\",\"params\":$ARGV[2]}\n"; $s->flush; print scalar <$s>' "$@"
}
# wait_until NAME PATTERN COMMAND…: the command's output comes to match within ten seconds.
wait_until() {
  local name=$1 pattern=$2
  shift 2
  for _ in $(seq 100); do
    "$@" 2>&1 | grep -Eq -- "$pattern" && return
    sleep 0.1 # polling for a change that was asked for
  done
  fail "$name: no \"$pattern\" in: $("$@" 2>&1)"
}
expect "faults set live" 0 '"faults":1' call "$work/control" faults '{"faults":[{"operations":"bind","dn":"uid=*","answer":"busy"}]}'
wait_until "a bind is busy" 'Server is busy' whoami_as "$(person user000001)" secret000001
expect "anonymous ones are not" 0 '^mail: user000042@lab$' search '(uid=user000042)'
expect "faults in error" 0 'no such word|"error"' call "$work/control" faults '{"faults":[{"answer":"nonsense"}]}'
expect "faults ended" 0 '"faults":0' call "$work/control" faults '{"faults":[]}'
wait_until "a bind is answered again" '^dn:' whoami_as "$(person user000001)" secret000001

echo admin-secret >"$work/admin"
echo '[]' >"$work/faults.yaml"
start --ldap 127.0.0.1:0 --ldapi "$work/ldapi" --users 5 --admin cn=admin,dc=lab --admin-password-file "$work/admin" --save "$work/saved.ldif" \
  --faults "$work/faults.yaml"
writable=$pid
read -r plain _ <<<"$urls"
as_admin() { "$1" -x -H "$plain" -D cn=admin,dc=lab -w admin-secret "${@:2}"; }
expect "SASL EXTERNAL" 0 "^dn:gidNumber=$(id -g)\+uidNumber=$(id -u),cn=peercred,cn=external,cn=auth$" \
  ldapwhoami -Q -Y EXTERNAL -H "ldapi://${work//\//%2F}%2Fldapi"
printf 'dn: uid=new,ou=people,dc=lab\nchangetype: add\nobjectClass: inetOrgPerson\ncn: New\nsn: One\nuserPassword: fresh\n' >"$work/add.ldif"
expect "an administrator adds" 0 'adding new entry' as_admin ldapmodify -f "$work/add.ldif"
expect "the new one logs in" 0 '^dn:uid=new' ldapwhoami -x -H "$plain" -D uid=new,ou=people,dc=lab -w fresh
expect "an administrator deletes" 0 '' as_admin ldapdelete "$(person user000005)"
echo '[{operations: search, answer: unavailable}]' >"$work/faults.yaml"
kill -HUP "$writable"
wait_until "faults read again on SIGHUP" 'Server is unavailable' ldapsearch -x -LLL -H "$plain" -b dc=lab
kill -TERM "$writable"
wait "$writable" || fail "SIGTERM with --save: exit $?"
[ -e "$work/ldapi" ] && fail "the Unix socket is left"
start --ldap 127.0.0.1:0 --ldif "$work/saved.ldif"
expect "what was saved is loaded" 0 '^dn:uid=new' ldapwhoami -x -H "${urls// /}" -D uid=new,ou=people,dc=lab -w fresh
expect_count "…and what was deleted stays so" 0 ldapsearch -x -LLL -H "${urls// /}" -b dc=lab '(uid=user000005)' 1.1

pid=${pids[0]}
printf 'dn: dc=x\nobjectClass: domain\ndescription: one\n  two\ndescription:: w7w=\nuserPassword: clear\n' >"$work/good.ldif"
first=$pid
start --ldap 127.0.0.1:0 --ldif "$work/good.ldif"
expect "LDIF: folding" 0 '^description: one two$' ldapsearch -x -LLL -H "${urls// /}" -b dc=x
expect "LDIF: base64" 0 '^description:: w7w=$' ldapsearch -x -LLL -H "${urls// /}" -b dc=x
expect "LDIF: clear password" 0 '^dn:dc=x$' ldapwhoami -x -H "${urls// /}" -D dc=x -w clear
printf 'dn: dc=x\ndc: x\nnonsense\n' >"$work/bad.ldif"
expect "LDIF: an error" 2 "bad.ldif:3" "$LAB" directory --ldap 127.0.0.1:0 --ldif "$work/bad.ldif"
expect "port in use" 1 'Address already in use' "$LAB" directory --ldap "${ldap#ldap://}" --users 1
expect "nothing to serve" 2 'give --ldif FILE or --users N' "$LAB" directory --ldap 127.0.0.1:0
expect "nowhere to listen" 2 'nowhere to listen' "$LAB" directory --users 1

kill -TERM "$first"
wait "$first" || fail "SIGTERM: exit $?"
[ -e "$work/control" ] && fail "the control socket is left"
expect "after SIGTERM" 255 "Can't contact LDAP server" ldapwhoami -x -H "$ldap"

[ "$failures" = 0 ] || { echo "$failures checks failed; the directory's log:" >&2; cat "$work/log" >&2; exit 1; }
