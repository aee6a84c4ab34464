# Sourced after orchestrator_common.bash: hosts of the test's own on this machine, each a private sshd with a home of its own.
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
servers=()
ssh-keygen -q -t ed25519 -N "" -f "$work/key"

hosts_end() { kill "${servers[@]}" 2>/dev/null; }

# host NAME: its sshd at $port, its key's fingerprint in $pin.
host() {
  local folder=$work/$1
  mkdir -p "$folder/home/papers"
  echo "a letter" >"$folder/home/papers/letter"
  ln -s papers/letter "$folder/home/link"
  ssh-keygen -q -t ed25519 -N "" -f "$folder/host_key"
  pin=$(ssh-keygen -lf "$folder/host_key.pub" | cut -d' ' -f2)
  until
    port=$(shuf -i 20000-32000 -n 1)
    printf '%s\n' "ListenAddress 127.0.0.1:$port" "HostKey $folder/host_key" "AuthorizedKeysFile $work/key.pub" "PidFile none" "UsePAM no" \
      "StrictModes no" "PasswordAuthentication no" "PermitRootLogin prohibit-password" "Subsystem sftp internal-sftp" \
      "SetEnv SHLVL=1 HOME=$folder/home" >"$folder/sshd_config"
    "$sshd" -D -e -f "$folder/sshd_config" 2>"$folder/log" &
    tail -F --pid=$! "$folder/log" 2>/dev/null | grep -q -m1 "Server listening"
  do wait $!; done
  servers+=($!)
}

manifest() { (cd "$work" && find ./*/home -printf '%p %y %m %u %s %l\n' -type f -exec sha256sum {} + | sort); }
