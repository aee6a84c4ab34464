# What scripts share that check printed texts. The one that sources it exits with $failed.
failed=0

check() {  # NAME EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    echo "FAILED: $1"
    echo "  expected: $2"
    echo "  actual:   $3"
    failed=1
  fi
}
