#!/bin/sh
# SPDX-License-Identifier: MIT
# What a job does: how much it moves, in which files, when it ends, and what the command line
# changes about that.
# shellcheck disable=SC2016 # the variables are of job files, and of jq
. "$(dirname "$0")/lib.sh"
needs jq od fallocate

# Does this directory's filesystem have O_DIRECT?
has_direct() {
	dd if=/dev/zero of="$T/probe" bs=4096 count=1 oflag=direct 2>/dev/null
	code=$?
	rm -f "$T/probe"
	return $code
}

# Why an engine cannot run here, in $WHY.
works() { # ENGINE
	[ -e "$IOJOB_BUILDDIR/engines/$1.so" ] || {
		WHY="not built"
		return 1
	}
	WHY=$("$IOJOB" engines "$1" | sed -n 's/^  *here  *no: *//p')
	[ -z "$WHY" ] || return 1
	[ "$1" != directio ] || has_direct || WHY="no O_DIRECT in $T"
	[ -z "$WHY" ]
}

file_size() { # FILE SIZE
	[ "$(stat -c %s "$1")" = "$2" ] || {
		stat "$1"
		return 1
	}
}
allocated() { # FILE, at least as much as it is long
	[ $(($(stat -c %b "$1") * 512)) -ge "$(stat -c %s "$1")" ] || {
		stat "$1"
		return 1
	}
}
# Bytes that no compressor can make smaller.
random_bytes() { # FILE
	[ $(($(gzip -1 <"$1" | wc -c) * 100)) -gt $(($(stat -c %s "$1") * 99)) ]
}
# No two blocks of 512 bytes are equal.
no_twins() { # FILE
	! od -v -An -tx1 -w512 "$1" | sort | uniq -d | grep .
}
gone() { # FILE...
	for file; do
		if [ -e "$file" ]; then
			ls -l
			return 1
		fi
	done
}
all_of() { # COMMAND FILE...
	command=$1
	shift
	for file; do
		"$command" "$file" || return 1
	done
}

# ---- every engine moves what it is told to ------------------------------------------------------

for engine in psync mmap libaio io_uring directio null; do
	if ! works $engine; then
		skip "$engine" "$WHY"
		continue
	fi
	fresh
	expect "$engine: every kind of job moves all of its bytes, and no more" 0 '
		(.jobs | length) == 6 and all(.jobs[]; .error == 0 and .iojob.end == "work"
				and .read.io_bytes + .write.io_bytes == 1048576
				and .read.total_ios + .write.total_ios == 256
				and .trim.total_ios == 0 and .iojob.engine == "'$engine'"
				and (.read, .write | .clat_ns.N == .total_ios))
		and all(.jobs[0, 2].write, .jobs[1, 3].read; .total_ios == 0)
		and all(.jobs[4, 5]; .read.total_ios | within(150; 208))' \
		--set ioengine=$engine - <<-'END'
		[moves]
		vary = rw: read write randread randwrite rw randrw
		rwmixread = 70
		bs = 4k
		size = 1m
		iodepth = 8
		filename = file
	END
	[ $engine = null ] || check "$engine: in a file of that size" file_size file 1048576
	expect "$engine: block sizes of their own, several files, syncs" 0 '
		r("mixed").io_bytes + w("mixed").io_bytes == 2097152
		and (r("mixed") | .io_bytes == .total_ios * 8192)
		and (w("mixed") | .io_bytes == .total_ios * 4096)
		and (w("syncs") | moved(1048576; 128)) and job("syncs").sync.total_ios == 8
		and job("syncs").sync.lat_ns.N == 8' \
		--set ioengine=$engine - <<-'END'
		[mixed]
		rw = randrw
		norandommap
		bs = 8k,4k
		size = 2m
		nrfiles = 2
		iodepth = 4
		[syncs]
		stonewall
		rw = write
		bs = 8k
		size = 1m
		nrfiles = 4
		fsync = 16
		end_fsync
		iodepth = 4
	END
	expect "$engine: a range of block sizes covers the file" 0 '
		all(.jobs[]; .read.io_bytes + .write.io_bytes == 1048576
				and (.read.total_ios + .write.total_ios | within(32; 256)))' \
		--set ioengine=$engine - <<-'END'
		[range]
		vary = rw: write randread
		bsrange = 4k-32k
		size = 1m
	END
done

# ---- how much -----------------------------------------------------------------------------------

fresh
expect "loops, io_size, number_ios, numjobs, threads and groups count" 0 '
	(r("once") | moved(1048576; 256)) and (r("loops") | moved(3145728; 768))
	and (r("part") | moved(262144; 64)) and (r("over") | moved(2621440; 640))
	and (r("percent") | moved(524288; 128)) and (r("number") | moved(40960; 10))
	and ([job("each")] | length == 3 and all(.[]; .read | moved(1048576; 256)))
	and ([job("group")] | length == 1) and (r("group") | moved(3145728; 768))
	and job("group").iojob.workers == 3
	and ([job("threads")] | length == 1) and (r("threads") | moved(2097152; 512))
	and ([job("half")] | map(.read.io_bytes) == [524288])' - <<END
[global]
ioengine = null
size = 1m
stonewall
[once]
[loops]
loops = 3
[part]
io_size = 256k
[over]
io_size = 2560k
[percent]
io_size = 50%
[number]
number_ios = 10
[each]
numjobs = 3
[group]
numjobs = 3
group_reporting
[threads]
numjobs = 2
thread
group_reporting
[half]
filesize = 1m
size = 512k
END

syncs() {
	fresh
	cat >job.ini <<-END
		[global]
		rw = write
		size = 256k
		ioengine = psync
		stonewall
		[every]
		fsync = 16
		[data]
		fdatasync = 10
		[end]
		end_fsync = 1
		[close]
		fsync_on_close = 1
		nrfiles = 4
		[both]
		fsync = 8
		fdatasync = 16
	END
	runs 0 '[.jobs[].sync.total_ios] == [4, 6, 0, 0, 8]
		and ([.jobs[].iojob.end_sync_ns > 0] == [false, false, true, false, false])' job.ini
}
check "fsync and fdatasync are counted, end_fsync has a time of its own" syncs

fresh
head -c 327680 /dev/zero | tr '\0' A >file
cp file before
expect "offset and size bound what is written" 0 'w("part") | moved(131072; 32)' - <<END
[part]
rw = randwrite
filename = file
offset = 64k
size = 128k
END
bounded() {
	file_size file 327680 && cmp -n 65536 file before && cmp -i 196608 file before &&
			! cmp -s -i 65536 -n 4096 file before &&
			! cmp -s -i 192512 -n 4096 file before
}
check "and nothing beside it is" bounded
fresh
expect "nrfiles share the size" 0 'w("four") | moved(1048576; 256)' - <<END
[four]
rw = write
nrfiles = 4
size = 1m
END
shared() {
	for i in 0 1 2 3; do
		file_size "four.0.$i" 262144 || return 1
	done
	gone four.0.4
}
check "evenly, in files called after job, worker and number" shared
fresh
expect "names of one's own are used" 0 '(w("listed") | moved(131072; 32))
	and (w("called") | moved(131072; 32))' - <<'END'
[listed]
rw = write
filename = one:sub\:file
size = 128k
[called]
rw = write
numjobs = 1
nrfiles = 2
filename_format = $jobname-$filenum-$jobnum.dat
size = 128k
END
named() {
	file_size one 65536 && file_size sub:file 65536 && file_size called-0-0.dat 65536 &&
			file_size called-1-0.dat 65536
}
check "as lists and as formats" named

# ---- how long -----------------------------------------------------------------------------------

expect "runtime ends a job, and time_based fills it" 0 '
	job("short").iojob.end == "work" and (r("short") | moved(1048576; 256))
	and job("filled").iojob.end == "runtime" and r("filled").total_ios > 256
	and (job("filled").iojob.elapsed_ns | within(3e8; 9e8))
	and job("cut").iojob.end == "runtime" and r("cut").io_bytes < 1099511627776' - <<END
[global]
ioengine = null
size = 1m
stonewall
[short]
runtime = 30
[filled]
runtime = 300ms
time_based
[cut]
size = 1t
runtime = 100ms
END
expect "ramp_time does not count" 0 'r("ramp").total_ios <= 110
	and (job("ramp").iojob.elapsed_ns | within(1e8; 6e8))
	and .timestamp_ms - .iojob.started_ms >= 600' - <<END
[ramp]
ioengine = null
size = 1g
rate_iops = 1000
ramp_time = 500ms
runtime = 100ms
END
expect "startdelay holds one job back, and is no part of its time" 0 '
	job("late").iojob.elapsed_ns < 3e8 and (r("late") | moved(1048576; 256))
	and job("now").iojob.elapsed_ns < 3e8
	and .timestamp_ms - .iojob.started_ms >= 400' - <<END
[global]
ioengine = null
size = 1m
[late]
startdelay = 400ms
[now]
END
expect "exitall ends the others of the stage with what they have, and no later stage" 0 '
	job("load").iojob.end == "other" and r("load").total_ios > 0
	and (job("load").iojob.elapsed_ns | . < 2e10) and job("first").iojob.end == "runtime"
	and (r("after") | moved(1048576; 256))' - <<END
[global]
ioengine = null
size = 1m
[load]
runtime = 30
time_based
[first]
runtime = 200ms
time_based
exitall
[after]
stonewall
END
fresh
expect "stonewall: each stage begins when the one before it is over" 0 '
	[.jobs[].iojob.stage] == [0, 0, 1, 2] and [.jobs[].groupid] == [0, 0, 1, 2]
	and (.jobs | .[2].iojob.start_ms - .[0].iojob.start_ms >= 300
			and .[3].iojob.start_ms - .[2].iojob.start_ms >= 200)' - <<END
[global]
rw = write
size = 64k
filename = file
time_based
[a]
buffer_pattern = 0x11
runtime = 100ms
[b]
buffer_pattern = 0x11
runtime = 300ms
[c]
stonewall
buffer_pattern = 0x22
runtime = 200ms
[d]
stonewall
buffer_pattern = 0x33
runtime = 100ms
END
last_wins() {
	[ "$(tr -d '\063' <file | wc -c)" = 0 ]
}
check "so that the last one's data stays" last_wins
expect "new_group parts the results of one stage" 0 '
	[.jobs[] | [.jobname, .groupid, .iojob.workers]] == [["a", 0, 2], ["c", 1, 1]]
	and [.jobs[].iojob.stage] == [0, 0]' - <<END
[global]
ioengine = null
size = 64k
group_reporting
[a]
[b]
[c]
new_group
END

# What the kernel is asked for: every block once a pass, in another order each time.
if ! command -v strace >/dev/null || [ -n "$IOJOB_SANITIZE" ]; then
	skip "a random order without repeats" "strace is missing, or would trace a sanitizer"
else
	random_order() {
		fresh
		printf '[job]\nrw=randread\nsize=1m\nbs=16k\nloops=2\n' >job.ini
		"$IOJOB" --set create_only job.ini >/dev/null &&
			strace -f -qq -o trace -e trace=pread64 "$IOJOB" job.ini >/dev/null ||
			return 1
		sed -n 's/.*pread64([0-9]*, .*, 16384, \([0-9]*\)) *= 16384$/\1/p' trace >offsets
		head -n 64 offsets >first
		tail -n +65 offsets >second
		seq 0 16384 1032192 >blocks
		sort -n first | cmp - blocks && sort -n second | cmp - blocks &&
			! cmp -s first blocks && ! cmp -s first second
	}
	check "a random pass visits every block once, the next one in another order" random_order
fi
expect "rates are sampled as often as the job says" 0 '
	(r("default") | (.bw_samples | within(1; 2)) and (.iops_samples | within(1; 2))
		and .iops_min <= .iops_mean and .iops_mean <= .iops_max + 1
		and (.iops_mean | about(1000; 20)) and (.bw_mean | about(4000; 20)))
	and (r("often") | (.bw_samples | within(10; 25))
		and (.iops_samples | within(5; 12)))' - <<END
[global]
ioengine = null
size = 1g
rate_iops = 1000
runtime = 1200ms
[default]
[often]
bwavgtime = 50
iopsavgtime = 100
END

# ---- files before and after ---------------------------------------------------------------------

fresh
expect "what is read is written before, with its time apart" 0 '
	(.jobs[:3] | all(.read | moved(1048576; 256)))
	and (.jobs[0].iojob.layout | .bytes == 3145728 and .ns > 0)
	and job("again").iojob.layout.bytes == 0' - <<END
[reads]
size = 1m
nrfiles = 2
numjobs = 3
[again]
stonewall
filename = reads.0.0:reads.0.1
END
check "really, without holes" all_of allocated reads.0.0 reads.0.1 reads.1.0 reads.2.1
check "with bytes that do not compress" all_of random_bytes reads.0.0 reads.2.1
differ() {
	! cmp -s reads.0.0 reads.0.1 && ! cmp -s reads.0.0 reads.1.0
}
check "and no file is like another" differ

fresh
head -c 524288 /dev/zero | tr '\0' A >file
cp file before
expect "of a file that is too short only the tail is written" 0 '
	job("tail").iojob.layout.bytes == 524288 and (r("tail") | moved(1048576; 256))' - <<END
[tail]
filename = file
size = 1m
END
tail_only() {
	file_size file 1048576 && cmp -n 524288 file before &&
			tail -c 524288 file >rest && random_bytes rest && allocated file
}
check "and what was there stays" tail_only
fresh
expect "what an earlier job writes is not laid out" 0 '
	all(.jobs[]; .iojob.layout.bytes == 0) and (r("reader") | moved(1048576; 256))' - <<END
[writer]
rw = write
filename = file
size = 1m
buffer_pattern = "x"
[reader]
stonewall
filename = file
END
written() {
	file_size file 1048576 && [ "$(tr -d x <file | wc -c)" = 0 ]
}
check "and keeps its contents" written
fresh
expect "overwrite lays out what is to be written" 0 '
	job("new").iojob.layout.bytes == 1048576 and job("old").iojob.layout.bytes == 0
	and (w("new") | moved(4096; 1))' - <<END
[global]
rw = randwrite
filename = file
size = 1m
overwrite
number_ios = 1
[new]
[old]
stonewall
END
check "in full" all_of allocated file
fresh
expect "create_only creates, and does no I/O" 0 '
	all(.jobs[]; .read.total_ios + .write.total_ios == 0 and .error == 0)' - <<END
[global]
size = 256k
create_only
[reader]
[writer]
rw = write
END
created() {
	file_size reader.0.0 262144 && random_bytes reader.0.0 && allocated writer.0.0
}
check "files in full" created

cached() { # FILE: bytes of it in the page cache
	fincore -n -b -o RES "$1" | tr -d ' '
}
if ! command -v fincore >/dev/null || [ "$(stat -f -c %T "$T")" = tmpfs ]; then
	skip "pre_read and invalidate" "no fincore, or $T is in memory"
else
	fresh
	cold() {
		runs 0 'r("job") | moved(4096; 1)' - <<-END && [ "$(cached file)" -le 262144 ]
			[job]
			rw = randread
			filename = file
			size = 2m
			number_ios = 1
		END
	}
	check "a job begins with nothing of its files in the page cache" cold
	warm() { # KEY
		cat file >/dev/null
		runs 0 'r("job") | moved(4096; 1)' --set "$1" - <<-END &&
			[job]
			rw = randread
			filename = file
			number_ios = 1
		END
			[ "$(cached file)" = 2097152 ]
	}
	check "unless invalidate=0 leaves it there" warm invalidate=0
	check "or pre_read brings it" warm pre_read
fi

for mode in none native posix keep truncate; do
	fresh
	if ! fallocate -l 4096 probe 2>/dev/null; then
		skip "fallocate=$mode" "the filesystem of $T cannot"
		continue
	fi
	rm probe
	reserves() { # SIZE LEAST MOST
		runs 0 'w("job") | moved(4096; 1)' --set "fallocate=$mode" - <<-END &&
			[job]
			rw = write
			filename = file
			size = 4m
			number_ios = 1
		END
			file_size file "$1" && [ "$(($(stat -c %b file) * 512))" -ge "$2" ] &&
			[ "$(($(stat -c %b file) * 512))" -le "$3" ]
	}
	case $mode in
	none) set -- 4096 4096 65536 ;;
	native | posix) set -- 4194304 4194304 4300800 ;;
	keep) set -- 4096 4194304 4300800 ;;
	truncate) set -- 4194304 4096 65536 ;;
	esac
	check "fallocate=$mode reserves what it says" reserves "$@"
done

fresh
printf old >kept.txt
expect "unlink removes the files" 0 '(w("a") | moved(262144; 64))
	and (r("b") | moved(131072; 32))' - <<END
[global]
unlink
[a]
rw = write
size = 256k
nrfiles = 4
[b]
size = 128k
END
only_kept() {
	[ "$(ls)" = kept.txt ]
}
check "and nothing else" only_kept
fresh
expect "a file goes when its last stage is over" 0 'job("b").iojob.layout.bytes == 0' - <<END
[global]
filename = file
size = 256k
[a]
rw = write
unlink
[b]
stonewall
END
check "and not before" gone file

# ---- what is written ----------------------------------------------------------------------------

contents() { # KEY...
	fresh
	runs 0 '(w("job") | moved(262144; 16)) and job("job").error == 0' "$@" - <<-END
		[job]
		rw = write
		bs = 16k
		filename = file
		size = 256k
	END
}
zeros() {
	contents --set zero_buffers && cmp -n 262144 file /dev/zero && allocated file
}
check "zero_buffers: zeros, in blocks of their own" zeros
pattern() { # PATTERN BYTES...
	contents --set buffer_pattern="$1" || return 1
	shift
	od -An -v -tx1 -w"$#" file | sort -u >lines
	cat lines
	[ "$(cat lines)" = " $*" ]
}
check "buffer_pattern: a number" pattern 0xdeadbeef de ad be ef
check "buffer_pattern: a text" pattern '"abcdefgh"' 61 62 63 64 65 66 67 68
check "buffer_pattern: both" pattern '"abc"0xff' 61 62 63 ff
refilled() {
	contents --set refill_buffers && random_bytes file && no_twins file
}
check "refill_buffers: nothing compresses, no two blocks are equal" refilled
scrambled() {
	contents && no_twins file && head -c 16384 file >block && random_bytes block
}
check "otherwise no I/O compresses, and no two blocks are equal" scrambled
kept() { # the two writes of each slot are equal
	contents --set scramble_buffers=0 && ! no_twins file
}
check "scramble_buffers=0: the buffer stays" kept

# ---- vary ---------------------------------------------------------------------------------------

fresh
expect "vary: lines multiply, in the order of the file, each a stage" 0 '
	[.jobs[].iojob.axes | map(.label) | join(" ")]
		== ["read 4k", "read 8k", "write 4k", "write 8k", ""]
	and [.jobs[0].iojob.axes[].name] == ["rw", "bs"]
	and [.jobs[].iojob.stage] == [0, 1, 2, 3, 4]
	and [.jobs[].read.total_ios + .jobs[].write.total_ios] != []
	and [.jobs[] | .read.total_ios + .write.total_ios] == [64, 32, 64, 32, 64]
	and [.jobs[].jobname] == ["sweep", "sweep", "sweep", "sweep", "after"]
	and [.jobs[].iojob.layout.bytes] == [262144, 0, 0, 0, 262144]' - <<END
[global]
size = 256k
[sweep]
vary = rw: read write
vary = bs: 4k 8k
[after]
END
one_file() {
	[ "$(echo *)" = "after.0.0 sweep.0.0" ]
}
check "vary: all combinations work on the section's one file" one_file
fresh
expect "vary: named points set several keys" 0 '
	[.jobs[] | [.iojob.axes[0].name, .iojob.axes[0].label, .iojob.rw, .iojob.bs.read.min]]
	== [["mode", "Small read", "read", 4096],
		["mode", "Large random", "randread", 65536]]' - <<END
[sweep]
ioengine = null
size = 256k
vary = mode: Small read rw=read bs=4k | Large random rw=randread bs=64k
END
expect "--set: over the job's own, over [global], and in place of an axis" 0 '
	[.jobs[] | [.jobname, .iojob.bs.read.min, .read.io_bytes, (.iojob.axes | length)]]
	== [["sweep", 8192, 65536, 0], ["alone", 8192, 65536, 0], ["other", 8192, 131072, 0]]' \
	--set bs=8k --set size=64k --set 'oth*:size=128k' - <<END
[global]
ioengine = null
size = 256k
[sweep]
vary = bs: 4k 16k
[alone]
bs = 4k
[other]
END
expect "--set vary makes an axis" 0 '[.jobs[].iojob.axes[0].label] == ["4k", "8k", "4k", "8k"]
	and [.jobs[].jobname] == ["a", "a", "b", "b"]' --set 'vary=bs: 4k 8k' - <<END
[global]
ioengine = null
size = 64k
[a]
[b]
END
expect "--section runs what it names" 0 '[.jobs[].jobname] == ["a", "c1"]' \
	--section a --section 'c*' - <<END
[global]
ioengine = null
size = 64k
[a]
[b]
[c1]
END

# ---- optional -----------------------------------------------------------------------------------

fresh
cat >optional.ini <<END
[global]
size = 64k
vary = ioengine: null nowhere
[job]
END
optional() {
	runs 0 '[.jobs[].iojob.axes[0].label] == ["null", "nowhere"]
		and .jobs[0].iojob.skipped == null and (.jobs[0].read | moved(65536; 16))
		and (.jobs[1].iojob.skipped | test("no engine .nowhere."))
		and .jobs[1].error == 0 and .jobs[1].read.total_ios == 0' \
		--set optional=1 --output=text:out.txt --output=csv:out.csv optional.ini &&
		cat out.txt &&
		grep -Eq '^job .* -$' out.txt && grep -q 'no engine .nowhere.' out.txt
}
check "optional: what this machine cannot run is skipped with its reason" optional
refuse 2 'optional\.ini:3: .*no engine .nowhere.: .*nowhere\.so in ' optional.ini
fresh
if mount_make ramfs 8m; then
	expect "optional: a filesystem without O_DIRECT" 0 '
		(job("direct").iojob.skipped | test("no O_DIRECT"))
		and (r("not") | moved(65536; 16))' \
		--directory="$MNT" - <<-END
		[global]
		size = 64k
		optional
		[direct]
		direct = 1
		[not]
	END
	printf '[direct]\nsize = 64k\ndirect = 1\n' >direct.ini
	refuse 2 'direct\.ini:3: .*no O_DIRECT; set direct=0' --directory="$MNT" direct.ini
	check "touches nothing there" test ! -e "$MNT/direct.0.0"
else
	skip "a filesystem without O_DIRECT" "$WHY"
fi

# ---- the command line ---------------------------------------------------------------------------

fresh
mkdir sub
cat >plan.ini <<END
[global]
size = 1m
[reads]
nrfiles = 2
numjobs = 2
[writes]
stonewall
rw = randwrite
bs = 8k
runtime = 10
number_ios = 1000
END
plan() { # LINES ARGUMENT...: the plan must have these lines, in this order, and touch nothing
	printf '%s\n' "$1" >"$LIB/want"
	shift
	lib_state >"$LIB/before"
	"$IOJOB" --parse-only "$@" >"$LIB/plan" || return 1
	lib_state >"$LIB/after"
	cat "$LIB/plan"
	cmp "$LIB/before" "$LIB/after" &&
			grep -xF -f "$LIB/want" "$LIB/plan" | cmp - "$LIB/want"
}
check "--parse-only: files, sizes, layout, engines, stages, and what ends each job" plan \
'4 files are laid out before they are read: 2 MiB
stage 1 of 2
  reads: read 4k, psync, 2 processes
    reads.0.0 .. reads.1.1 (4 files), 2 MiB
    ends after 1 MiB, each
stage 2 of 2
  writes: randwrite 8k, psync
    writes.0.0, 1 MiB
    ends after 1 MiB, 1,000 I/Os or 10 s, whichever is first' plan.ini
check "--parse-only: depth, threads, memory for a random order of mixed sizes" plan \
'  reads: randread 4k-8k, null depth 8, 2 threads
    64 B of memory for the random order of mixed block sizes
    ends after 10 s, each' --section=reads --set ioengine=null --set iodepth=8 --set thread \
	--set rw=randread --set bsrange=4k-8k --set time_based --set runtime=10 plan.ini
check "--parse-only: what is not on this machine is said, and no error" plan \
'    /nowhere/at/all/reads.0.0 .. /nowhere/at/all/reads.1.1 (4 files), 2 MiB, not on this machine
    /nowhere/at/all/writes.0.0, 1 MiB, not on this machine' --directory=/nowhere/at/all plan.ini
printf '[job]\ndirectory = /nowhere\nsize = 1m\n' >directory.ini
check "--directory: that one, whatever the job says" plan '    sub/job.0.0, 1 MiB' \
		--directory=sub directory.ini
head -c 4096 /dev/zero >old
check "--parse-only: what will be overwritten" plan \
		'    old, 1 MiB, exists and is overwritten' --section=writes --set filename=old \
		plan.ini

printf '[reads]\nsize = 64k\nfilename = there\n' >read.ini
head -c 65536 /dev/zero >there
refuse 2 'would write, and --readonly' --readonly plan.ini --section=writes
refuse 2 'reads.*would have to be written before it is read, and --readonly' --readonly \
		plan.ini --section=reads
expect "--readonly lets readers go" 0 'r("reads") | moved(65536; 16)' --readonly read.ini

eta() { # WANTED ARGUMENT...: a progress line on standard error, or nothing there at all
	want=$1
	shift
	"$IOJOB" --output=json:"$LIB/json" "$@" - 2>"$LIB/progress" <<-END || return 1
		[slow]
		ioengine = null
		size = 1g
		rate_iops = 100
		runtime = 600ms
	END
	cat "$LIB/progress"
	if [ "$want" = none ]; then
		[ ! -s "$LIB/progress" ]
	else
		grep -q '\[1/1\] slow: running *[0-9]* %, .*/s, .* IOPS, [0-9]* s left' \
				"$LIB/progress" && jq -e . "$LIB/json" >/dev/null
	fi
}
check "no progress line where there is no terminal" eta none
check "unless --eta=always" eta line --eta=always
if command -v script >/dev/null; then
	on_terminal() { # ARGUMENT...
		printf '[slow]\nioengine=null\nsize=1g\nrate_iops=100\nruntime=600ms\n' >slow.ini
		script -qec "'$IOJOB' $* --output=json:'$LIB/json' slow.ini" /dev/null </dev/null \
				>"$LIB/screen" || return 1
		cat "$LIB/screen"
		grep -q '\[1/1\] slow: running' "$LIB/screen"
	}
	not_on_terminal() {
		! on_terminal --eta=never
	}
	check "a progress line on a terminal" on_terminal
	check "unless --eta=never" not_on_terminal
else
	skip "a progress line on a terminal" "script is missing"
fi

fresh
printf '[global]\nsize=64k\nioengine=null\n[one]\n' >1.ini
printf '[two]\nsize=128k\nioengine=null\n' >2.ini
expect "several job files, one of them standard input" 0 '
	[.jobs[] | [.jobname, .read.io_bytes]]
	== [["one", 65536], ["two", 131072], ["three", 262144]]' 1.ini 2.ini - <<END
[three]
size = 256k
ioengine = null
END

# Results: where they go.
fresh
printf '[job]\nioengine=null\nsize=64k\n' >job.ini
printf old >target.json
ln -s target.json link.json
outputs() {
	"$IOJOB" --output=json:link.json --output-format=csv,text --output=new job.ini >out.txt
	code=$?
	[ "$code" = 2 ] && [ "$(cat target.json)" = old ] && [ ! -e new ] || return 1
	"$IOJOB" --output=json:link.json --output-format=csv --output=new job.ini >out.txt ||
		return 1
	[ -L link.json ] && jq -e '.jobs[0].read.total_ios == 16' target.json &&
		grep -q '^schema,job,' new && [ ! -s out.txt ]
}
check "results go where they are told to, through links, and two never to one file" outputs
to_pipe() {
	mkfifo pipe
	jq -c '.jobs[0].read.total_ios' pipe >count.txt &
	"$IOJOB" --output=json:pipe job.ini && wait $! && [ "$(cat count.txt)" = 16 ] && [ -p pipe ]
}
check "a pipe is written in place" to_pipe
only_json() {
	"$IOJOB" --set iodepth=2 --set ioengine=psync --output-format=json job.ini >out.json &&
		[ "$(head -c 1 out.json)" = '{' ] && jq -e . out.json >/dev/null
}
check "a document on standard output holds nothing but itself" only_json

# Syntax as it occurs, once from end to end.
mkdir inc
printf 'ioengine=null\r\nsize=64k\r\n' >inc/common.ini
printf '; more\nbs = ${BS}k ; of the environment\n' >inc/more.ini
{
	printf '\357\273\277# written by an editor with a mark\r\n[global]\r\n'
	printf '\tinclude inc/common.ini\r\n'
	printf '[a job, with [brackets] and a very long name that libinih would have cut at 50]\r\n'
	printf '  include inc/more.ini  \r\n  rw= randread   # a comment\r\n'
	printf '[empty]\r\n[global]\r\nbs=4k\r\n[twice]\r\n[twice]\r\nnumjobs=2\r\nthread\r\n'
	printf '[no newline at the end]\r\nrw=randread'
} >odd.ini
odd() {
	BS=16 runs 0 '[.jobs[] | [.jobname, .read.total_ios, .iojob.rw]] == [
		["a job, with [brackets] and a very long name that libinih would have cut at 50", 4,
			"randread"],
		["empty", 16, "read"], ["twice", 16, "read"], ["twice", 16, "read"],
		["twice", 16, "read"], ["no newline at the end", 16, "randread"]]' odd.ini
}
check "CRLF, a mark, includes, comments, variables, bare keys, empty and equal sections" odd

warns() { # one line a key, on standard error, and the job runs
	printf '[a]\nioengine=null\nsize=64k\nclocksource=cpu\n' >warn.ini
	printf '[b]\nioengine=null\nsize=64KiB\nclocksource=cpu\n' >>warn.ini
	runs 0 '(.jobs | length == 2) and all(.jobs[]; .read.io_bytes == 65536)' warn.ini 2>err.txt
	code=$?
	cat err.txt
	[ "$code" = 0 ] && [ "$(cat err.txt)" = \
		"iojob: warn.ini:4: clocksource: a key of fio that has no effect in iojob" ]
}
check "a warning is said once a file" warns

# What fio makes something else of is taken as it reads, and a warning says so.
as_it_reads() {
	printf '[a]\nioengine=null\nsize=10 M\nruntime=1min\n' >sane.ini
	printf '[b]\nioengine=null\nsize=10m\nruntime=1m\nthinktime=10us\n' >>sane.ini
	"$IOJOB" --parse-only sane.ini >plan.txt 2>err.txt
	cat plan.txt err.txt
	[ "$(grep -c 'ends after 10 MiB or 60 s, whichever is first' plan.txt)" = 2 ] &&
		grep -q '^iojob: sane.ini:3: size = 10 M: taken as it reads' err.txt &&
		grep -q '^iojob: sane.ini:4: runtime = 1min: taken as it reads' err.txt &&
		[ "$(wc -l <err.txt)" = 2 ]
}
check "blanks before units, and units that fio reads otherwise" as_it_reads

# Limits and phases in odd company: what each job is to issue.
odd_limits() {
	fresh
	cat >job.ini <<-END
		[global]
		ioengine = null
		size = 1m
		stonewall
		[whole_depth]
		iodepth = 8
		iodepth_batch = 0
		[timed]
		time_based
		runtime = 60
		number_ios = 10
		loops = 3
		[longer]
		number_ios = 10
		loops = 2
		io_size = 3m
		[warm]
		iodepth = 8
		iodepth_batch = 8
		rw = randwrite
		fsync = 3
		ramp_time = 100ms
		number_ios = 30
	END
	runs 0 '[.jobs[] | .read.total_ios + .write.total_ios] == [256, 30, 20, 30]
		and all(.jobs[]; .iojob.end == "work")' job.ini
}
check "limits of loops, passes and warm-ups" odd_limits
thinks() {
	printf '[t]\nioengine=null\nsize=16k\nrw=write\nthinktime=200ms\n' >think.ini
	printf 'thinktime_blocks=2\nfsync=1\n' >>think.ini
	runs 0 '.jobs[0].write.runtime | . >= 200 and . < 580' think.ini
}
check "a sync is no block of thinktime's" thinks

version() {
	[ "$("$IOJOB" --version)" = "iojob $(cat "$IOJOB_SRCDIR/VERSION")" ]
}
check "--version" version
help() { # PATTERN ARGUMENT...
	want=$1
	shift
	"$IOJOB" "$@" >"$LIB/help" && cat "$LIB/help" && grep -Eq -e "$want" "$LIB/help"
}
check "--help" help '^usage: iojob \[options\] FILE' --help
check "iojob engines" help '^ *psync ' engines
check "iojob engines NAME" help '^psync: ' engines psync
check "iojob options" help 'iodepth' options
check "iojob options NAME" help 'default.*1|iodepth' options iodepth

finish
