#!/bin/sh
# SPDX-License-Identifier: MIT
# Shell scripts are without fault for shellcheck.
. "$(dirname "$0")/../cli/lib.sh"

if ! command -v shellcheck >/dev/null; then
	skip "shell scripts" "shellcheck is missing"
	finish
fi

# SC2317 takes functions that are handed to check for dead code.
cd "$IOJOB_SRCDIR" || exit 1
for script in configure .ci/run $(find t -name '*.sh' -o -name run -type f | sort); do
	check "$script" shellcheck -x -P SCRIPTDIR -e SC2317 "$script"
done

finish
