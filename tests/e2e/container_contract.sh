#!/bin/bash
# The suite that every provider passes, over the real engine: its image is made first. Skipped (exit 77) where no engine works.
. "$SOURCE/tests/e2e/container_common.bash" || exit 1
image_or_skip
"${CONTRACT:-$(dirname "$LAB")/tests/test_container}" "[engine]" || fail "the contract is not kept on $engine"
echo "ok on $engine"
