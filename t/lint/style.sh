#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines: at most 100 columns with tabs of 8, no blanks at their end; a newline ends a file.
. "$(dirname "$0")/../cli/lib.sh"

# Job files under t may be odd on purpose; everything else that is written by hand is looked at.
sources() { # DIR
	(cd "$1" && find core output engines t Makefile.in -name '*.[ch]' -o -name '*.in' &&
		grep -rlE --exclude='*.[ch]' '^#!.*sh$|^# shellcheck shell=' configure .ci t)
}
texts() { # DIR
	sources "$1"
	(cd "$1" && find . -maxdepth 1 -name '*.md' &&
		find core output engines jobs -type f \( -name '*.[1-8]' -o -name '*.ini' \))
}

wide() { # DIR
	sources "$1" | while read -r file; do
		expand -t 8 "$1/$file" | LC_ALL=C.UTF-8 grep -nE '^.{101}' | sed "s|^|$file:|"
	done
}
blanks() { # DIR
	texts "$1" | (cd "$1" && xargs grep -nE '[[:blank:]]+$')
}
unended() { # DIR
	texts "$1" | while read -r file; do
		[ -z "$(tail -c 1 "$1/$file")" ] || printf '%s: no newline at its end\n' "$file"
	done
}

none() { # COMMAND DIR
	"$@" >"$LIB/found"
	cat "$LIB/found"
	[ ! -s "$LIB/found" ]
}
found() { # COMMAND DIR
	[ -n "$("$@")" ]
}

check "no line over 100 columns" none wide "$IOJOB_SRCDIR"
check "no blanks at the end of a line" none blanks "$IOJOB_SRCDIR"
check "every file ends with a newline" none unended "$IOJOB_SRCDIR"

mkdir -p core output engines t jobs .ci
touch configure Makefile.in
printf '\t%093d\n' 0 >core/wide.c
printf '\t%092d\n\t%092d' 0 0 >core/unended.c
printf 'bs = 4k \n' >jobs/blank.ini
check "finds a line of 101 columns" found wide .
check "lets one of 100 pass" test "$(wide . | wc -l)" = 1
check "finds a blank at the end of a line" found blanks .
check "finds a missing newline" found unended .

finish
