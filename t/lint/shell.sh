#!/bin/sh
# SPDX-License-Identifier: MIT
# Shell scripts are without fault for shellcheck.
. "$(dirname "$0")/../cli/lib.sh"

if ! command -v shellcheck >/dev/null; then
	skip "shell scripts" "shellcheck is missing"
	finish
fi

# SC2317 takes functions that are handed to check for dead code; SC2015 is against `a && b || die`.
cd "$IOJOB_SRCDIR" || exit 1
scripts=$(grep -rlE --exclude='*.[ch]' '^#!.*sh$' configure .ci t | sort)
for script in $scripts t/cli/lib.sh; do
	check "$script" shellcheck -x -P SCRIPTDIR -e SC2317,SC2015 "$script"
done

finish
