#!/bin/sh
# SPDX-License-Identifier: MIT
# workload=postmark: the same files, calls and bytes as PostMark's, on every engine; whatever ends
# it, there is a report and no file is left.
# shellcheck disable=SC2016 # the variables are of jq and awk
. "$(dirname "$0")/lib.sh"
needs jq awk

slow=1
[ -z "$IOJOB_SANITIZE" ] || slow=10
mkdir a b

# What is left of PostMark's counts, in words for filters.
lib_words="$lib_words"'
	def files: .iojob.postmark.files;
	def counts(created; mixed; read; appended; alone; deleted):
		files == { "created": created, "created_alone": (created - mixed),
			"created_mixed": mixed, "read": read, "appended": appended,
			"deleted": created, "deleted_alone": alone, "deleted_mixed": deleted };
	def bytes(r; w): .read.io_bytes == r and .write.io_bytes == w;
	def made: files | .created + .read + .appended + .deleted;'

empty() { # DIRECTORY...
	for dir; do
		[ -z "$(ls -A "$dir")" ] || {
			find "$dir" | head -20
			return 1
		}
	done
}
# Runs a job file; then nothing may be left of its files.
runs_clean() { # EXIT FILTER ARGUMENT...
	runs "$@" && empty a b
}
works() { # WHAT EXIT FILTER ARGUMENT...
	works_what=$1
	shift
	check "$works_what" runs_clean "$@"
}

# ---- the document's own size ---------------------------------------------------------------------

printf '[pm]\nworkload = postmark\n' >pm.ini
cat pm.ini pm.ini >two.ini
document='--set ioengine=null --set postmark_size=5m --set postmark_transactions=9000'
quick() { # FILTER ARGUMENT...
	quick_filter=$1
	shift
	# shellcheck disable=SC2086 # words
	runs_clean 0 "$quick_filter and .jobs[0].iojob.elapsed_ns < 3000000000 * $slow" $document \
		"$@" pm.ini
}
check "the document's experiment, bias read 10, in three seconds without a file" quick '.jobs[0] |
	(counts(5046; 4546; 9000; 0; 592; 4454) and bytes(47185920000; 26455572480))' \
	--set postmark_bias_read=10
check "no call of it cost a reading of the clock" quick \
	'([.jobs[0].iojob.doubts[].id] | index("O2") == null)'
check "the same with bias read 1" quick '.jobs[0] |
	(counts(5046; 4546; 876; 0; 592; 4454) and bytes(4592762880; 26455572480))' \
	--set postmark_bias_read=1
check "the same a block of 512 bytes at a time" quick '.jobs[0] |
	(counts(5046; 4546; 876; 0; 592; 4454) and bytes(4592762880; 26455572480)
	and .write.total_ios == 26455572480 / 512)' \
	--set postmark_bias_read=1 --set postmark_buffering=0
check "its blocks are the calls of stdio" quick '.jobs[0] | (.iojob.bs.read.min == 4096
	and .read.io_bytes == .read.total_ios * 4096)' --set postmark_bias_read=1
works "the same in small, with files" 0 '.jobs[0] |
	(counts(4940; 4440; 9000; 0; 380; 4560) and bytes(4608000; 2529280)
	and .iojob.bs.write.max == 512)' \
	--set postmark_size=512 --set postmark_transactions=9000 --set postmark_bias_read=10 \
	--directory=a pm.ini
works "PostMark's defaults" 0 '.jobs[0] | (counts(764; 264; 243; 257; 528; 236)
	and bytes(1430770; 4662068) and .iojob.postmark.transactions == 500
	and .iojob.postmark.operation_ns.create.N == 764
	and .iojob.postmark.call_ns.open.N == 500 and .iojob.postmark.call_ns.close.N == 1264
	and (.iojob.postmark.phase_ns | add) <= .iojob.elapsed_ns)' --directory=a pm.ini

# ---- against the program itself ------------------------------------------------------------------

# Files in the order in which they are created, opened and unlinked, of a trace; then the number of
# read and write calls on them. Paths and descriptors are not compared, nor are calls of no bytes:
# unbuffered, PostMark makes one more where a file is a whole number of blocks.
calls() { # TRACE
	awk '
	/(openat|unlink)\(.*\/[0-9]+"/ {
		sub(/^[0-9]+ +/, "")
		kind = /^unlink/ ? "unlink" : /O_CREAT/ && !/O_APPEND/ ? "create" : "open"
		file = $0
		sub(/".*/, "", file) # what stands before the path
		file = substr($0, length(file) + 2)
		sub(/".*/, "", file)
		sub(/^.*\/(a|b)\/(pm\.0\/)?/, "", file)
		print kind, file
		if (/ = [0-9]+$/)
			fd = $NF
		next
	}
	{ sub(/^[0-9]+ +/, "") }
	/ = 0$/ { next }
	$0 ~ "^(read|pread64|write|pwrite64)\\(" fd "," { count[/^p?read/ ? "reads" : "writes"]++ }
	END { print count["reads"] + 0, "reads", count["writes"] + 0, "writes" }' "$1"
}
number() { # BELOW
	echo $(($(od -An -N3 -tu4 /dev/urandom) % $1))
}
# A configuration for both: pm.conf and rand.ini. The more creates, the less can they run out.
draw() {
	low=$((1 + $(number 5000)))
	high=$((low + $(number 20000) * $(number 2)))
	files=$((20 + $(number 60)))
	transactions=$((10 + $(number 300)))
	subdirs=$(($(number 3) * 4))
	weight=$(number 4)
	block_r=$((1 + $(number 4000)))
	block_w=$((1 + $(number 4000)))
	bias_r=$(($(number 12) - 1))
	bias_c=$((5 + $(number 7)))
	[ $bias_c -le 10 ] || bias_c=-1
	buffering=$(number 2)
	seed=$(number 100000)
	{
		printf 'set size %d %d\nset number %d\nset transactions %d\n' $low $high $files \
			$transactions
		printf 'set subdirectories %d\nset read %d\nset write %d\n' \
			$subdirs $block_r $block_w
		printf 'set bias read %d\nset bias create %d\nset seed %d\n' $bias_r $bias_c "$seed"
		printf 'set buffering %s\nset location %s\n' \
			"$([ "$buffering" = 1 ] && echo true || echo false)" "$T/a"
		[ "$weight" = 0 ] || printf 'set location +%s %d\n' "$T/b" "$weight"
		printf 'run\nquit\n'
	} >pm.conf
	{
		printf '[pm]\nworkload=postmark\npostmark_size=%d-%d\npostmark_number=%d\n' $low \
			$high $files
		printf 'postmark_transactions=%d\npostmark_subdirectories=%d\n' \
			$transactions $subdirs
		printf 'postmark_read=%d\npostmark_write=%d\n' $block_r $block_w
		printf 'postmark_bias_read=%d\npostmark_bias_create=%d\n' $bias_r $bias_c
		printf 'postmark_seed=%d\npostmark_buffering=%d\n' "$seed" "$buffering"
		printf 'postmark_location=%s%s\n' "$T/a" \
			"$([ "$weight" = 0 ] || echo ",$T/b:$weight")"
	} >rand.ini
}
# The report without its times.
report() {
	sed -n '/^Files:/,$ s/ ([^)]*)$//p' "$1"
}
as_postmark() {
	cat rand.ini
	strace -f -qq -s 300 -o theirs.trace -e trace=openat,unlink,read,write \
		timeout 60 postmark pm.conf >theirs.txt || return 1
	strace -f -qq -s 300 -o ours.trace \
		-e trace=openat,unlink,pread64,pwrite64 "$IOJOB" \
		--output-format=postmark rand.ini >ours.txt || return 1
	calls theirs.trace >theirs.calls
	calls ours.trace >ours.calls
	report theirs.txt >theirs.report
	report ours.txt >ours.report
	[ "$(wc -l <ours.report)" = 10 ] && [ "$(wc -l <ours.calls)" -gt $((2 * files)) ] &&
		diff theirs.report ours.report && diff theirs.calls ours.calls && empty a b
}
if ! command -v postmark >/dev/null; then
	skip "the same files, calls and bytes as PostMark" "postmark is not installed"
elif ! command -v strace >/dev/null || ! strace -qq -o /dev/null true 2>/dev/null; then
	skip "the same files, calls and bytes as PostMark" "strace is missing or may not trace"
elif [ -n "$IOJOB_SANITIZE" ]; then
	skip "the same files, calls and bytes as PostMark" "sanitizers and strace do not agree"
else
	for n in 1 2 3 4 5 6; do
		draw
		check "the same files, calls and bytes as PostMark, drawing $n" as_postmark
	done
fi

# ---- engines -------------------------------------------------------------------------------------

defaults='counts(764; 264; 243; 257; 528; 236) and bytes(1430770; 4662068)'
for engine in psync mmap libaio io_uring; do
	works "$engine" 0 ".jobs[0] | (.iojob.skipped != null or ($defaults))" \
		--set ioengine=$engine --set optional=1 --directory=a pm.ini
done
works "threads, with fsync before each close" 0 ".jobs[0] | ($defaults
	and .sync.total_ios == 764 + 257 and .sync.lat_ns.N == .sync.total_ios)" \
	--set thread --set postmark_fsync=close --directory=a pm.ini
works "an fsync after each write" 0 '.jobs[0] | (.sync.total_ios == .write.total_ios
	and files.created > 20)' --set postmark_fsync=every --set postmark_number=20 \
	--set postmark_transactions=20 --directory=a pm.ini
for engine in halves halves_async; do
	flag=
	[ $engine = halves ] || flag=-DASYNC
	# shellcheck disable=SC2086 # or no word at all
	if engine_make $engine $flag; then
		works "every transfer in two, $engine" 0 ".jobs[0] | ($defaults
			and .write.short_ios > 500)" --set ioengine=$engine --directory=a pm.ini
	else
		skip "every transfer in two, $engine" "$WHY"
	fi
done
direct() { # WHAT OPTION...
	direct_what=$1
	shift
	works "$direct_what" 0 '.jobs[0] | (.iojob.skipped != null or (made > 200
		and .iojob.direct and .read.io_bytes == 8192 * files.read))' \
		--set optional=1 --set postmark_size=8k --set postmark_number=50 \
		--set postmark_transactions=100 "$@" --directory=a pm.ini
}
direct "directio" --set ioengine=directio
direct "io_uring with O_DIRECT" --set ioengine=io_uring --set direct=1
direct "libaio with O_DIRECT, block by block" --set ioengine=libaio --set direct=1 \
	--set postmark_buffering=0 --set postmark_read=4k --set postmark_write=8k
direct "io_uring, buffers and files registered" --set ioengine=io_uring --set direct=1 \
	--set fixedbufs --set registerfiles

# ---- several at once -----------------------------------------------------------------------------

works "workers have the next seeds" 0 '.jobs | (length == 3
	and (map(files.created) | unique | length) > 1)' --set numjobs=3 --directory=a pm.ini
three='.jobs[] | .iojob.postmark.files | [.created, .read, .deleted_alone]'
added_up() {
	runs_clean 0 'true' --set numjobs=3 --directory=a pm.ini || return 1
	jq -c "[$three] | transpose | map(add)" "$LIB/json" >each.txt
	for seed in 42 43 44; do
		runs_clean 0 true --set postmark_seed="$seed" --directory=a pm.ini || return 1
		jq -c "$three" "$LIB/json"
	done | jq -cs 'transpose | map(add)' >alone.txt
	runs_clean 0 '.jobs | length == 1' --set numjobs=3 --set group_reporting --set thread \
		--set directory=a:b pm.ini || return 1
	jq -c "$three" "$LIB/json" >group.txt
	cat each.txt alone.txt group.txt
	cmp each.txt alone.txt && cmp each.txt group.txt
}
check "three workers do what three runs do, one by one and as a group" added_up

works "repeated, each with the same counts" 0 "[.iojob.repeats[].jobs[]] | (length == 3
	and all(.[]; $defaults))" --set repeat=3 --directory=a pm.ini

# ---- ended early ---------------------------------------------------------------------------------

# On a full disk: MNT, where the run is.
full() { # WHAT PHASE-FILTER OPTION...
	full_what=$1
	full_filter=$2
	shift 2
	on_full() {
		runs 1 ".jobs[0] | (.error == 28 and .iojob.end == \"error\" and
			(.iojob.error_text | endswith(\": No space left on device\"))
			and .write.io_bytes > 0 and ($full_filter))" \
			--output=postmark:out.txt --directory="$MNT" "$@" pm.ini || return 1
		cat out.txt
		grep -q '^Files:$' out.txt &&
			grep -q 'ended early (error): .*: No space left' out.txt &&
			[ -z "$(find "$MNT" -mindepth 1 -not -name lost+found)" ]
	}
	check "$full_what" on_full "$@"
}
for kind in tmpfs ext4; do
	if ! mount_make $kind 8m; then
		skip "disk full on $kind" "$WHY"
		continue
	fi
	# Files take more room than they have bytes, 4 KiB here: the plan cannot know by how much.
	number=$(($(df --output=avail -B1 "$MNT" | tail -n 1) * 19 / 20 / 3200))
	full "disk full in the creation, on $kind" 'files.deleted == 0 and files.read == 0' \
		--set postmark_size=3100-3300 --set postmark_number=$number
	full "disk full in the transactions, on $kind" '.iojob.postmark.transactions > 0
		and files.created_alone == 40' --set postmark_size=1k-200k \
		--set postmark_number=40 --set postmark_transactions=400 --set postmark_bias_read=0
	full "disk full under a mapping, on $kind" 'files.created_alone == 40' \
		--set ioengine=mmap --set postmark_size=1k-200k --set postmark_number=40 \
		--set postmark_transactions=400 --set postmark_bias_read=0
	if [ $kind = ext4 ]; then
		refuse 2 "files and directories are to be made, and its filesystem has room for" \
			--directory="$MNT" --set postmark_size=300-600 \
			--set postmark_number="$(df --output=iavail "$MNT" | tail -n 1)" pm.ini
		full "disk full at an fsync, or before it" 'files.created_alone == 40' \
			--set postmark_size=1k-200k --set postmark_number=40 \
			--set postmark_transactions=400 --set postmark_bias_read=0 \
			--set postmark_fsync=every
	fi
done

long='--set postmark_transactions=100m --directory=a'
# shellcheck disable=SC2086 # words
{
	works "runtime ends it" 0 '.jobs[0] | (.iojob.end == "runtime" and files.created > 10)' \
		$long --set runtime=300ms pm.ini
	works "and in threads" 0 'all(.jobs[]; .iojob.end == "runtime" and files.created > 10)' \
		$long --set runtime=300ms --set numjobs=2 --set thread pm.ini
	# Without a file to begin with there is nothing to be read.
	works "no transactions, one file" 0 '.jobs[0] | (counts(1; 0; 0; 0; 1; 0)
		and .iojob.postmark.transactions == 0)' --set postmark_transactions=0 \
		--set postmark_number=1 --directory=a pm.ini
	works "fewer than ten transactions" 0 '.jobs[0].iojob.postmark.transactions == 3' \
		--set postmark_transactions=3 --directory=a pm.ini
	works "out of files" 0 '.jobs[0] | (.iojob.postmark.out_of_files and files.deleted == 5
		and .iojob.postmark.transactions == 5)' --set postmark_number=5 \
		--set postmark_bias_create=0 --directory=a pm.ini
	works "too many files" 0 '.jobs[0] | (.iojob.postmark.skipped == 495
		and files.created == 10)' --set postmark_number=5 --set postmark_bias_create=10 \
		--directory=a pm.ini
}
# Waits until its files are there.
begins() { # DIRECTORY
	for n in $(seq 100); do
		[ -z "$(find "$1" -type f 2>/dev/null)" ] || return 0
		sleep 0.1
	done
	return 1
}
signalled() { # EXIT FILTER COMMAND... (with the main process' id behind it)
	signalled_want=$1
	signalled_filter=$2
	shift 2
	rm -f "$LIB/json"
	# shellcheck disable=SC2086 # words
	"$IOJOB" --output="json:$LIB/json" $long --set postmark_subdirectories=3 pm.ini &
	pid=$!
	begins a
	"$@" "$pid"
	code=0
	wait "$pid" || code=$?
	echo "exit $code"
	[ "$code" = "$signalled_want" ] && empty a && is "$signalled_filter"
}
kill_worker() { # PID
	kill -KILL "$(cat "/proc/$1/task/$1/children")"
}
check "Ctrl-C: a report, and no file is left" signalled 130 \
	'.jobs[0] | (.iojob.end == "interrupted" and .iojob.elapsed_ns > 0)' kill -INT
check "a worker that is killed: the same" signalled 1 \
	'.jobs[0] | (.iojob.end == "died" and .iojob.postmark.phase_ns.creation > 0)' kill_worker

# Before the first file two gigabytes of text are drawn, which takes many seconds.
drawing() {
	"$IOJOB" --output="json:$LIB/json" --set ioengine=null --set postmark_size=1g pm.ini &
	pid=$!
	for n in $(seq 100); do
		read -r child 2>/dev/null <"/proc/$pid/task/$pid/children" && break
		sleep 0.1
	done
	sleep 0.5
	kill -INT "$pid"
	begun=$(date +%s)
	code=0
	wait "$pid" || code=$?
	echo "exit $code of $child after $(($(date +%s) - begun)) s"
	[ "$code" = 130 ] && [ $(($(date +%s) - begun)) -le 2 ] &&
		is '.jobs[0] | (.iojob.end == "interrupted" and files.created == 0)'
}
check "Ctrl-C before there is a file" drawing

# More files than memory has room for.
# shellcheck disable=SC3045 # dash has it, too
countless() (
	ulimit -v 8000000
	runs_clean 1 '.jobs[0] | (.iojob.end == "error" and .error == 12 and (.iojob.error_text |
		endswith(": no memory for a table of twice postmark_number = 1073741824 files")))' \
		--set ioengine=null --set postmark_number=1g pm.ini
)
if [ -z "$IOJOB_SANITIZE" ]; then
	check "more files than memory has room for" countless
else
	skip "more files than memory has room for" "sanitizers want the address space"
fi

# What is none of PostMark's stays.
kept() {
	# shellcheck disable=SC2086 # words
	"$IOJOB" $long --set runtime=2 pm.ini >out.txt &
	pid=$!
	begins a
	mkdir a/pm.0/mine
	: >a/pm.0/mine/1
	wait "$pid" || return 1
	tr -s ' \n' ' ' <out.txt | grep -q 'note: a/pm.0 was not removed: Directory not empty' &&
		[ -f a/pm.0/mine/1 ] && [ "$(find a -type f | wc -l)" = 1 ]
}
check "a stranger's file in its directory stays, with a note" kept
refuse 2 'pm\.ini:2: a/pm\.0: is there already: .*remove it' --directory=a pm.ini
rm -r a/pm.0

# ---- what reached a device -----------------------------------------------------------------------

on_device() { # FILTER OPTION...
	on_device_filter=$1
	shift
	runs_clean 0 ".jobs[0] | (.iojob.postmark.device | $on_device_filter)" --directory="$MNT" \
		--set postmark_size=64k --set postmark_number=10 \
		--set postmark_transactions=30 "$@" pm.ini
}
if mount_make ext4 64m; then
	check "what is synced reached the device" on_device \
		'((.known | not) or .reached_bytes >= 65536 * 20)' --set postmark_fsync=close
	check "what is deleted at once did not" on_device \
		'((.known | not) or (.cancelled_write_bytes >= 65536 * 20
			and .reached_bytes < .write_bytes / 2))'
else
	skip "what reached a device" "$WHY"
fi

# ---- the plan ------------------------------------------------------------------------------------

cat >plan.ini <<-END
	[mail]
	workload=postmark
	postmark_location=a,b:3
	postmark_subdirectories=10
	postmark_bias_read=-1
	numjobs=2
END
planned() {
	"$IOJOB" --parse-only plan.ini >plan.txt || return 1
	cat plan.txt
	grep -q '^  mail: postmark 512/512, psync, 2 processes$' plan.txt &&
		grep -q '^    creates 500 files of 500 B to 9.77 KiB in 10 subdirectories; 5 of' \
			plan.txt &&
		grep -q '^    a/mail.0 .. b/mail.1 (4 directories), made and removed, about 5' \
			plan.txt &&
		grep -q '^    ends after 500 transactions, each$' plan.txt && empty a b
}
check "--parse-only says what it is" planned
check "and knows nothing of this machine" "$IOJOB" --parse-only --directory=/nowhere pm.ini
refuse 2 'pm\.ini:2: \[pm\] would write, and --readonly was given' --readonly pm.ini
refuse 2 'two\.ini:4: a/pm\.0: would be the directory of two workers' --directory=a two.ini

# ---- mistakes ------------------------------------------------------------------------------------

# Each row: lines of a job; which of them is wrong; what is said of it.
mistakes='
workload=postmark\npostmark_bias_read=11 ~ 2 ~ postmark_bias_read = 11: must be from -1 to 10$
workload=postmark\npostmark_bias_create=-2 ~ 2 ~ postmark_bias_create = -2: must be from -1 to 10$
workload=postmark\npostmark_number=0 ~ 2 ~ postmark_number = 0: must be from 1 to 1073741824$
workload=postmark\npostmark_transactions=-1 ~ 2 ~ postmark_transactions = -1: must be from 0
workload=postmark\npostmark_size=10k-500 ~ 2 ~ postmark_size = 10k-500: the smaller value must come
workload=postmark\npostmark_size=0-500 ~ 2 ~ postmark_size = 0-500: must be from 1 to 2147483647$
workload=postmark\npostmark_size=4g ~ 2 ~ postmark_size = 4g: must be from 1 to 2147483647$
workload=postmark\npostmark_read=0 ~ 2 ~ postmark_read = 0: must be from 1
workload=postmark\npostmark_write=0 ~ 2 ~ postmark_write = 0: must be from 1
workload=postmark\npostmark_fsync=often ~ 2 ~ postmark_fsync = often: must be one of none
workload=postmark\npostmark_location=/nowhere ~ 2 ~ /nowhere/bad\.0: the directory /nowhere does not
workload=postmark\npostmark_location=pm.ini ~ 2 ~ pm\.ini/bad\.0: a part of the path is a file where
workload=postmark\npostmark_location=a:0 ~ 2 ~ postmark_location = a:0: must be PATH\[:WEIGHT\]
workload=postmark\npostmark_location=a, ~ 2 ~ postmark_location = a,: must be PATH\[:WEIGHT\]
workload=postmark\npostmark_location=a:x,b ~ 2 ~ postmark_location = a:x,b: must be PATH
workload=postmark\npostmark_location=a,a:2 ~ 1 ~ a/bad\.0: would be the directory of two workers
workload=postmark\ndirectory=/nowhere ~ 2 ~ /nowhere/bad\.0: the directory /nowhere does not exist
workload=postmark\npostmark_location=a\ndirectory=b ~ 3 ~ directory: postmark_location is set
workload=postmark\nrw=read ~ 2 ~ rw: workload=postmark has no use for it$
workload=postmark\nbs=4k ~ 2 ~ bs: workload=postmark has no use for it$
workload=postmark\nrate=1m ~ 2 ~ rate: workload=postmark has no use for it$
workload=postmark\niodepth=4 ~ 2 ~ iodepth: workload=postmark has no use for it$
workload=postmark\nsize=1m ~ 2 ~ size: workload=postmark has no use for it$
workload=postmark\ncontinue_on_error=all ~ 2 ~ continue_on_error: workload=postmark has no
workload=bench ~ 1 ~ workload = bench: must be one of io, postmark$
rw=read\npostmark_number=5 ~ 2 ~ postmark_number: only workload=postmark has a use for it$
workload=postmark\nioengine=mmap\ndirect=1 ~ 2 ~ ioengine = mmap: .* direct I/O is impossible
'
printf '%s\n' "$mistakes" >mistakes.txt
while IFS= read -r row; do
	[ -n "$row" ] || continue
	lines=${row%% ~ *}
	rest=${row#* ~ }
	# shellcheck disable=SC2059 # with its `\n`
	printf "[bad]\n$lines\n" >bad.ini
	refuse 2 "^iojob: bad\.ini:$((${rest%% ~ *} + 1)): ${rest#* ~ }" bad.ini
done <mistakes.txt
# Odd sizes cannot go through O_DIRECT.
for row in "postmark_size=500-10000 ~ 4 ~ postmark_size: sizes drawn from a range are odd" \
	"postmark_size=700 ~ 4 ~ postmark_size = 700: with O_DIRECT it must be a multiple of" \
	"postmark_size=8k\npostmark_buffering=0\npostmark_write=700 ~ 6 ~ postmark_write = 700"; do
	lines=${row%% ~ *}
	rest=${row#* ~ }
	# shellcheck disable=SC2059
	printf "[bad]\nworkload=postmark\ndirect=1\n$lines\n" >bad.ini
	refuse 2 "^iojob: bad\.ini:${rest%% ~ *}: ${rest#* ~ }" bad.ini
done
# What [global] gives all jobs is PostMark's too, but not the other way round.
printf '[global]\nbs=8k\n[pm]\nworkload=postmark\n' >bad.ini
refuse 2 'bad\.ini:2: bs: workload=postmark has no use for it' bad.ini
printf '[global]\npostmark_number=9\n[io]\nsize=64k\nunlink\n' >good.ini
check "a PostMark key in [global] is none of other jobs" "$IOJOB" --directory=a good.ini
finish
