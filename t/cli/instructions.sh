#!/bin/sh
# SPDX-License-Identifier: MIT
# What an I/O costs the program itself, in instructions of the null engine: the rows of
# t/bench/instructions that have a target. The count is exact, but compilers differ: a tenth more is
# let pass.
. "$(dirname "$0")/lib.sh"

why=
command -v valgrind >/dev/null || why="valgrind is missing"
case $(made_with CC) in
*clang*) why="the valgrind of today does not read what clang writes" ;;
esac
[ -z "$IOJOB_SANITIZE" ] || why="built with sanitizers"
# The targets are for a clock that is read by one instruction.
has_tsc() {
	printf '[job]\nioengine=null\nsize=4k\n' >clock.ini
	"$IOJOB" --output=json:- clock.ini | grep -q '"tsc": true'
}
[ -n "$why" ] || has_tsc || why="the clock here is no TSC"
if [ -n "$why" ]; then
	skip "instructions an I/O" "$why"
	finish
fi

within() { # ROW
	sh "$IOJOB_SRCDIR/t/bench/instructions" "$IOJOB_BUILDDIR" "$IOJOB_SRCDIR" --no-fio \
		--only="$1" >count.txt
	cat count.txt
	awk -v row="$1" 'index($0, row " ") == 1 {
		split(substr($0, length(row) + 1), word, " ")
		found = word[2] == "<=" && word[1] > 0 && word[1] <= word[3] * 1.1
	}
	END { exit !found }' count.txt
}
for row in 'random reads' 'random reads, each block once' 'depth 64, random reads' \
		'depth 64 by 16, 70/30, each block once'; do
	check "$row" within "$row"
done

finish
