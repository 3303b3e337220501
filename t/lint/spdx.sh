#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source file begins with its licence: the first line, or the second after #!.
. "$(dirname "$0")/../cli/lib.sh"

cd "$IOJOB_SRCDIR" || exit 1

# Files of the find expression whose head is not exactly this line.
lacks() { # LINE FIND-ARGUMENT...
	line=$1
	shift
	find "$@" -type f | sort | while read -r file; do
		head -n 2 "$file" | sed '1{/^#!/d;}' | head -n 1 | grep -qxF -e "$line" ||
				printf '%s: does not begin with %s\n' "$file" "$line"
	done >"$T/lacks"
	cat "$T/lacks"
	[ ! -s "$T/lacks" ]
}

check "C" lacks '// SPDX-License-Identifier: MIT' core output engines t -name '*.c'
check "headers" lacks '/* SPDX-License-Identifier: MIT */' core output engines t -name '*.h'
# shellcheck disable=SC2046 # names without blanks
check "scripts" lacks '# SPDX-License-Identifier: MIT' Makefile.in $(find t -name '*.sh') \
	$(grep -rlE --exclude='*.[ch]' '^#!.*sh$' configure .ci t)

printf 'int x;\n' >"$T/x.c"
unmarked() {
	! lacks '// SPDX-License-Identifier: MIT' "$T" -name '*.c'
}
check "finds a file without it" unmarked

finish
