#!/bin/bash
# night.sh COMMAND ... - runs COMMAND with tonight's share of what is too long for one night: in its environment, NIGHT
# is the number of days since 1970, PART=7, and SHARE is from 0 to 6, so that the nights of a week try everything.
# PEN_TEST_NIGHT names another night, whose share is repeated, or with "all" the shares of all nights: PART=1.
set -eu
nights=7
export NIGHT=${PEN_TEST_NIGHT:-$(($(date +%s) / 86400))} PART=$nights
[ "$NIGHT" != all ] || NIGHT=$(($(date +%s) / 86400)) PART=1
[[ $NIGHT =~ ^[1-9][0-9]{0,5}$ ]] || { echo "PEN_TEST_NIGHT=$NIGHT: must be \"all\" or a day since 1970" >&2; exit 2; }
export SHARE=$((NIGHT % PART))
echo "night.sh: share $SHARE of $PART; PEN_TEST_NIGHT=${PEN_TEST_NIGHT:-$NIGHT} repeats it" >&2
exec "$@"
