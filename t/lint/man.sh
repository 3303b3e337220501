#!/bin/sh
# SPDX-License-Identifier: MIT
# Manual pages, written by hand and by the program, are without fault for mandoc.
. "$(dirname "$0")/../cli/lib.sh"

if ! command -v mandoc >/dev/null; then
	skip "manual pages" "mandoc is missing"
	finish
fi

for page in "$IOJOB_SRCDIR"/core/*.1 "$IOJOB_SRCDIR"/engines/*.7 "$IOJOB_SRCDIR"/output/*.5 \
		"$IOJOB_BUILDDIR"/man/*.[1-8]; do
	check "${page##*/}" mandoc -T lint -W warning "$page"
done

# One page for each engine that was built.
for engine in "$IOJOB_BUILDDIR"/engines/*.so; do
	engine=${engine##*/}
	check "a page for ${engine%.so}" test -s "$IOJOB_BUILDDIR/man/iojob-${engine%.so}.7"
done

printf '.Dd today\n.Dt X 1\n.Sh NAME\n.Foo\n' >bad.1
faulty() {
	! mandoc -T lint -W warning bad.1
}
check "finds a faulty page" faulty

finish
