#!/bin/sh
# SPDX-License-Identifier: MIT
# configure and make, for somebody who builds outside the source tree and leaves an engine out.
. "$(dirname "$0")/lib.sh"

if [ -n "$IOJOB_SANITIZE" ]; then
	skip "configure and build" "the same in every build, and slow"
	finish
fi

cc=$(made_with CC)

configure() { # ARGUMENT...
	"$IOJOB_SRCDIR/configure" "$@"
}

# configure must end with exit 1, a line on standard error that matches, and no Makefile.
refuses() { # PATTERN ARGUMENT...
	want=$1
	shift
	code=0
	rm -f Makefile
	configure "$@" 2>"$LIB/refusal" || code=$?
	cat "$LIB/refusal"
	[ "$code" = 1 ] && [ ! -e Makefile ] && grep -Eq -e "^configure: .*($want)" "$LIB/refusal"
}

# configure must succeed and print this line.
says() { # LINE ARGUMENT...
	want=$1
	shift
	configure "$@" >"$LIB/said" || return 1
	cat "$LIB/said"
	grep -qxF -e "$want" "$LIB/said"
}

check "refuses an unknown option" refuses '--perfix=/usr: no such option' --perfix=/usr
check "refuses to leave out what is not there" \
		refuses 'there is no engine psink; there are: .*psync' --without-psink
check "refuses with and without" refuses 'exclude each other' --with-null --without-null
check "refuses a relative prefix" \
		refuses 'usr: a directory must be given with its whole path' --prefix=usr
check "refuses two sanitizers that exclude each other" \
		refuses 'exclude each other' --sanitize=address,thread
check "refuses a compiler that is none" refuses 'compiler /nowhere/cc does not work' CC=/nowhere/cc
mkdir "a b"
cd "a b" || exit 1
check "refuses a directory with a blank" refuses 'needs a plain name'
cd ..

# A machine without some libraries: a compiler that does not find them until they are installed, and
# an apt-get that has no lists of packages until it is told to fetch them.
mkdir bin
cat >bin/cc <<END
#!/bin/sh
for library in \$LACKS; do
	case " \$* " in
	*" -l\$library "*) [ -e "$T/installed" ] || exit 1 ;;
	esac
done
PATH='$PATH' exec $cc "\$@"
END
cat >bin/apt-get <<END
#!/bin/sh
echo "\$*" >>"$T/apt.log"
case \$* in
*update) touch "$T/lists" ;;
*) [ ! -e "$T/lists" ] || touch "$T/installed" ;;
esac
[ -e "$T/lists" ]
END
cat >bin/sudo <<'END'
#!/bin/sh
exec "$@"
END
chmod +x bin/*
PATH="$T/bin:$PATH"
export LACKS=

LACKS="inih jansson"
check "names what is not found" refuses 'not found: inih, jansson ' CC=cc
names_command() {
	configure CC=cc 2>&1 | grep -xF "    apt-get install gcc make pkg-config \
libinih-dev libjansson-dev libblkid-dev liburing-dev libaio-dev check"
}
check "names the command that installs all" names_command
LACKS=uring
check "leaves out an engine whose library is missing" says \
		'engine io_uring: no (liburing not found: apt-get install liburing-dev)' CC=cc
check "fails where that engine was asked for" \
		refuses 'liburing not found .*apt-get install liburing-dev' CC=cc --with-io_uring

cat >"$LIB/apt.expected" <<'END'
-y -q --no-install-recommends install libinih-dev liburing-dev
-y -q --no-install-recommends update
-y -q --no-install-recommends install libinih-dev liburing-dev
END
LACKS="uring inih"
check "installs what is missing" says 'engine io_uring: yes' CC=cc --install-deps
check "by name, after fetching lists of packages" cmp apt.log "$LIB/apt.expected"
rm apt.log
check "configures with everything there" says 'engine io_uring: yes' CC=cc --install-deps
check "does not call apt-get where nothing is missing" test ! -e apt.log

# The build.
mkdir build
cd build || exit 1
touch "$LIB/marker"
check "configures without libaio" says 'engine libaio: no (--without-libaio)' \
		--prefix="$T/inst" --without-libaio --werror CC="$cc" CFLAGS=-O0
check "builds" make -j2
has_engines() {
	for source in "$IOJOB_SRCDIR"/engines/*.c; do
		name=$(basename "$source" .c)
		if [ "$name" = libaio ] || grep -q "^ENGINES_OFF = .*\<$name\>" Makefile; then
			[ ! -e "engines/$name.so" ] && [ ! -e "man/iojob-$name.7" ]
		else
			[ -e "engines/$name.so" ] && [ -s "man/iojob-$name.7" ]
		fi || {
			echo "$name"
			return 1
		}
	done
}
check "has every engine and its page, but not libaio" has_engines
untouched() {
	! find "$IOJOB_SRCDIR" -newer "$LIB/marker" \( -name '*.[aod]' -o -name '*.so' \) | grep .
}
check "leaves the source tree alone" untouched
check "has nothing to do the second time" make -q
depends() {
	make -n V=1 -W "$IOJOB_SRCDIR/engines/../core/engine/engine.h" \
		-W "$IOJOB_SRCDIR/core/engine/engine.h" all >"$LIB/plan"
	grep -q ' -o engines/null.o ' "$LIB/plan" &&
			grep -q ' -o core/engine/load.o ' "$LIB/plan" &&
			! grep -q ' -o core/err.o ' "$LIB/plan"
}
check "compiles again what a header touches, and no more" depends

# Where it was told to live, it finds its own.
check "installs" make install
installed() {
	env -u IOJOB_ENGINE_PATH "$T/inst/bin/iojob" "$@"
}
version() {
	installed --version && installed --version | grep -qF "$(cat "$IOJOB_SRCDIR/VERSION")"
}
check "says its version" version
check "finds its engines" installed engines psync
without_libaio() {
	! installed engines libaio
}
check "does not know libaio" without_libaio
mkdir "$T/data"
printf '[job]\nioengine=psync\nrw=write\nbs=4k\nsize=256k\n' >"$T/job.ini"
check "runs a job" installed --directory="$T/data" "$T/job.ini"

check "uninstalls" make uninstall
gone() {
	! find "$T/inst" ! -type d | grep .
}
check "nothing of it is left" gone

finish
