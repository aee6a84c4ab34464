#!/bin/bash
# Provider zvm against the stand-in for Feilong: each guest is a private sshd that lets in whom its config drive names. Planned, brought up
# over cut connections, measured, repaired, taken down; no guest, no file and no process is left. As root, then as an ordinary user.
. "$SOURCE/tests/e2e/orchestrator_common.bash" || exit 1
[ -x "${STANDIN:-}" ] || { echo "skipped: no stand-in for Feilong: STANDIN is not set"; exit 77; }
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd

guests=$work/guests
mkdir -p "$guests"
cat >"$work/hook" <<HOOK
#!/bin/bash
# start|stop|delete USERID ADDRESS DRIVE: what z/VM and the guest's Linux do.
folder=$guests/\$2
stop() {
  for pid in \$(cat "\$folder/pid" 2>/dev/null; grep -lz "^LAB_NODE=\$folder/" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do kill -9 "\$pid" 2>/dev/null; done
  rm -f "\$folder/pid"
}
case \$1 in
  start)
    mkdir -p "\$folder/home" "\$folder/drive"
    tar xzf "\$4" -C "\$folder/drive" || exit
    data=\$folder/drive/openstack/latest/user_data
    sed -n '/BEGIN OPENSSH/,/END OPENSSH/p' "\$data" | sed 's/^ *//' >"\$folder/host_key"
    sed -n 's/^      - //p' "\$data" >"\$folder/authorized_keys"
    chmod 600 "\$folder/host_key"
    printf '%s\n' "ListenAddress \$3:2222" "HostKey \$folder/host_key" "AuthorizedKeysFile \$folder/authorized_keys" "PidFile \$folder/pid" "UsePAM no" \
      "StrictModes no" "PasswordAuthentication no" "PermitRootLogin prohibit-password" "Subsystem sftp internal-sftp" "MaxStartups 100" \
      "SetEnv SHLVL=1 HOME=\$folder/home" >"\$folder/sshd_config"
    $sshd -f "\$folder/sshd_config" -E "\$folder/log" </dev/null >/dev/null 2>&1
    ;;
  stop) stop ;;
  delete) stop; rm -rf "\$folder" ;;
esac
HOOK
chmod +x "$work/hook"

mkfifo "$work/orders"
"$STANDIN" --token T0ken --image rhel8.6=rhel8.6 --vswitch VSW1 --hook "$work/hook" --folder "$work" <"$work/orders" >"$work/said" 2>&1 &
standin=$!
exec 9>"$work/orders"
trap '"$LAB" --quiet down --all >/dev/null 2>&1; exec 9>&-; kill "$standin" 2>/dev/null; for hook in "$guests"/*; do "$work/hook" delete "${hook##*/}"; done; rm -rf "$work"' EXIT
tail -F --pid=$standin "$work/said" 2>/dev/null | grep -q -m1 http
url=$(head -1 "$work/said")

(umask 077; echo T0ken >"$work/token")
third=$((RANDOM % 250 + 1))
cat >"$work/zvm.yaml" <<TXT
lab: guests
provider: zvm
feilong: {url: "$url", token-file: $work/token}
networks: {inner: 127.70.$third.0/24}
gateway: {authentication: {basic: https}}
nodes:
  client:  {roles: [load],      networks: [inner], userid: LABCL,  image: rhel8.6, vswitch: VSW1, address: 127.70.$third.10, port: 2222, user: $(id -un)}
  webseal: {roles: [gateway],   networks: [inner], userid: LABGW,  image: rhel8.6, vswitch: VSW1, address: 127.70.$third.11, port: 2222, user: $(id -un), disks: [10GB], cpus: 1, max-cpus: 2}
  tam:     {roles: [directory], networks: [inner], userid: LABTAM, image: rhel8.6, vswitch: VSW1, address: 127.70.$third.12, port: 2222, user: $(id -un)}
  was:     {roles: [pages],     networks: [inner], userid: LABWAS, image: rhel8.6, vswitch: VSW1, address: 127.70.$third.13, port: 2222, user: $(id -un)}
TXT

wants 0 "$LAB" plan "$work/zvm.yaml"
says "create  node webseal (guest LABGW, 1 CPU, 2048 MB, image rhel8.6, 127.70.$third.11"
says 'POST /guests {"guest":{"userid":"LABGW","vcpus":1,"memory":2048,"disk_list":[{"size":"10g","is_boot_disk":true}],"max_cpu":2,'
says 'POST /guests/LABGW/action {"action":"deploy","image":"rhel8.6","transportfiles":"(as PUT /files answers)"}'
says 'PUT /vswitches/VSW1 {"vswitch":{"grant_userid":"LABGW"}}'
[ -z "$(ls -A "$guests")" ] || fail "plan started a guest"
grep -rq T0ken "$XDG_STATE_HOME" 2>/dev/null && fail "the token is in the state"
wants 0 "$LAB" doctor "$work/zvm.yaml"
says "lab guests can stand here: 4 nodes"
sed 's/image: rhel8.6, vswitch: VSW1/image: sles15, vswitch: VSW2/' "$work/zvm.yaml" >"$work/missing.yaml"
wants 1 "$LAB" doctor "$work/missing.yaml"
says "Feilong has no image sles15"
says "z/VM has no virtual switch VSW2; it has: VSW1"

# A guest that cannot be finished is removed again; connections that are cut only cost a second try.
printf '%s\n' "cut-after POST /guests/LABTAM/interface" "cut-first POST /guests/LABTAM/interface" >&9
wants 1 "$LAB" up "$work/zvm.yaml"
says "the connection to Feilong broke off"
says "what was created has been removed again"
[ -z "$(ls -A "$guests")" ] || fail "a guest is left after an up that failed: $(ls "$guests")"
printf '%s\n' "cut-after POST /guests {\"guest\":{\"userid\":\"LABGW\"" "cut-first PUT /files" "expired GET /guests/LABWAS" "busy POST /guests/LABCL/action" >&9
wants 0 "$LAB" up "$work/zvm.yaml"
says "lab guests stands: 4 nodes in"
wants 0 "$LAB" up "$work/zvm.yaml"
says "nothing to do"
wants 0 "$LAB" status
says "at least: only the lab's guests are known"
wants 0 "$LAB" exec webseal -- true

cd "$work" || exit 1
cat >run.yaml <<TXT
playbook: small
profiles: {quick: {warmup: 0.3s, measure: 1s}}
scenarios: [{id: a, client: http, junction: {point: /a, type: tcp, servers: [was]}, axes: {page: [5.8KB], cpus: [0.5], clients: [4]}}]
TXT
wants 0 "$LAB" run ./run.yaml
grep -q '"failed":""' reports/latest/trials.jsonl || fail "no trial was measured: $(cat reports/latest/trials.jsonl)"

# A guest that went off is started again, with what ran there.
"$work/hook" stop LABWAS
wants 1 "$LAB" status
"$work/hook" start LABWAS "127.70.$third.13" "$work/LABWAS.drive"
wants 0 "$LAB" up "$work/zvm.yaml"
wants 0 "$LAB" status

# A server that is down is no proof that nothing is left; neither is a lost state.
echo down >&9
wants 1 "$LAB" down guests
says "Failed to connect SDK server"
echo up >&9
rm -rf "$XDG_STATE_HOME"/lab/guests/state.json* "$XDG_STATE_HOME"/lab/guests/guests
wants 0 "$LAB" down guests
[ -z "$(ls -A "$guests")" ] || fail "guests are left: $(ls "$guests")"
[ ! -e "$XDG_STATE_HOME/lab/guests" ] || fail "files are left: $(ls -R "$XDG_STATE_HOME/lab")"
pids=$(grep -lz "[/]${guests#/}" /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3 | grep -vx $$ | sort -u)
[ -z "$pids" ] || fail "processes are left: $pids"
echo "ok as $(id -un)"

if [ "$(id -u)" -eq 0 ]; then
  . "$SOURCE/tests/e2e/borrowed_user.bash"
  open=$(mktemp -d)
  chmod 755 "$open"
  cp "$STANDIN" "$open/feilong_standin"
  STANDIN=$open/feilong_standin as_borrowed_user "$SOURCE/tests/e2e/zvm.sh" || fail "as an ordinary user"
  rm -rf "$open"
fi
