#!/bin/sh
# SPDX-License-Identifier: MIT
# Mistakes: one line that says where, what, and what would be right, exit 2, and nothing touched.
# shellcheck disable=SC2016 # the variables are of job files, and of patterns
. "$(dirname "$0")/lib.sh"

# ---- job files ----------------------------------------------------------------------------------

# Each row: lines of a job, one of them wrong (`\n` between them); which; what is said of it. A job
# stands before it that would write a file.
keys='
blocksise=4k ~ 1 ~ blocksise: unknown key; did you mean blocksize\?$
iodept=4 ~ 1 ~ iodept: unknown key; did you mean iodepth\?$
frobnicate=1 ~ 1 ~ frobnicate: unknown key$
bssplit=4k/50 ~ 1 ~ bssplit: a key of fio that this version of iojob does not implement$
direct=0\nverify=crc32c ~ 2 ~ verify: a key of fio that this version of iojob does not implement$
exec_prerun=rm -rf x ~ 1 ~ exec_prerun: a key of fio that this version
clientname=x ~ 1 ~ clientname: an option of one of fio.s engines, which no engine here has$
iodepth=4x ~ 1 ~ iodepth = 4x: must be a whole number
bs=0 ~ 1 ~ bs = 0: must be from 1 to 4294967295$
bs=4k-8k ~ 1 ~ bs = 4k-8k: a range where one size is expected
size=1z ~ 1 ~ size = 1z: a number of zones, which this version of iojob does not implement$
size= ~ 1 ~ size = : a value is missing$
size=64k\nbs=128k ~ 2 ~ bs = 128k: more than the 64 KiB of bad\.0\.0$
size=-1 ~ 1 ~ size = -1: must
runtime=9999999999 ~ 1 ~ runtime = 9999999999: must be from 0s to 315360000s$
offset=9000p ~ 1 ~ offset = 9000p: too large$
runtime=1parsec ~ 1 ~ runtime = 1parsec: no unit of time follows
numjobs=0 ~ 1 ~ numjobs = 0: must be from 1 to 4096$
numjobs=4097 ~ 1 ~ numjobs = 4097: must be from 1 to 4096$
unlink=maybe ~ 1 ~ unlink = maybe: must be 0 or 1
fallocate=all ~ 1 ~ fallocate = all: must be one of none, native, posix, keep, truncate$
rw=reed ~ 1 ~ rw = reed: must be one of read, write, trim, randread, .*, rw, randrw$
rw=trimwrite ~ 1 ~ rw = trimwrite: a mix of trims and writes, which this version
rw=read:8x ~ 1 ~ rw: `8x. must be a size or a number of blocks, as in 64k, -8k, -2bs$
rw=randread:4k ~ 1 ~ rw: `4k. must be a number of I/Os, 1 or more: of a random job it says
rw=trim:8k ~ 1 ~ rw: trims go in plain order; `8k. is for reads and writes$
rw=write:60k\nsize=64k ~ 1 ~ rw = write:60k: no second block lies within the 64 KiB of bad\.0\.0$
rw=read:-64k\nsize=64k ~ 1 ~ rw = read:-64k: no second block lies within the 64 KiB of bad\.0\.0$
rw=read:8k\nrw_modifier=4k ~ 2 ~ rw_modifier = 4k: rw has a modifier already, `8k.$
rw_sequencer=random ~ 1 ~ rw_sequencer = random: must be one of sequential, identical$
zonesize=64k ~ 1 ~ zonesize: needs zonemode=strided$
zonemode=strided ~ 1 ~ zonemode = strided: needs zonesize=$
zonemode=strided\nzonesize=4k\nzoneskip=1m\nsize=1m ~ 1 ~ zonemode = strided: no second .*1\.00 MiB$
zonemode=strided\nzonesize=4k\nnrfiles=2\nsize=1m ~ 1 ~ zonemode = strided: for one file only$
rwmixread=101 ~ 1 ~ rwmixread = 101: must be from 0 to 100$
buffer_pattern=nonsense ~ 1 ~ buffer_pattern = nonsense: write "text", 0x
buffer_pattern="open ~ 1 ~ buffer_pattern = "open: the closing " is missing$
percentile_list=50:0 ~ 1 ~ percentile_list: `0. is no number above 0 and up to 100$
lat_thresholds=2s,1s ~ 1 ~ lat_thresholds: `1s. is not longer than the one before$
cpus_allowed=9-3 ~ 1 ~ cpus_allowed = 9-3: must be CPUs from 0 to 1023 and ranges of them
cpus_allowed=1023 ~ 1 ~ cpus_allowed = 1023: none of these CPUs can be used on this machine$
rwmixread=60\nrwmixwrite=60 ~ 2 ~ rwmixwrite = 60: together with rwmixread = 60 it must be 100$
bs=4k\nbsrange=4k-8k ~ 2 ~ bsrange: bs is set as well; only one of them can count$
rate=1m\nrate_iops=10 ~ 2 ~ rate_iops: rate is set as well; only one of them can count for a read$
zero_buffers\nbuffer_pattern=0x11 ~ 2 ~ buffer_pattern: zero_buffers is set as well
direct=1\nbuffered=1 ~ 2 ~ buffered = 1: contradicts direct = 1$
time_based ~ 1 ~ time_based: needs runtime=, or the job would never end$
filename=a::b ~ 1 ~ filename = a::b: one of the names is empty$
filename=a#b ~ 1 ~ filename = a: is what follows a comment\? Put a blank before it
filename=there ~ 1 ~ there: a directory where a file is expected: name a file in it
filename=sub/x ~ 1 ~ sub/x: the directory sub does not exist: create it .mkdir -p.
filename=dangling ~ 1 ~ dangling: a symbolic link to a file that does not exist
filename=pipe ~ 1 ~ pipe: a pipe where a file or a device is expected$
filename=/dev/nosuch ~ 1 ~ /dev/nosuch: no such device$
filename=empty ~ 0 ~ \[bad\]: no size is known: empty is empty; set size= in bytes, or filesize=$
directory=/nowhere ~ 1 ~ /nowhere/bad\.0\.0: the directory /nowhere does not exist
directory=empty ~ 1 ~ empty/bad\.0\.0: a part of the path is a file where a directory is expected$
nrfiles=2 ~ 0 ~ \[bad\]: no size is known: bad\.0\.0 is not there yet; set size= in bytes
ioengine=psnyc ~ 1 ~ ioengine = psnyc: no engine .*psnyc\.so in .*; did you mean psync\?$
ioengine=nowhere ~ 1 ~ ioengine = nowhere: no engine `nowhere.: there is no nowhere\.so in .*engines
ioengine=./x.so ~ 1 ~ ioengine = ./x\.so: an engine given by its path .* code; --allow-exec
ioengine=psync\nhipri ~ 2 ~ hipri: an option of the engine [a-z_]*; this job runs psync$
vary=bs ~ 1 ~ vary = bs: a `:. is missing; write KEY: VALUE VALUE \.\.\.$
vary=bs: ~ 1 ~ vary = bs:: nothing follows `bs:.; write KEY: VALUE
vary=bs: 4k 4k ~ 1 ~ vary = bs: 4k 4k: `4k. is there twice$
vary=bs: 4k\nvary=bs: 8k ~ 2 ~ vary: `bs. is varied twice$
vary=bs: 4k 0 ~ 1 ~ bs = 0: must be from 1
vary=mode: A | B rw=read ~ 1 ~ vary = mode: .*`A. sets nothing; a point is LABEL KEY=VALUE
vary=bz: 1 2 ~ 1 ~ bz: unknown key; did you mean bs\?$
=4 ~ 1 ~ a key is missing before `=.$
what is this ~ 1 ~ `what is this. is no key; a line says KEY = VALUE, or KEY alone$
[open ~ 1 ~ \[open: the closing `\]. is missing
[closed]] ~ 1 ~ \[closed\]\]: `\]. must not follow the section.s name$
[  ] ~ 1 ~ \[  \]: the section.s name is missing$
bs=${IOJOB_NOT_SET} ~ 1 ~ \${IOJOB_NOT_SET} is not set in the environment$
bs=$ncpus/0 ~ 1 ~ bs = [0-9]*/0: divides by zero$
include ~ 1 ~ include: the name of a file is missing$
include nowhere.ini ~ 1 ~ cannot read nowhere\.ini: No such file
include circle.ini ~ circle.ini:1 ~ include goes in a circle: .*circle\.ini -> circle\.ini$
'
unset IOJOB_NOT_SET
mkdir there
: >empty
ln -s nothing dangling
mkfifo pipe
echo 'include circle.ini' >circle.ini

printf '%s' "$keys" | grep ' ~ ' >"$LIB/keys"
n=0
while IFS= read -r row; do
	lines=${row%% ~ *}
	pattern=${row##* ~ }
	line=${row#"$lines" ~ }
	line=${line%% ~ *}
	n=$((n + 1))
	file=bad-$n.ini
	printf '[good]\nrw=write\nsize=4k\n[bad]\n' >$file
	printf '%s\n' "$lines" | sed 's/\\n/\
/g' >>$file
	case $line in
	*:*) place=$line ;;
	*) place=$file:$((line + 4)) ;;
	esac
	refuse 2 "^iojob: $place: $pattern" $file
done <"$LIB/keys"
check "the table was gone through" test "$n" = "$(wc -l <"$LIB/keys")"

bad() { # PATTERN ARGUMENT... <JOB
	cat >job.ini
	pattern=$1
	shift
	refuse 2 "$pattern" "$@" job.ini
}
printf '[good]\nsize=4k\nrw=write\n' >good.ini
: >nothing.ini
printf '[global]\nbs=4k\n' >global.ini
printf '[a]\nsize=4k\n\0\n' >nul.ini
refuse 2 '^iojob: cannot read nowhere\.ini: No such file or directory$' good.ini nowhere.ini
refuse 2 '^iojob: cannot read there: Is a directory$' good.ini there
refuse 2 '^iojob: nothing\.ini: no job in it: a job file needs a section besides' nothing.ini
refuse 2 '^iojob: global\.ini: no job in it' global.ini
refuse 2 '^iojob: nul\.ini:3: a NUL byte: this is no text file' nul.ini
refuse 2 '^iojob: <stdin>: no job in it' -
bad '^iojob: job\.ini:1: bs: stands before any \[section\]' <<END
bs=4k
END
bad '^iojob: .*: the files need 4 PiB, and .* is free; make them smaller .size=' <<END
[job]
rw=write
size=4096t
END
bad '^iojob: .*: the files need 8\.00 PiB, and' <<END
[one]
size=4095t
[two]
size=4096t
END

# ---- the command line ---------------------------------------------------------------------------

refuse 2 '^iojob: no job file; write `iojob' --parse-only
refuse 2 '^iojob: --frobnicate: unknown option; `iojob --help. lists them$' --frobnicate good.ini
refuse 2 '^iojob: --parse-onyl: unknown option; did you mean --parse-only\?$' --parse-onyl good.ini
refuse 2 '^iojob: --minimal: an option of fio.s that is not implemented; see' --minimal good.ini
refuse 2 '^iojob: --name: jobs on the command line are not implemented; write a job file' \
	--name=x --rw=read
refuse 2 '^iojob: --readonly=yes: --readonly takes no value$' --readonly=yes good.ini
refuse 2 '^iojob: --eta: `often. is none of always, never, auto$' --eta=often good.ini
refuse 2 '^iojob: --set: no key; write --set' --set =4k good.ini
refuse 2 '^iojob: --set: bz: unknown key; did you mean bs\?$' --set bz=4k good.ini
refuse 2 '^iojob: --set: bs = 0: must be from 1' --set bs=0 good.ini
refuse 2 '^iojob: --set: no section is called `other.; there are: good$' --set other:bs=4k good.ini
refuse 2 '^iojob: --section: no section is called `other.; there are: good$' --section=other \
	good.ini
refuse 2 '^iojob: --directory: /nowhere/good\.0\.0: the directory /nowhere does not exist' \
	--directory=/nowhere good.ini
refuse 2 '^iojob: --set: \[good\] would write, and --readonly was given$' \
	--readonly --set rw=write good.ini
refuse 2 '^iojob: good\.ini:3: \[good\] would write, and --readonly was given$' --readonly good.ini
refuse 2 '^iojob: engines --check: which' engines --check
refuse 2 '^iojob: --check goes with `iojob engines., not with a run' --check good.ini
refuse 2 '^iojob: --set depth: .* only takes it with --check' engines null --set depth=1
refuse 2 '^iojob: --set a:depth: --check has no sections' engines null --check --set a:depth=1
refuse 2 '^iojob: --set: hippri: no key of this engine; did you mean hipri' \
	engines io_uring --check --set hippri
refuse 2 '^iojob: --set: hipri = maybe: ' engines io_uring --check --set hipri=maybe
refuse 2 '/nowhere: no scratch directory' engines null --check --directory=/nowhere
refuse 2 '^iojob: --man goes with `iojob engines. and' --man good.ini
refuse 2 '^iojob: no engine `nowhere.: there is no nowhere\.so in .*engines' engines nowhere
refuse 2 '^iojob: .*nokey' options nokey

refuse 2 '^iojob: --output-format: `yaml. is no format; there are text, json, csv' \
	--output-format=yaml good.ini
refuse 2 '^iojob: --output: `terse. is a format of fio.s that is not implemented; there are text' \
	--output=terse:x good.ini
refuse 2 '^iojob: output x: two formats .json, csv. for one file; give each its own' \
	--output=json:x --output=csv:x good.ini
refuse 2 '^iojob: output \./x: two formats' --output=json:x --output=csv:./x good.ini
refuse 2 '^iojob: output standard output: two formats' --output-format=json,csv good.ini
refuse 2 '^iojob: output /nowhere/x: its directory does not exist$' \
	--output=json:/nowhere/x good.ini
refuse 2 '^iojob: output there: is a directory: name a file$' --output=json:there good.ini
refuse 2 '^iojob: --output: two files, `a. and `b., without a format' --output=a --output=b good.ini

# ---- engines ------------------------------------------------------------------------------------

cc=$(made_with CC)
# shellcheck disable=SC2086 # words of a command
if ! command -v ${cc%% *} >/dev/null; then
	skip "libraries that are no engine of ours" "no compiler ($cc)"
else
	compile() { # OUT OPTION...
		out=$1
		shift
		# shellcheck disable=SC2086
		$cc -fPIC -shared -o "$out" "$@"
	}
	echo 'int nothing;' >nothing.c
	mkdir engines
	check "compiles an engine of another ABI" compile engines/probe.so \
		'-DPROBE_ENGINE=.abi = 99,' "$IOJOB_SRCDIR/t/abi/probe.c"
	check "compiles a library that is none" compile engines/nothing.so nothing.c
	cp engines/probe.so engines/other.so
	echo text >engines/text.so
	export IOJOB_ENGINE_PATH="$T/engines:$IOJOB_ENGINE_PATH"
	while read -r name pattern; do
		refuse 2 "^iojob: --set: ioengine = $name: $T/engines/$name\.so: $pattern" \
			--set "ioengine=$name" good.ini
		refuse 2 "^iojob: --set: ioengine = engines/$name.so: engines/$name\.so: $pattern" \
			--set "ioengine=engines/$name.so" good.ini
	done <<-'END'
		probe built for engine ABI 99, this iojob speaks [0-9]
		other built for engine ABI 99, this iojob speaks [0-9]
		nothing is no engine: it exports no symbol `iojob_engine.$
		text cannot be loaded: .*
	END
	refuse 2 '^iojob: --set: ioengine = engines/no\.so: engines/no\.so: No such file' \
		--set ioengine=engines/no.so good.ini

	without() { # io_uring refused by the kernel: an error before anything is touched, or a skip
		# shellcheck disable=SC2086
		$cc -o "$LIB/no_io_uring" "$IOJOB_SRCDIR/t/cli/no_io_uring.c" || return 1
		code=0
		set -- "$LIB/no_io_uring" "$IOJOB" --set ioengine=io_uring good.ini
		"$@" 2>err.txt || code=$?
		cat err.txt
		[ $code = 2 ] && [ ! -e good.0.0 ] && grep -q \
			'^iojob: --set: ioengine = io_uring: the kernel refuses io_uring' err.txt &&
			"$@" --set optional=1 >out.txt && cat out.txt && [ ! -e good.0.0 ] &&
			tr -s ' \n' ' ' <out.txt | grep -q 'SKIPPED .*kernel refuses io_uring'
	}
	if [ -e "$IOJOB_BUILDDIR/engines/io_uring.so" ]; then
		check "io_uring refused by the kernel" without
	else
		skip "io_uring refused by the kernel" "not built"
	fi
fi

# ---- as an ordinary user ------------------------------------------------------------------------

trap 'chmod -R u+w "$T"; lib_clean' EXIT

if [ "$(id -u)" = 0 ]; then
	ordinary() { # COMMAND...
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	}
	ordinary "$IOJOB" engines psync >"$LIB/version" 2>&1 ||
		why="an ordinary user cannot run $IOJOB with its engines"
else
	ordinary() {
		"$@"
	}
fi
fresh_places() {
	cd "$T" && find . -mindepth 1 -delete
	printf '[job]\nsize=4k\n' >good.ini
	cp good.ini secret.ini
	chmod 0 secret.ini
	mkdir closed open
	head -c 4096 /dev/zero >open/file
	chmod 444 open/file
	chmod 555 closed
	chmod 777 open
}
denied() { # PATTERN ARGUMENT...
	pattern=$1
	shift
	lib_state >"$LIB/before"
	code=0
	ordinary "$IOJOB" "$@" 2>"$LIB/denied" >/dev/null || code=$?
	lib_state >"$LIB/after"
	cat "$LIB/denied"
	cmp "$LIB/before" "$LIB/after" && [ "$code" = 2 ] && grep -Eq "$pattern" "$LIB/denied"
}
if [ -n "${why:-}" ]; then
	skip "what an ordinary user may not" "$why"
else
	fresh_places
	check "a job file that may not be read" denied \
		'^iojob: cannot read secret\.ini: Permission denied$' secret.ini
	check "a directory that may not be written" denied \
		'^iojob: --directory: closed/job\.0\.0: no permission to create it' \
		--directory=closed good.ini
	check "a file that may not be written" denied \
		'^iojob: --set: open/file: no permission to write to it$' \
		--set filename=open/file --set rw=write good.ini
	check "an output that may not be written" denied \
		'^iojob: output closed/out: may not be written there' \
		--output=json:closed/out --directory=open good.ini
	check "an output file that may not be replaced" denied \
		'^iojob: output open/file: may not be written' --output=json:open/file \
		--directory=open good.ini
fi

finish
