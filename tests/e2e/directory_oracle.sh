#!/bin/bash
# `lab directory` against OpenLDAP's slapd: the same entries, the same calls, the same answers; then other people's clients.
set -eu  # Debian's python3, since python3-ldap3 is a package of Debian's
: "${LAB:?}"
here=$(dirname "$0")/oracle
/usr/bin/python3 "$here/oracle.py"
/usr/bin/python3 "$here/second_opinions.py"
