# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the shell tests share. A test begins with
#
#	. "$(dirname "$0")/lib.sh"
#
# is then in an empty directory of its own, $T, and ends with `finish`. t/run sets:
#	IOJOB           the program
#	IOJOB_SRCDIR    top of the sources
#	IOJOB_BUILDDIR  top of the build tree
#	IOJOB_SANITIZE  the sanitizers it was built with, or empty
#	TMPDIR          a directory on a disk
#
# $T and whatever loop_make and mount_make made is gone at the end, however the test ends.
# Names that begin with lib_ are its own.

# shellcheck disable=SC2034 # LOOP, MNT and WHY are for the tests
set -u
: "${IOJOB:?is set by t/run: run the tests with make check, or t/run BUILDDIR SRCDIR PATTERN}"
: "${IOJOB_SRCDIR:?}" "${IOJOB_BUILDDIR:?}" "${IOJOB_SANITIZE=}"

T=$(mktemp -d "${TMPDIR:-/tmp}/iojob.XXXXXX") || exit 1
LIB=$(mktemp -d "${TMPDIR:-/tmp}/iojob-lib.XXXXXX") || exit 1 # what $T must not show to a test
chmod 755 "$T" # some tests give up root
lib_passed=0
lib_failed=0
lib_skipped=0
lib_loops=
lib_mounts=

lib_clean() {
	cd /
	for lib_mount in $lib_mounts; do
		umount "$lib_mount" 2>/dev/null || umount -l "$lib_mount"
	done
	for lib_loop in $lib_loops; do
		losetup -d "$lib_loop"
	done
	rm -rf --one-file-system "$T" "$LIB"
}
trap lib_clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

cd "$T" || exit 1

pass() { # WHAT
	lib_passed=$((lib_passed + 1))
	printf 'ok: %s\n' "$1"
}

# Fails; what $LIB/out and $LIB/err hold is shown with it.
fail() { # WHAT [WHY]
	lib_failed=$((lib_failed + 1))
	printf 'FAILED: %s%s\n' "$1" "${2:+: $2}"
	for lib_stream in out err; do
		if [ -s "$LIB/$lib_stream" ]; then
			sed -n "1,60s/^/	/p" "$LIB/$lib_stream"
		fi
	done
}

skip() { # WHAT REASON
	lib_skipped=$((lib_skipped + 1))
	printf 'skip: %s: %s\n' "$1" "$2"
}

# Passes when the command (a function, too) exits 0. What it printed is in $LIB/out and $LIB/err.
check() { # WHAT COMMAND...
	lib_what=$1
	shift
	lib_code=0
	"$@" >"$LIB/out" 2>"$LIB/err" || lib_code=$?
	if [ "$lib_code" = 0 ]; then
		pass "$lib_what"
	else
		fail "$lib_what" "exit $lib_code of: $*"
	fi
}

# Everything in $T as it is now: names, types, sizes, times of change.
lib_state() {
	find "$T" -printf '%P %y %s %T@\n' | sort
}

# iojob must refuse these arguments: with this exit code, with a line `iojob: ...` on standard error
# that the pattern (grep -E) matches, and without having touched anything in $T.
refuse() { # EXIT PATTERN ARGUMENT...
	lib_want=$1
	lib_pattern=$2
	shift 2
	lib_what="refuses: iojob $*"
	lib_state >"$LIB/before"
	lib_code=0
	"$IOJOB" "$@" >"$LIB/out" 2>"$LIB/err" </dev/null || lib_code=$?
	lib_state >"$LIB/after"
	if [ "$lib_code" != "$lib_want" ]; then
		fail "$lib_what" "exit $lib_code instead of $lib_want"
	elif ! grep '^iojob: ' "$LIB/err" | grep -Eq -e "$lib_pattern"; then
		fail "$lib_what" "no line \`iojob: ...' that matches $lib_pattern"
	elif ! cmp -s "$LIB/before" "$LIB/after"; then
		diff "$LIB/before" "$LIB/after" >"$LIB/out"
		fail "$lib_what" "it touched files"
	else
		pass "$lib_what"
	fi
}

# What a failed expect shows of the result.
lib_summary='.jobs[] | [.jobname, .error, .iojob.end, .iojob.error_text, .iojob.skipped,
	(.read, .write | [.io_bytes, .total_ios, .iojob.errors]), .sync.total_ios] | tostring'

# Words for filters: the jobs of a name and what they read and wrote.
lib_words='
	def job(n): .jobs[] | select(.jobname == n);
	def r(n): job(n).read;
	def w(n): job(n).write;
	def moved(b; n): .io_bytes == b and .total_ios == n;
	def about(x; percent): . >= x * (100 - percent) / 100 and . <= x * (100 + percent) / 100;
	def within(low; high): . >= low and . <= high;'

# Is this jq filter true of the last result?
is() { # FILTER
	jq -e "$lib_words ($1)" "$LIB/json" >"$LIB/answer" && [ -s "$LIB/answer" ] &&
		! grep -vqx true "$LIB/answer" || {
		printf 'not true: %s\n' "$1"
		jq -r "$lib_summary" "$LIB/json"
		return 1
	}
}

# Runs iojob with a result in JSON. It must exit with that code, and the filter must be true.
runs() { # EXIT FILTER ARGUMENT...
	lib_want=$1
	lib_filter=$2
	shift 2
	lib_got=0
	rm -f "$LIB/json"
	timeout 100 "$IOJOB" --output="json:$LIB/json" "$@" || lib_got=$?
	if [ "$lib_got" != "$lib_want" ]; then
		printf 'exit %d instead of %d\n' "$lib_got" "$lib_want"
		[ ! -e "$LIB/json" ] || jq -r "$lib_summary" "$LIB/json"
		return 1
	fi
	is "$lib_filter"
}

# The same as one check; `-` among the arguments is the job file that follows as a here-document.
expect() { # WHAT EXIT FILTER ARGUMENT...
	lib_title=$1
	shift
	check "$lib_title" runs "$@"
}

# An engine of the tests' own, t/cli/NAME.c, to be found by its name. Where it cannot be had, WHY
# says so.
engine_make() { # NAME [CC-OPTION...]
	lib_name=$1
	shift
	lib_cc=$(made_with CC)
	# shellcheck disable=SC2086 # words of a command
	if ! command -v ${lib_cc%% *} >/dev/null; then
		WHY="no compiler ($lib_cc)"
		return 1
	fi
	mkdir -p "$LIB/engines"
	# shellcheck disable=SC2086
	$lib_cc -Wall -Wextra -Werror -O1 -fPIC -shared "$@" -o "$LIB/engines/$lib_name.so" \
		"$IOJOB_SRCDIR/t/cli/${lib_name%_async}.c" || {
		WHY="$lib_cc failed"
		return 1
	}
	case $IOJOB_ENGINE_PATH in
	"$LIB"/*) ;;
	*) export IOJOB_ENGINE_PATH="$LIB/engines:$IOJOB_ENGINE_PATH" ;;
	esac
}

# An empty $T to begin with.
fresh() {
	cd "$T" && find . -mindepth 1 -delete
}

# Ends the test where a command that all of it needs is missing.
needs() { # COMMAND...
	for lib_command; do
		if ! command -v "$lib_command" >/dev/null; then
			skip "${0##*/}" "$lib_command is missing"
			finish
		fi
	done
}

# A loop device of SIZE (as truncate(1) takes it) over a file beside $T. LOOP is its name. Where
# there can be none, WHY says so and it returns 1: skip.
loop_make() { # SIZE [LOSETUP-OPTION...]
	LOOP=
	lib_size=$1
	shift
	if [ "$(id -u)" != 0 ]; then
		WHY="needs root for loop devices"
		return 1
	fi
	lib_backing=$(mktemp "$LIB/loop.XXXXXX") || return 1
	truncate -s "$lib_size" "$lib_backing" || return 1
	if ! LOOP=$(losetup --find --show "$@" "$lib_backing" 2>"$LIB/why"); then
		WHY="no loop device: $(tail -n 1 "$LIB/why")"
		return 1
	fi
	lib_loops="$LOOP $lib_loops"
}

# A filesystem of its own, mounted at MNT: in memory, or anything that mkfs makes. As above.
mount_make() { # TYPE SIZE [MOUNT-OPTIONS]
	MNT=$(mktemp -d "$LIB/mnt.XXXXXX") || return 1
	if [ "$(id -u)" != 0 ]; then
		WHY="needs root to mount"
		return 1
	elif [ "$1" = tmpfs ] || [ "$1" = ramfs ]; then
		mount -t "$1" -o "size=$2${3:+,$3}" "$1" "$MNT" 2>"$LIB/why"
	elif ! command -v "mkfs.$1" >/dev/null; then
		WHY="mkfs.$1 is missing"
		return 1
	else
		loop_make "$2" || return 1
		lib_now=
		case $1 in # ext4 puts some of its making off, and writes it once it is mounted
		ext4) lib_now='-E lazy_itable_init=0,lazy_journal_init=0' ;;
		esac
		# shellcheck disable=SC2086 # several words
		"mkfs.$1" -q $lib_now "$LOOP" >"$LIB/why" 2>&1 &&
				mount ${3:+-o "$3"} "$LOOP" "$MNT" 2>"$LIB/why"
	fi || {
		WHY="no $1 of $2: $(tail -n 1 "$LIB/why")"
		return 1
	}
	lib_mounts="$MNT $lib_mounts"
}

# Takes one off again before the end (a test that wants to look at it, or to unplug it).
mount_drop() { # MNT
	umount "$1" && lib_mounts=$(printf ' %s ' "$lib_mounts" | sed "s| $1 | |")
}

# A variable of the Makefile that the build was made with.
made_with() { # NAME
	sed -n "s/^$1 = //p" "$IOJOB_BUILDDIR/Makefile"
}

# The totals, in the form that t/run sums up; exits 1 where a check failed.
finish() {
	printf '%d passed, %d failed, %d skipped\n' "$lib_passed" "$lib_failed" "$lib_skipped"
	[ "$lib_failed" = 0 ]
	exit
}
