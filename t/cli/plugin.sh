#!/bin/sh
# SPDX-License-Identifier: MIT
# An engine built outside the tree: the example of iojob-engine(7), word for word, against an
# installed header, run by path and by $IOJOB_ENGINE_PATH.
. "$(dirname "$0")/lib.sh"

stage="$T/stage"
check "installs" make -C "$IOJOB_BUILDDIR" DESTDIR="$stage" install
iojob="$stage$(made_with bindir)/iojob"

# The C program of section EXAMPLES, as a reader would see it.
example() { # PAGE
	awk '
	/^\.Sh/ { there = /^\.Sh EXAMPLES/ }
	there && /^\.Bd -literal/ { text = ""; inside = 1; next }
	inside && /^\.Ed/ {
		inside = 0
		if (text ~ /IOJOB_ENGINE_HEAD/) {
			printf "%s", text
			exit
		}
	}
	inside { text = text $0 "\n" }' "$1" |
		sed -e 's/^\\&//' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\e/\\/g'
}
extracts() {
	example "$stage$(made_with mandir)/man7/iojob-engine.7" >memory.c
	grep -q 'iojob_engine iojob_engine' memory.c
}
check "the manual holds an example" extracts

if ! command -v pkg-config >/dev/null; then
	skip "compiles the example" "pkg-config is missing"
	finish
fi
PKG_CONFIG_PATH="$stage$(made_with libdir)/pkgconfig"
export PKG_CONFIG_PATH
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
asks() { # WANTED PKG-CONFIG-ARGUMENT...
	want=$1
	shift
	pkg-config "$@" iojob-engine && [ "$(pkg-config "$@" iojob-engine)" = "$want" ]
}
check "pkg-config knows the version" asks "$(cat "$IOJOB_SRCDIR/VERSION")" --modversion
check "pkg-config knows where engines go" \
		asks "$(made_with libdir)/iojob" --variable=enginedir
compiles() {
	# shellcheck disable=SC2046 # flags
	$(made_with CC) -Wall -Wextra -Werror -O2 -fPIC -shared -o memory.so memory.c \
		$(PKG_CONFIG_SYSROOT_DIR="$stage" pkg-config --cflags iojob-engine)
}
check "compiles the example without a warning" compiles

keeps() {
	"$iojob" engines ./memory.so --check | tee /dev/stderr | tail -1 | grep -q ' 0 failed' &&
		[ -z "$(find . -name 'iojob-check*')" ]
}
check "it keeps the contract" keeps

# An engine with a key that must be given.
probe() {
	$(made_with CC) -w -std=gnu11 -fPIC -shared -fvisibility=hidden \
		-DPROBE_ROW=.flags=IOJOB_OPT_REQUIRED -o probe.so "$IOJOB_SRCDIR/t/abi/probe.c"
}
check "compiles an engine with a key that must be given" probe
IOJOB="$iojob"
refuse 2 'the engine probe needs --set number= \(a number\)' engines ./probe.so --check
refuse 2 '^iojob: --set: number = 999: must' engines ./probe.so --check --set number=999
check "checks it with --set" "$iojob" engines ./probe.so --check --set number=7

# Writes 1 MiB, says in JSON that it did, and leaves no file.
printf '[job]\nrw=randwrite\nbs=4k\nsize=1m\n' >job.ini
writes() { # IOJOB-ARGUMENT...
	"$iojob" --output=json:result.json "$@" || return 1
	[ -z "$(find . -maxdepth 1 -name 'job*' ! -name job.ini)" ] || return 1
	! command -v jq >/dev/null || jq -e '.jobs[0].write.io_bytes == 1048576' result.json
}
by_name() {
	IOJOB_ENGINE_PATH="$T:$IOJOB_ENGINE_PATH" writes --set ioengine=memory job.ini
}
check "runs it by path" writes --set ioengine=./memory.so job.ini
check "runs it by name from \$IOJOB_ENGINE_PATH" by_name

printf 'ioengine=./memory.so\n' >>job.ini
refuse 2 'job\.ini:5: .*--allow-exec' job.ini
check "runs it by path from a job file that may" writes --allow-exec job.ini

finish
