#!/bin/sh
# SPDX-License-Identifier: MIT
# Job files that people wrote for fio: each is understood, or refused with its line. Nothing of them
# is run.
. "$(dirname "$0")/lib.sh"

corpus=$(cd "$IOJOB_SRCDIR/.." && pwd)/shared/corpus
if [ ! -d "$corpus" ]; then
	skip "job files in the wild" "$corpus is not there"
	finish
fi

seconds=5
[ -z "$IOJOB_SANITIZE" ] || seconds=30
n=0
good=0
understood() { # FILE
	lib_state >"$LIB/before"
	code=0
	timeout "$seconds" "$IOJOB" --parse-only "$1" >"$LIB/plan" 2>"$LIB/said" </dev/null ||
			code=$?
	lib_state >"$LIB/after"
	cat "$LIB/said"
	echo "exit $code"
	cmp "$LIB/before" "$LIB/after" || return 1
	case $code in
	0) good=$((good + 1)) && grep -q '^stage 1 of ' "$LIB/plan" ;;
	2) [ ! -s "$LIB/plan" ] && tail -n 1 "$LIB/said" | grep -q "^iojob: $1:[0-9][0-9]*: " ;;
	*) return 1 ;;
	esac
}
for file in "$corpus"/*.fio; do
	[ -f "$file" ] || continue
	n=$((n + 1))
	check "${file##*/}" understood "$file"
done
check "there are any" test $n -gt 0
printf '%d of %d job files can be run\n' $good $n
finish
