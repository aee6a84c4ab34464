# Programs for s390x run here under qemu-user, wherever they are started, after binfmt_on; binfmt_off puts back what that changed.
# The kernel keeps the interpreter open (flag F), so that containers need none of their own.
binfmt=/proc/sys/fs/binfmt_misc
binfmt_mounted= binfmt_registered=

# What is registered under this name by packages of Debian does the same.
binfmt_rule() {
  local magic='\x7fELF\x02\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x16'
  local mask='\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff'
  echo ":qemu-s390x:M::$magic:$mask:$1:F"
}

# On failure says why.
binfmt_on() {
  local qemu
  qemu=$(command -v qemu-s390x-static) || { echo "qemu-s390x-static is missing: apt-get install qemu-user-static"; return 1; }
  if [ ! -e $binfmt/register ]; then
    mount -t binfmt_misc binfmt_misc $binfmt 2>/dev/null || { echo "binfmt_misc cannot be mounted here"; return 1; }
    binfmt_mounted=yes
  fi
  if [ -e $binfmt/qemu-s390x ]; then
    grep -q '^flags:.*F' $binfmt/qemu-s390x || { echo "qemu-s390x is registered in binfmt_misc without flag F"; return 1; }
    return 0
  fi
  binfmt_rule "$qemu" 2>/dev/null >$binfmt/register || { binfmt_off; echo "qemu-s390x cannot be registered in binfmt_misc here"; return 1; }
  binfmt_registered=yes
}

binfmt_off() {
  [ -z "$binfmt_registered" ] || echo -1 >$binfmt/qemu-s390x
  [ -z "$binfmt_mounted" ] || umount $binfmt
  binfmt_mounted= binfmt_registered=
}
