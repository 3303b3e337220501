#!/bin/sh
# SPDX-License-Identifier: MIT
# The offsets of I/Os whose order is not plain: those of fio, system call by system call.
. "$(dirname "$0")/lib.sh"
needs jq

traced() { # COMMAND..., as "r OFFSET" and "w OFFSET" on lines
	strace -f -qq -e trace=pread64,pwrite64 -o trace.txt "$@" >out.txt 2>&1 || {
		cat out.txt
		return 1
	}
	grep -F ', 4096, ' trace.txt | grep -v 'ELF' |
		sed -n 's/^.*p\([rw]\)[a-z]*64([0-9]*, .*, 4096, \([0-9]*\)).*$/\1 \2/p'
}
cat >job.ini <<'END'
[a]
filename = file
bs = 4k
size = 64k
END
fio_too() { # KEY=VALUE...
	set_keys=
	fio_keys=
	for key; do
		set_keys="$set_keys --set $key"
		fio_keys="$fio_keys --$key"
	done
	# shellcheck disable=SC2086 # words
	traced "$IOJOB" --output=json:ours.json $set_keys job.ini >ours.txt || return 1
	# shellcheck disable=SC2086
	traced fio --name=a --filename=file --bs=4k --size=64k --ioengine=psync --thread=0 \
		--output=fio.txt $fio_keys >fio.offsets || return 1
	diff ours.txt fio.offsets && [ "$(wc -l <ours.txt)" = 16 ]
}
head -c 65536 /dev/zero >file
if [ -n "$IOJOB_SANITIZE" ]; then
	skip "the offsets of fio" "a sanitizer cannot be traced"
elif ! command -v fio >/dev/null || ! command -v strace >/dev/null; then
	skip "the offsets of fio" "fio or strace is missing"
elif ! traced true >/dev/null; then
	skip "the offsets of fio" "strace is not allowed here"
else
	for rw in read:4k read:-8k read:-12k read:-6k read:-4k write:12k write:-8k; do
		check "rw=$rw is fio's" fio_too rw=$rw
	done
	check "zonemode=strided is fio's" fio_too rw=read zonemode=strided zonesize=8k zoneskip=8k
	check "zonerange is fio's" fio_too rw=write zonemode=strided zonesize=16k zonerange=8k \
		zoneskip=8k
fi

expect "a modifier relative to bs, through a queue, past the page cache or not" 0 '
	all(.jobs[]; .error == 0 and (.iojob.skipped or .read.io_bytes + .write.io_bytes
		== 262144))' - <<'END'
[global]
size = 256k
iodepth = 8
optional
[steps]
vary = ioengine: psync mmap libaio io_uring null
vary = rw: read:-2bs write:16bs rw:1bs randread:8 randrw:4
vary = bs: 4k 8k
[direct]
ioengine = libaio
direct = 1
vary = rw: read:-2bs write:3bs
[identical]
rw = randread
rw_modifier = 4
rw_sequencer = identical
[zones]
rw = randrw
zonemode = strided
zonesize = 16k
zonerange = 32k
zoneskip = 32k
[many]
rw = write:1bs
nrfiles = 4
time_based = 0
numjobs = 2
group_reporting
size = 128k
END
expect "the loops of a job go round on the same way" 0 '
	r("a").total_ios == 48 and r("a").io_bytes == 196608' \
	--set rw=read:-2bs --set loops=3 job.ini

plan() {
	"$IOJOB" --parse-only "$@" - >plan.txt
	cat plan.txt
}
says() { # PATTERN ARGUMENT...
	pattern=$1
	shift
	plan "$@" <job.ini && grep -q "$pattern" plan.txt
}
reported() {
	"$IOJOB" --set rw=read:-2bs job.ini >out.txt
	cat out.txt
	grep -q '^a: read:-2bs 4 KiB, psync, depth 1; all done$' out.txt
}
check "the text names the order" reported
check "the plan names the order" says '^  a: write:-2bs 4k, psync$' --set rw=write:-2bs
check "and the zones" says '^  a: read 4k, psync, zones of 8 KiB in steps of 16 KiB$' \
	--set zonemode=strided --set zonesize=8k --set zoneskip=8k

finish
