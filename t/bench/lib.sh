# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the benchmarks share. One begins with
#
#	. "$(dirname "$0")/lib.sh"
#	begin ROUNDS "$@"
#
# where ROUNDS is its own default, and then has:
#	IOJOB, FIO     the programs; FIO is empty where it is not installed
#	SRC, BUILD     the trees
#	ROUNDS         how many; SECONDS_EACH of one timed run, and the same as RUNTIME in ms, since
#	               fio takes whole numbers only
#	ONLY           shell pattern of the rows to run
#	T              an empty directory on a disk; the working directory
#	M              an empty directory on tmpfs, or empty where there is none
# All that lies in T and M is gone at the end, however it ends.

# shellcheck disable=SC2034 # set for the benchmarks
set -u
group= # a control group, where one is made

usage() {
	cat >&2 <<END
usage: $0 BUILDDIR SRCDIR [--quick] [--rounds=N] [--seconds=S] [--only=PATTERN]
       [--no-fio]

  --quick         3 rounds of 0.4 s
  --rounds=N      how often everything is run [$ROUNDS]
  --seconds=S     length of each timed run [$SECONDS_EACH]
  --only=PATTERN  only the rows whose names match the shell pattern
  --no-fio        without fio, also where it is installed
TMPDIR is where files on a disk go [/var/tmp]; those on tmpfs go to /dev/shm.
END
	exit 2
}

die() {
	printf '%s: %s\n' "$0" "$*" >&2
	exit 1
}

have() {
	command -v "$1" >/dev/null
}

clean() {
	cd /
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
	rm -rf --one-file-system "${T:?}" ${M:+"$M"}
}

is_tmpfs() {
	[ "$(stat -f -c %T "$1" 2>/dev/null)" = tmpfs ]
}

begin() { # ROUNDS ARGUMENT...
	ROUNDS=$1
	SECONDS_EACH=1
	ONLY='*'
	FIO=$(command -v fio || :)
	shift
	[ $# -ge 2 ] && BUILD=$(cd "$1" && pwd) && SRC=$(cd "$2" && pwd) || usage
	shift 2
	for argument; do
		case $argument in
		--quick) ROUNDS=3 SECONDS_EACH=0.4 ;;
		--rounds=*) ROUNDS=${argument#*=} ;;
		--seconds=*) SECONDS_EACH=${argument#*=} ;;
		--only=*) ONLY=${argument#*=} ;;
		--no-fio) FIO= ;;
		*) usage ;;
		esac
	done
	RUNTIME=$(awk "BEGIN { printf \"%dms\", $SECONDS_EACH * 1000 }")
	[ -z "${IOJOB_SANITIZE:-}" ] || die "built with sanitizers: it would show their cost alone"
	IOJOB=$BUILD/iojob
	[ -x "$IOJOB" ] || die "$IOJOB is not there: make it first"
	export LC_ALL=C IOJOB_ENGINE_PATH="$BUILD/engines"
	T=$(mktemp -d "${TMPDIR:-/var/tmp}/iojob-bench.XXXXXX") || exit 1
	M=
	trap clean EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	is_tmpfs /dev/shm && M=$(mktemp -d /dev/shm/iojob-bench.XXXXXX)
	cd "$T" || exit 1
}

# Compiles NAME.c of this directory into $T, as the program itself was compiled.
compile() { # NAME
	# shellcheck disable=SC2046 # flags are words
	$(sed -n 's/^CC = //p' "$BUILD/Makefile") -std=gnu11 -D_GNU_SOURCE -pthread \
		$(sed -n 's/^CFLAGS = //p' "$BUILD/Makefile") -o "$1" "$SRC/t/bench/$1.c" ||
		die "cannot compile $1.c"
}

# A file of so many MiB that no compression helps, in memory and clean.
make_file() { # PATH MIB
	head -c "$2M" /dev/urandom >"$1" && sync "$1" || die "cannot write $1"
}

# Writes a job file of one section.
job() { # FILE KEY=VALUE...
	job_file=$1
	shift
	printf '%s\n' '[bench]' "$@" >"$job_file"
}

# fio's job file of one of iojob's: without the keys that fio does not know.
fio_job() { # FILE
	grep -v '^one_enter' "$1" >"$1.fio"
}

# Sum of a key's values in a result in JSON; iojob and fio both print one key a line. 1: there is
# none.
json_sum() { # KEY FILE
	awk -F: -v key="\"$1\"" '
	{ name = $1; gsub(/[ \t]/, "", name) }
	name == key { sub(/,.*/, "", $2); sum += $2; found = 1 }
	END {
		if (!found)
			exit 1
		printf "%.2f\n", sum
	}' "$2"
}

wanted() { # NAME
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	$ONLY) return 0 ;;
	esac
	return 1
}

# awk functions: the median of v[1..n], and a short form of a large number.
# shellcheck disable=SC2016 # awk's
AWK_LIB='
function median(v, n,   i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j > 0 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
function short(x) {
	if (x >= 1e6)
		return sprintf("%.2fM", x / 1e6)
	return x >= 1e4 ? sprintf("%.0fk", x / 1e3) : sprintf("%.0f", x)
}'
