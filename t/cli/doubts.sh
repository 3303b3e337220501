#!/bin/sh
# SPDX-License-Identifier: MIT
# Doubts: each that can be provoked here is provoked and seen, with the figures that prove it; what
# is sound has none. The machine may be busy with other things, so what that may add (others' load,
# fewer operations in the same time) is left out where it is not the point.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq

# Words for filters: ids of a job, without facts, and without what a busy machine adds.
lib_words="$lib_words"'
	def doubts: .iojob.doubts[] | select(.fact | not);
	def ids(n): [job(n) | doubts | .id] | unique;
	def own(n): ids(n) - ["T2", "G2", "L1", "L2", "L3", "L4", "M4", "M5"];
	def doubt(n; i): job(n) | doubts | select(.id == i);
	def fact(n; i): job(n).iojob.doubts[] | select(.fact and .id == i);'

where=$(stat -f -c %T .)
case $where in
ext* | xfs) counts=yes ;;
*) counts=no ;;
esac
# A device whose count of bytes belongs to the files, for what is seen by that.
counted() { # WHAT
	[ $counts = yes ] || skip "$1" "the tests are on $where, not on a disk"
	[ $counts = yes ]
}

# ---- nothing wrong ------------------------------------------------------------------------------

cat >clean.ini <<'END'
[global]
size = 32m
bs = 64k
direct = 1
time_based
runtime = 1
ramp_time = 100ms
[reads]
rw = randread
[writes]
stonewall
rw = write
[async]
stonewall
rw = randread
ioengine = libaio
iodepth = 4
[buffered]
stonewall
direct = 0
time_based = 0
ramp_time = 0
runtime = 0
size = 128m
bs = 4k
rw = write
end_fsync = 1
END
sound() {
	runs 0 'own("reads") + own("writes") + own("async") + (own("buffered") - ["T1"]) == []' \
		--strict --accept=G2,L1,L2,L3,L4 --accept=T1,T2 --accept=M4,M5 clean.ini
}
if counted "a sound run"; then
	check "a sound run has no doubt, and --strict says so" sound
	expect "but facts: it is one run in a closed loop" 0 \
		'[.iojob.doubts[] | select(.fact) | .id] | index("F2") != null and
		index("F3") != null' --section=reads clean.ini
	quiet() {
		for _ in 1 2 3; do
			runs 0 'true' --section=reads clean.ini && is 'ids("reads") == []' && return
		done
		return 2
	}
	lib_code=0
	quiet >"$LIB/out" 2>&1 || lib_code=$?
	case $lib_code in
	0) pass "on a quiet machine it has not even that of others' load" ;;
	*) skip "a run without others' load" "the machine is busy: $(jq -c \
		'[.jobs[].iojob.doubts[].id]' "$LIB/json")" ;;
	esac
fi

# ---- contents and cache -------------------------------------------------------------------------

fresh
cat >reads.ini <<'END'
[reads]
size = 16m
bs = 64k
rw = randread
time_based
runtime = 600ms
END
if counted "reads from the page cache"; then
	expect "reads from the page cache" 0 '(doubt("reads"; "C3") | .evidence
		| test("^(9[0-9]|100) % of the reads came from the page cache")) and
		(doubt("reads"; "C3").advice | test("direct=1"))' --set invalidate=0 reads.ini
	expect "a file read again and again is cached, too" 0 'own("reads") | index("C3") != null' \
		reads.ini
	expect "not by direct I/O" 0 'own("reads") == []' --set direct=1 reads.ini
	expect "nor where it was asked for" 0 'own("reads") - ["O2"] == []' --set pre_read=1 \
		reads.ini
	expect "one pass of a dropped file comes from the device" 0 \
		'own("once") - ["T1"] == []' - <<-'END'
		[once]
		size = 32m
		bs = 64k
		rw = read
	END
	expect "mmap reads through the cache as well" 0 'own("reads") | index("C3") != null' \
		--set ioengine=mmap --set invalidate=0 reads.ini
	expect "in a group it is told of all together" 0 '(.jobs | length) == 1 and
		(own("reads") | index("C3") != null)' --set numjobs=3 --set group_reporting \
		--set invalidate=0 reads.ini
	text() {
		"$IOJOB" --set invalidate=0 reads.ini >out.txt && cat out.txt &&
			grep -q '^  note C3: 100 % of the reads' out.txt &&
			! grep -q '.\{81\}' out.txt && grep -q '^fact F2: ' out.txt
	}
	check "the text has it under the job" text
	column() {
		"$IOJOB" --set invalidate=0 --output-format=csv reads.ini >out.csv && cat out.csv &&
			head -n 1 out.csv | grep -q ',doubts\(,\|$\)' &&
			sed -n 2p out.csv | grep -q ',C3[;,]\|,C3$'
	}
	check "CSV has its id" column
	strict() { # CODE ARGUMENT...
		want=$1
		shift
		code=0
		"$IOJOB" --set invalidate=0 --strict "$@" --output=json:out.json reads.ini ||
			code=$?
		jq -c '[.jobs[].iojob.doubts[] | [.id, .accepted]]' out.json
		[ "$code" = "$want" ]
	}
	check "--strict exits with 4" strict 4
	check "and with 0 where all are accepted" strict 0 \
		--accept=C3,G2,L1,l2 --accept L3,L4 --accept=O2,G1,M4,M5,T2
	accepted() {
		jq -e '.jobs[0].iojob.doubts[] | select(.id == "C3") | .accepted' out.json
	}
	check "which stay in the result" accepted
fi
refuse 2 '^iojob: --accept: `X3` is no doubt; there are C1 C2 .* A1 .* O2 ' --accept=C1,X3 reads.ini
refuse 2 '^iojob: --accept: `F2` is no doubt;' --accept=F2 reads.ini
refuse 2 '^iojob: --accept needs a value' --accept= reads.ini
refuse 2 '^iojob: --strict=1: --strict takes no value' --strict=1 reads.ini
refuse 2 '^iojob: doubts: there is no `Z1`' doubts Z1
listed() {
	"$IOJOB" doubts >out.txt && cat out.txt && ! grep -q '.\{81\}' out.txt &&
		grep -q '^  C3  ' out.txt && "$IOJOB" doubts c3 >out.txt && cat out.txt &&
		grep -q '^C3: ' out.txt && grep -q '^  What helps: ' out.txt
}
check "iojob doubts tells of them" listed

cat >holes.ini <<'END'
[global]
filename = holes
size = 8m
bs = 64k
time_based
runtime = 600ms
rw = randread
[buffered]
[direct]
stonewall
direct = 1
END
truncate -s 8m holes
expect "a file of holes" 0 'own("buffered") == ["C1"] and own("direct") == ["C1"] and
	(doubt("direct"; "C1").evidence | test("^8 MiB of the 8 MiB "))' holes.ini
if rm holes && fallocate -l 8m holes 2>/dev/null; then
	expect "a file that was allocated and never written" 0 'own("direct") == ["C1"]' holes.ini
	dd if=/dev/urandom of=holes bs=1M count=8 conv=notrunc 2>/dev/null
	expect "not once it is written, though still in memory" 0 \
		'own("buffered") + own("direct") | index("C1") == null' holes.ini
else
	skip "unwritten extents" "no fallocate here"
fi
rm holes
truncate -s 8m holes
dd if=/dev/urandom of=holes bs=1M count=8 seek=8 conv=notrunc,fsync 2>/dev/null
expect "holes beside the region do not matter" 0 'own("direct") == []' --section=direct \
	--set offset=8m holes.ini

fresh
cat >writes.ini <<'END'
[writes]
size = 16m
bs = 64k
rw = write
time_based
runtime = 600ms
END
if counted "writes that stay in memory"; then
	expect "writes that stay in memory" 0 'doubt("writes"; "C2").evidence
		| test("were written to files, .* to the device$")' writes.ini
	expect "also where an fsync at the end brings the last of them out" 0 \
		'own("writes") | index("C2") != null' --set end_fsync=1 writes.ini
	for how in direct sync fsync; do
		expect "not with $how=1" 0 'own("writes") == []' --set $how=1 writes.ini
	done
fi
expect "data left dirty in a file written once" 0 'own("writes") | index("C2") != null' \
	--set size=8m --set time_based=0 --set runtime=0 --set rw=randwrite writes.ini
expect "or synced before it was all there" 0 'own("writes") | index("C2") != null' \
	--set size=8m --set time_based=0 --set runtime=0 --set fsync=100 writes.ini
expect "in memory there is no device that they could reach" 0 \
	'own("writes") - ["O2", "G1"] == [] and fact("writes"; "C7").fact' \
	--directory=/dev/shm --set unlink=1 writes.ini
expect "the engine null has no files to be doubted" 0 'own("writes") - ["O2"] == []' \
	--set ioengine=null writes.ini

# ---- devices ------------------------------------------------------------------------------------

fresh
printf '[j]\nrw=randread\nbs=4k\nsize=4m\ndirect=1\ntime_based\nruntime=600ms\n' >direct.ini
if loop_make 8m; then
	expect "a sparse file under a loop device is a hole" 0 'own("j") | index("C1") != null' \
		--set filename="$LOOP" direct.ini
	dd if=/dev/urandom of="$LOOP" bs=1M count=8 conv=fsync 2>/dev/null
	expect "a loop device that caches" 0 'own("j") | index("C5") != null' \
		--set filename="$LOOP" direct.ini
	expect "also below buffered reads" 0 'own("j") | index("C5") != null' \
		--set filename="$LOOP" --set direct=0 direct.ini
	expect "but not where they are to be cached" 0 'own("j") | index("C5") == null' \
		--set filename="$LOOP" --set direct=0 --set pre_read=1 direct.ini
	if command -v addpart >/dev/null && addpart "$LOOP" 1 63 4096 2>"$LIB/why"; then
		expect "a partition that is not aligned" 0 'doubt("j"; "A1").evidence
			| test("p1 begins at byte 32256")' --set filename="${LOOP}p1" \
			--set size=1m --set bs=512 direct.ini
		delpart "$LOOP" 1
	else
		skip "a partition that is not aligned" "no addpart, or $(tail -n 1 "$LIB/why")"
	fi
else
	skip "loop devices" "$WHY"
fi
if mount_make ext4 64m; then
	printf '[j]\nrw=write\nbs=4k\nsize=16m\nfallocate=none\ntime_based\nruntime=1\n' >ext.ini
	for how in sync=1 sync=dsync fsync=1; do
		expect "what the journal writes with $how is the run's own" 0 \
			'ids("j") | index("L2") == null' --directory="$MNT" --set $how ext.ini
	done
else
	skip "a journal's writes" "$WHY"
fi
disk=$(lsblk -no NAME,PHY-SEC "$(df --output=source . | tail -n 1)" 2>/dev/null | head -n 1 |
	awk '{ print $2 }')
if [ "${disk:-0}" = 4096 ]; then
	expect "blocks smaller than the device's" 0 'doubt("j"; "A2").evidence
		| test("blocks or offsets of 512 bytes on .* is 4096")' --set bs=512 direct.ini
	expect "offsets that are none of its" 0 '(own("j") | index("A2") != null)' \
		--set offset=512 direct.ini
	expect "steps that are none of its" 0 'doubt("j"; "A2").evidence
		| test("offsets of 512 bytes on ")' --set rw=read:512 direct.ini
	expect "whole blocks are fine" 0 'own("j") == []' direct.ini
else
	skip "blocks smaller than the device's" "the disk here has physical blocks of ${disk:-?}"
fi
if [ "$(id -u)" = 0 ] && command -v mkfs.btrfs >/dev/null && mount_make btrfs 128m compress; then
	printf '[j]\nrw=write\nsize=16m\nbs=64k\nend_fsync=1\n' >zeros.ini
	expect "zeros on a filesystem that compresses" 0 'own("j") | index("C6") != null' \
		--directory="$MNT" --set zero_buffers zeros.ini
	expect "random bytes do not compress" 0 'own("j") - ["T1"] == []' --directory="$MNT" \
		zeros.ini
else
	skip "a filesystem that compresses" "${WHY:-needs root and mkfs.btrfs}"
fi

# ---- time ---------------------------------------------------------------------------------------

printf '[j]\nrw=read\nbs=4k\nsize=4m\nioengine=null\n' >short.ini
expect "too short, and enough of them" 0 'own("j") - ["O2"] == ["T1"] and
	(doubt("j"; "T1").evidence | test("^it was measured for "))' short.ini
expect "too few for p99" 0 'doubt("j"; "T2").evidence == "256 reads are too few for p99"' \
	--set size=1m short.ini
expect "too few for what the job asks for" 0 \
	'doubt("j"; "T2").evidence == "1024 reads are too few for p99.9"' \
	--set percentile_list=50:99.9 short.ini
expect "enough for what it asks for" 0 'ids("j") | index("T2") == null' --set size=1m \
	--set percentile_list=50 short.ini

# ---- the generator ------------------------------------------------------------------------------

fresh
cat >paced.ini <<'END'
[j]
rw = randread
bs = 4k
size = 4m
rate_iops = 100
runtime = 700ms
time_based
END
expect "a schedule that cannot be kept" 0 'doubt("j"; "G3").evidence | test("never started$")' \
	--set rate_iops=50m paced.ini
expect "one that can" 0 'own("j") | index("G3") == null' paced.ini
printf '[j]\nioengine=null\niodepth=16\nsize=64k\ntime_based\nruntime=500ms\nnumjobs=4\n' >four.ini
expect "workers that are reported one by one are judged one by one" 0 '(.jobs | length == 4)
	and all(.jobs[]; .iojob.doubts | map(.id) | index("G5") == null and index("O2") != null)' \
	four.ini
if "$IOJOB" engines libaio 2>/dev/null | grep -q '^ *here *yes'; then
	cat >async.ini <<-'END'
		[j]
		rw = randwrite
		bs = 64k
		size = 16m
		ioengine = libaio
		iodepth = 16
		runtime = 700ms
		time_based
	END
	expect "an asynchronous engine that was synchronous" 0 'doubt("j"; "G4").evidence
		| test("^workers spent [0-9]+ % of the time within submit")' async.ini
	expect "nothing is in flight while an fsync at the end waits" 0 \
		'own("j") | index("G5") == null' --set time_based=0 --set runtime=0 \
		--set size=64m --set end_fsync=1 async.ini
	expect "which it is not with direct=1" 0 'own("j") | index("G4") == null' \
		--set direct=1 async.ini
fi

if "$IOJOB" engines io_uring 2>/dev/null | grep -q '^ *here *yes'; then
	printf '[j]\nrw=randread\nbs=16k\nsize=8m\nioengine=io_uring\niodepth=4\n' >uring.ini
	expect "io_uring on tmpfs is the work of kernel threads" 0 'doubt("j"; "G4").evidence
		| test("^kernel threads .* took [0-9]+ % of the CPU time$")' --set unlink=1 \
		--set time_based --set runtime=1500ms --directory=/dev/shm uring.ini
	expect "on a disk it is not" 0 'own("j") | index("G4") == null' --set direct=1 \
		--set time_based --set runtime=1500ms uring.ini
fi

# ---- others, and limits -------------------------------------------------------------------------

# Something that burns CPU or disk beside the run, ended by its process id.
beside() { # COMMAND...
	"$@" &
	beside=$!
}
burn() {
	exec sh -c 'while :; do :; done'
}
cpus=$(getconf _NPROCESSORS_ONLN)
if [ "$cpus" -le 9 ]; then
	beside burn
	expect "a neighbour that burns a CPU" 0 '(doubt("j"; "L1").evidence
		| test("^other programs used [0-9]+ % of all CPU time"))' paced.ini
	kill "$beside"
	wait "$beside" 2>/dev/null
else
	skip "a neighbour that burns a CPU" "one of $cpus is nothing"
fi
cat >light.ini <<'END'
[j]
rw = randread
bs = 4k
size = 4m
direct = 1
rate_iops = 200
runtime = 1
time_based
END
if counted "a neighbour that writes"; then
	beside sh -c 'while :; do
		dd if=/dev/zero of=other bs=1M count=4 conv=fsync 2>/dev/null
	done'
	expect "a neighbour that writes" 0 'doubt("j"; "L2").evidence
		| test(" and wrote [0-9.]+ MiB more than the jobs caused$")' light.ini
	kill "$beside"
	wait "$beside" 2>/dev/null
fi

# A cgroup of version 1 below the top, and running something in it with a limit.
lib_group() { # CONTROLLER
	echo "/sys/fs/cgroup/$1/iojob-test-$$"
}
can_limit() { # CONTROLLER FILE
	[ "$(id -u)" = 0 ] && mkdir "$(lib_group "$1")" 2>/dev/null || return
	lib_code=0
	[ -w "$(lib_group "$1")/$2" ] || lib_code=1
	rmdir "$(lib_group "$1")"
	return "$lib_code"
}
limited() { # CONTROLLER FILE VALUE COMMAND...
	lib_dir=$(lib_group "$1")
	lib_file=$2
	lib_value=$3
	shift 3
	mkdir "$lib_dir" || return
	lib_code=0
	(
		echo "$lib_value" >"$lib_dir/$lib_file" &&
			sh -c 'echo $PPID' >"$lib_dir/cgroup.procs" && "$@"
	) || lib_code=1
	rmdir "$lib_dir"
	return "$lib_code"
}
if can_limit cpu cpu.cfs_quota_us; then
	printf '[j]\nrw=read\nsize=1g\nioengine=null\ntime_based\nruntime=600ms\n' >cpu.ini
	check "a control group that limits the CPU" limited cpu cpu.cfs_quota_us 20000 runs 0 \
		'doubt("j"; "M1").evidence | test("^it was stopped for .*, all CPUs ")' cpu.ini
	expect "without one there is no such doubt" 0 'own("j") | index("M1") == null' cpu.ini
else
	skip "a control group that limits the CPU" "no cpu controller of version 1 to write to"
fi
if can_limit memory memory.limit_in_bytes; then
	printf '[j]\nrw=write\nsize=100m\nbs=64k\nend_fsync=1\nunlink=1\n' >memory.ini
	check "a control group that limits the memory" limited memory memory.limit_in_bytes 32m \
		runs 0 'doubt("j"; "M3").evidence | test("^the limit was met [0-9]+ times$")' \
		memory.ini
	check "which direct I/O does not need" limited memory memory.limit_in_bytes 32m \
		runs 0 'own("j") | index("M3") == null' --set direct=1 memory.ini
else
	skip "a control group that limits the memory" "no memory controller of version 1"
fi
number=$(lsblk -no MAJ:MIN,TYPE "$(df --output=source . | tail -n 1)" 2>/dev/null |
	awk '$2 == "disk" { print $1 }')
if [ "$number" ] && can_limit blkio blkio.throttle.read_bps_device; then
	printf '[j]\nrw=randread\nbs=4k\nsize=8m\ndirect=1\ntime_based\nruntime=2\n' >io.ini
	check "a control group that limits the I/O" limited blkio blkio.throttle.read_bps_device \
		"$number 2097152" runs 0 'doubt("j"; "M2").evidence
		| test("% of the limit [a-z0-9]+ rbps 2097152 was reached")' io.ini
	check "one that is far away is none" limited blkio blkio.throttle.read_bps_device \
		"$number 1099511627776" runs 0 'own("j") | index("M2") == null' io.ini
else
	skip "a control group that limits the I/O" "no blkio controller, or no whole disk here"
fi
finish
