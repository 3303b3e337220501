#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever reads files takes any bytes: a few seconds of what t/fuzz/run does for longer.

. "$(dirname "$0")/lib.sh"

if [ -n "$IOJOB_SANITIZE" ]; then
	skip "any bytes as a job file or a result" "it brings its own sanitizers"
elif ! echo 'int LLVMFuzzerTestOneInput(void){return 0;}' |
		clang -fsanitize=fuzzer,address -x c -o "$LIB/probe" - 2>/dev/null; then
	skip "any bytes as a job file or a result" "no clang with libFuzzer"
else
	check "any bytes as a job file" "$IOJOB_SRCDIR/t/fuzz/run" "$IOJOB_SRCDIR" 3
	check "any bytes as a result" "$IOJOB_SRCDIR/t/fuzz/run" "$IOJOB_SRCDIR" 3 result
fi

finish
