#!/usr/bin/env python3
"""Clients that are not OpenLDAP's: python3-ldap3 and nmap's ldap scripts, pointed at `lab directory`; and its schema against slapd's."""
import shutil, signal, subprocess, sys, tempfile

import ldap3
from ldap3.utils.conv import escape_filter_chars

import oracle

failures = 0


def check(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}")


def with_ldap3(url, work):
    tls = ldap3.Tls(ca_certs_file=f"{work}/cert.pem", validate=2)
    server = ldap3.Server(url, get_info=ldap3.ALL, tls=tls)
    anonymous = ldap3.Connection(server, auto_bind=True)
    check("ldap3 reads the root DSE", server.info.naming_contexts == ["dc=lab"])
    check("ldap3 reads the schema", "inetOrgPerson" in server.schema.object_classes and "uid" in server.schema.attribute_types)
    anonymous.search("dc=lab", "(uid=ann)", attributes=ldap3.ALL_ATTRIBUTES)
    check("ldap3 finds an entry", anonymous.entries[0].mail.values == ["ann@lab", "Ann.Other@lab"])
    check("ldap3 reads an integer by the schema", anonymous.entries[0].uidNumber.value == 10)
    anonymous.search("dc=lab", f"(cn={escape_filter_chars('bob*')})")
    check("ldap3 escapes an asterisk", [entry.entry_dn for entry in anonymous.entries] == [oracle.NAMES["bob"]])
    pages = list(anonymous.extend.standard.paged_search("dc=lab", "(objectClass=*)", paged_size=3))
    check("ldap3 pages", len(pages) == 24)
    check("ldap3 compares", anonymous.compare(oracle.NAMES["ann"], "cn", "ann other"))
    admin = ldap3.Connection(server, oracle.ADMIN[1], oracle.ADMIN[3])
    check("ldap3 starts TLS", admin.start_tls())
    check("ldap3 binds", admin.bind())
    check("ldap3 asks who it is", admin.extend.standard.who_am_i() == "dn:cn=admin,dc=lab")
    check("ldap3 adds", admin.add("uid=gail,ou=people,dc=lab", ["inetOrgPerson"], {"cn": "Gail", "sn": "G"}))
    check("ldap3 modifies", admin.modify("uid=gail,ou=people,dc=lab", {"title": [(ldap3.MODIFY_REPLACE, ["Dr."])]}))
    check("ldap3 renames", admin.modify_dn("uid=gail,ou=people,dc=lab", "uid=gale"))
    admin.search("dc=lab", "(title=dr.)", attributes=["uid"])
    check("ldap3 finds what it wrote", sorted(entry.entry_dn for entry in admin.entries) == [oracle.NAMES["ann"], "uid=gale,ou=people,dc=lab"])
    check("ldap3 deletes", admin.delete("uid=gale,ou=people,dc=lab"))
    check("ldap3 is refused", not ldap3.Connection(server, oracle.NAMES["ann"], "wrong").bind())
    return server


def with_nmap(url):
    host, port = url.removeprefix("ldap://").split(":")
    def nmap(*arguments):
        command = ["nmap", "-n", "-Pn", "--unprivileged", "-sT", "-p", port, *arguments, host]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    check("nmap's ldap-rootdse", "namingContexts: dc=lab" in nmap("--script", "+ldap-rootdse"))
    found = nmap("--script", "+ldap-search", "--script-args", 'ldap.base="dc=lab",ldap.qfilter=users')
    check("nmap's ldap-search", "uid: ann" in found)


def definitions(schema_owner):
    """Definition by OID: what clients act on, without descriptions."""
    result = {}
    for kind in (schema_owner.schema.attribute_types, schema_owner.schema.object_classes):
        for one in kind.values():
            result[one.oid] = tuple(str(getattr(one, name, None)) for name in
                                    ("name", "superior", "equality", "ordering", "substring", "syntax", "single_value", "usage",
                                     "no_user_modification", "must_contain", "may_contain", "kind"))
    return result


def main():
    work = tempfile.mkdtemp()
    servers = []
    try:
        oracle.certificate(work)
        slapd, slapd_url, _ = oracle.start_slapd(work)
        servers.append(slapd)
        lab, lab_url, _ = oracle.start_lab(work)
        servers.append(lab)
        oracle.wait_for(slapd_url)
        ours = definitions(with_ldap3(lab_url, work))
        reference = ldap3.Server(slapd_url, get_info=ldap3.SCHEMA)
        ldap3.Connection(reference, auto_bind=True)
        theirs = definitions(reference)
        check("the schema has what people use", len(ours) > 200)
        for oid, definition in ours.items():
            check(f"{oid}: {definition} is {theirs.get(oid)}", definition == theirs.get(oid))
        with_nmap(lab_url)
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=20)
        shutil.rmtree(work)
    print(f"second opinions: {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
