#!/bin/bash
# night.sh NIGHTS COMMAND ... - runs COMMAND with tonight's share of a test that is too long for one night: PART=NIGHTS
# and SHARE, from 0 to NIGHTS-1, in its environment, so that as many nights in turn try everything. NIGHT is there, too:
# days since 1970, or PEN_TEST_NIGHT, with which another night's share is repeated; "all": the shares of all nights.
set -eu
today=$(($(date +%s) / 86400))
export NIGHT=${PEN_TEST_NIGHT:-$today} PART=$1
[ "$NIGHT" != all ] || NIGHT=$today PART=1
export SHARE=$((NIGHT % PART))
shift
echo "night.sh: share $SHARE of $PART; PEN_TEST_NIGHT=$NIGHT repeats it"
exec "$@"
