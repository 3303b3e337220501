#!/bin/sh
# SPDX-License-Identifier: MIT
# make install and uninstall, staged with DESTDIR.
. "$(dirname "$0")/lib.sh"

stage="$T/a stage"
build() { # MAKE-ARGUMENT...
	make -C "$IOJOB_BUILDDIR" DESTDIR="$stage" "$@"
}

# Every file that belongs there, one a line, from the places that the build names.
expected() {
	echo "$(made_with bindir)/iojob"
	for engine in "$IOJOB_BUILDDIR"/engines/*.so; do
		engine=$(basename "$engine" .so)
		echo "$(made_with libdir)/iojob/$engine.so"
		echo "$(made_with mandir)/man7/iojob-$engine.7"
	done
	echo "$(made_with libdir)/pkgconfig/iojob-engine.pc"
	echo "$(made_with includedir)/iojob/engine.h"
	for job in "$IOJOB_SRCDIR"/jobs/*.ini; do
		echo "$(made_with datadir)/iojob/jobs/${job##*/}"
	done
	for page in man1/iojob.1 man5/iojob-job.5 man5/iojob-results.5 man7/iojob-engine.7; do
		echo "$(made_with mandir)/$page"
	done
}
present() {
	(cd "$stage" && find . ! -type d) | sed 's/^\.//' | sort
}

whole() {
	expected | sort >want
	present >have
	diff want have
}
check "installs" build install
check "installs every file, and no other" whole
modes() {
	! find "$stage" -type f ! -name iojob ! -name '*.so' ! -perm 644 | grep . &&
		! find "$stage" -type f \( -name iojob -o -name '*.so' \) ! -perm 755 | grep .
}
check "with the modes that they need" modes
same() {
	cmp "$IOJOB_SRCDIR/core/engine/engine.h" "$stage$(made_with includedir)/iojob/engine.h"
}
check "the header is the one of the sources" same
placed() {
	! grep -n '@' "$stage$(made_with libdir)/pkgconfig/iojob-engine.pc"
}
check "iojob-engine.pc is filled in" placed
check "installs over itself" build install

touch "$stage$(made_with libdir)/iojob/foreign.so"
check "uninstalls" build uninstall
foreign() {
	[ "$(present)" = "$(made_with libdir)/iojob/foreign.so" ]
}
check "uninstall takes its own files and nothing else" foreign
rm "$stage$(made_with libdir)/iojob/foreign.so"
check "uninstalls again" build uninstall
gone() {
	! find "$stage" ! -type d | grep . && [ ! -e "$stage$(made_with libdir)/iojob" ] &&
		[ ! -e "$stage$(made_with includedir)/iojob" ] &&
		[ ! -e "$stage$(made_with datadir)/iojob" ]
}
check "nothing of it is left" gone

finish
