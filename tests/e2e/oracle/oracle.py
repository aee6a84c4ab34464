#!/usr/bin/env python3
"""Asks slapd and `lab directory` the same and compares the answers: result codes, entries, attributes, values.

usage: LAB=build/lab oracle.py [-v] [REGEX: only the calls that match]
Only wording of diagnostics, and what is made anew for each entry (entryUUID, entryCSN, timestamps), may differ.
"""
import os, re, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.environ["LAB"]
NAMES = {name: f"uid={name},ou=people,dc=lab" for name in ("ann", "bob", "carol", "dave", "eve", "frank")}
ADMIN = ["-D", "cn=admin,dc=lab", "-w", "admin-secret"]
VOLATILE = ("entryUUID", "entryCSN", "createTimestamp", "modifyTimestamp")
# Lists of what a server can do, in the root DSE: ours are shorter. calls.table asks for what they must have.
CAPABILITIES = ("supportedControl", "supportedExtension", "supportedFeatures", "supportedSASLMechanisms", "configContext", "vendorName")
# Of the subschema every definition of ours is compared with slapd's, and slapd's may have more (second_opinions.py).
SUBSCHEMA = ("attributeTypes", "objectClasses", "ldapSyntaxes", "matchingRules", "matchingRuleUse")

SLAPD = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
pidfile {work}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload sssvlv
moduleload pw-sha2
TLSCertificateFile {work}/cert.pem
TLSCertificateKeyFile {work}/key.pem
database mdb
suffix dc=lab
rootdn cn=admin,dc=lab
rootpw admin-secret
directory {work}/data
index objectClass,uid,cn,mail,member eq
overlay sssvlv
access to attrs=userPassword by anonymous auth by * none
access to * by * read
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


def start_slapd(work):
    os.mkdir(f"{work}/data")
    with open(f"{work}/slapd.conf", "w") as conf:
        conf.write(SLAPD.format(work=work))
    run("/usr/sbin/slapadd", "-q", "-f", f"{work}/slapd.conf", "-l", f"{HERE}/data.ldif")
    socket = f"{work}/slapd.socket"
    with open(f"{work}/slapd.log", "w") as log:
        process = subprocess.Popen(["/usr/sbin/slapd", "-d", "0", "-f", f"{work}/slapd.conf", "-h", f"ldapi://{socket.replace('/', '%2F')}/ "
                                    f"ldap://127.0.0.1:{free_port()}/"], stdout=log, stderr=log)
    url = re.search(r"ldap://127\S+(?=/)", " ".join(process.args)).group()
    return process, url, f"ldapi://{socket.replace('/', '%2F')}"


def certificate(work):
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
        "subjectAltName=IP:127.0.0.1", "-keyout", f"{work}/key.pem", "-out", f"{work}/cert.pem")


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_lab(work):
    with open(f"{work}/admin", "w") as file:
        file.write("admin-secret\n")
    socket = f"{work}/lab.socket"
    read, write = os.pipe()
    with open(f"{work}/lab.log", "w") as log:
        process = subprocess.Popen([LAB, "directory", "--ldap", "127.0.0.1:0", "--ldif", f"{HERE}/data.ldif", "--admin", "cn=admin,dc=lab",
                                    "--admin-password-file", f"{work}/admin", "--cert", f"{work}/cert.pem", "--key",
                                    f"{work}/key.pem", "--ldapi", socket, "--save", f"{work}/saved.ldif", "--ready-fd", str(write)],
                                   pass_fds=[write], stdout=log, stderr=log)
    os.close(write)
    with os.fdopen(read) as ready:
        line = ready.readline()
    if not line:
        sys.exit("lab directory did not start: " + open(f"{work}/lab.log").read())
    return process, re.search(r"ldap://[^\"]+", line).group(), f"ldapi://{socket.replace('/', '%2F')}"


def read_calls():
    calls = []
    with open(f"{HERE}/calls.table") as table:
        for number, line in enumerate(table, 1):
            line = expand(line.rstrip("\n"))
            if line.startswith("|"):
                calls[-1]["stdin"] += line[2:] + "\n"
            elif line and not line.startswith("#"):
                calls.append({"line": number, "text": line, "stdin": ""})
    return calls


def expand(text):
    return re.sub(r"@(\w+)", lambda match: NAMES.get(match.group(1), match.group()), text)


def command_of(call, url, ldapi):
    text = call["text"]
    ordered = text.startswith("ordered ")
    if ordered:
        text = text[len("ordered "):]
    verb, _, rest = text.partition(" ")
    if verb == "filter":
        return ["ldapsearch", "-x", "-H", url, "-o", "ldif-wrap=no", "-b", "dc=lab", rest, "1.1"], ordered
    words = words_of(rest)
    words = [part for word in words for part in (ADMIN if word == "@admin" else [word])]
    target = ["-H", ldapi if "EXTERNAL" in words else url]
    simple = [] if "EXTERNAL" in words else ["-x"]
    program = {"search": ["ldapsearch", "-o", "ldif-wrap=no"], "compare": ["ldapcompare"], "whoami": ["ldapwhoami"],
               "modify": ["ldapmodify"], "delete": ["ldapdelete"], "modrdn": ["ldapmodrdn"]}[verb]
    return [program[0]] + simple + target + program[1:] + words, ordered


# Words as written, double quotes around those with spaces; parentheses hold a filter together. `\"` is a quote.
def words_of(text):
    return [re.sub(r'(?<!\\)"', "", word).replace('\\"', '"') for word in re.findall(r'(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\\"|"(?:\\"|[^"])*"|[^\s"])+', text)]


def ask(command, stdin, work):
    environment = dict(os.environ, LDAPTLS_CACERT=f"{work}/cert.pem")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment), stdin


def answer_of(asked, ordered):
    process, stdin = asked
    out, err = (stream.decode(errors="replace") for stream in process.communicate(stdin.encode(), timeout=30))
    return normalise(out, err, process.returncode, ordered)


def normalise(out, err, code, ordered):
    blocks = [block.splitlines() for block in re.split(r"\n\n+", out)]
    entries, rest = [], []
    for block in blocks:
        lines = [line for line in block if not line.startswith(("# extended LDIF", "# LDAPv3", "# base", "# filter", "# requesting", "# with", "#\n", "# search", "search:"))]
        if any(line.startswith("dn:") for line in lines):
            lines = [line for line in lines if not line.startswith("#")]
            lines = [stable(line) for line in lines if line.split(":")[0] not in CAPABILITIES + SUBSCHEMA]
            entries.append("\n".join(lines[:1] + sorted(lines[1:])))
        else:
            rest += [stable(line) for line in lines if not re.fullmatch(r"#.*", line) or line.startswith(("# num", "# pagedresults"))]
    if not ordered:
        entries.sort()
    errors = [line for line in err.splitlines() if not line.strip().lower().startswith("additional info:")]
    return "\n".join(entries + [line for line in rest if line and not line.startswith(("text:", "Additional info:"))] + errors + [f"exit {code}"])


def stable(line):
    name = line.split(":")[0]
    if name in VOLATILE:
        return f"{name}: *"
    line = re.sub(r"(cookie=)\S+", r"\1*", line)
    line = re.sub(r"^(control: 1.2.840.113556.1.4.319 false) (?!MAUCAQAEAA==)\S+", r"\1 *", line)
    return re.sub(r"# (pre|post)read.*", "", line)


def wait_for(url):
    for _ in range(200):
        if subprocess.run(["ldapwhoami", "-x", "-H", url], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)  # polling for a server of our own to listen
    sys.exit(f"nothing answers at {url}")


def main():
    arguments = [word for word in sys.argv[1:] if word != "-v"]
    verbose = "-v" in sys.argv
    pattern = arguments[0] if arguments else ""
    work = tempfile.mkdtemp()
    servers = []
    differences = compared = 0
    try:
        certificate(work)
        slapd, slapd_url, slapd_ldapi = start_slapd(work)
        servers.append(slapd)
        lab, lab_url, lab_ldapi = start_lab(work)
        servers.append(lab)
        wait_for(slapd_url)
        for call in read_calls():
            if not re.search(pattern, call["text"]) and not call["stdin"]:
                continue
            asked = []
            for url, ldapi in ((slapd_url, slapd_ldapi), (lab_url, lab_ldapi)):
                command, ordered = command_of(call, url, ldapi)
                asked.append(ask(command, call["stdin"], work))
            expected, got = (answer_of(one, ordered) for one in asked)
            compared += 1
            if verbose:
                print(f"{call['line']}: {call['text']}\n{expected}\n")
            if expected != got:
                differences += 1
                print(f"calls.table:{call['line']}: {call['text']}\n{call['stdin']}--- slapd\n{expected}\n--- lab\n{got}\n")
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=20)
        shutil.rmtree(work)
    print(f"{compared} calls compared, {differences} answered differently")
    return 1 if differences or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
