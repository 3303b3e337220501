#!/bin/sh
# SPDX-License-Identifier: MIT
# Repeats of a plan: the same work each time, all of them kept, the median one shown.
# shellcheck disable=SC2016 # the variables are of filters
. "$(dirname "$0")/lib.sh"
needs jq

cat >two.ini <<'END'
[global]
size=1m
repeat=3
[reader]
rw=randread
[writer]
stonewall
rw=randwrite
overwrite=1
END

# ---- what is kept, what is shown ----------------------------------------------------------------

expect "repeat= in [global]" 0 '(.iojob.repeats | length) == 3 and .iojob.chosen_by == "bw"' \
	--directory="$LIB" two.ini
check "every repeat has all jobs, in the order of the plan" is '
	.iojob.repeats | all([.jobs[].jobname] == ["reader", "writer"] and
		.jobs[0].read.io_bytes == 1048576 and .jobs[1].write.total_ios == 256 and
		.started_ms <= .jobs[0].iojob.start_ms and
		.jobs[1].iojob.start_ms <= .ended_ms)'
check "one after the other" is '[.iojob.repeats[] | .started_ms, .ended_ms] | . == sort'
check "what is shown of a job is its median repeat, whole" is '
	.iojob.repeats as $all | [range(2) | . as $j | ($all | map(.jobs[$j])) as $these |
		($these | sort_by(.read.bw_bytes + .write.bw_bytes) | .[1]) as $median |
		($median.read.bw_bytes + $median.write.bw_bytes)] as $bw |
	[.jobs[] | .read.bw_bytes + .write.bw_bytes] == $bw and
	([.jobs[] | . as $job | $all[.iojob.repeat - 1].jobs[] |
		select(.jobname == $job.jobname) | . == $job] | all)'
cp "$LIB/json" kept.json
check "disks are counted over all of them" is '.disk_util | type == "array"'

shown() {
	"$IOJOB" show --output=text:text --output=csv:csv --output=json:again kept.json &&
		cmp kept.json again && grep -q '^3 repeats: ' text &&
		[ "$(sed ':a; N; $!ba; s/\n    */ /g' text |
			grep -c '^  repeats *this is [123] of 3; bw .* \.\. .*, ')" = 2 ] &&
		[ "$(wc -l <csv)" = 7 ] && [ "$(grep -c ',1$' csv)" = 2 ]
}
check "text, CSV and show know them" shown
# A doubt of the first job in the repeats that are not shown, and one of the second in all.
doubts='(.jobs[0].iojob.repeat - 1) as $shown | { id: "L1", evidence: "busy" } as $doubt |
	del(.. | .doubts?) | reduce range(3) as $i (.; .iojob.repeats[$i].jobs |= (
		.[1].iojob.doubts = [$doubt] |
		if $i == $shown then . else .[0].iojob.doubts = [$doubt] end))'
doubted() {
	jq "$doubts" kept.json | "$IOJOB" show - | grep -o '^  note.* busy' >notes
	printf '  note L1 in 2 of 3 repeats: busy\n  note L1: busy\n' | diff - notes
}
check "doubts of all repeats are told" doubted

expect "--repeat counts more than the file" 0 '(.iojob.repeats | length) == 2' --repeat=2 \
	--directory="$LIB" two.ini
expect "one repeat is none" 0 '(.iojob | has("repeats") | not) and .jobs[0].iojob.repeat == 0' \
	--repeat=1 --directory="$LIB" two.ini
expect "--metric says by what the median is chosen" 0 '.iojob.chosen_by == "p99"' \
	--metric=p99,bw --directory="$LIB" two.ini

says() { # PATTERN ARGUMENT...
	pattern=$1
	shift
	"$IOJOB" "$@" >said && grep -Eq "$pattern" said
}
check "the plan says it" says '^all of it 3 times$' --parse-only two.ini
check "and with a rule" says '^6 to 9 repeats, until the 95 % interval of the median p99 is at' \
	--parse-only --until=5%,p99 --max-repeat=9 two.ini

# ---- the same work ------------------------------------------------------------------------------

cat >work.ini <<'END'
[global]
size=256k
[reader]
rw=randread
[leaver]
stonewall
filename=left
rw=randwrite
unlink=1
END
traced() { # SYSCALLS
	rm -f "$LIB"/reader.* "$LIB"/left
	strace -qq -f -e trace="$1" -o trace "$IOJOB" --directory="$LIB" --repeat=3 \
		--output=/dev/null work.ini
}
same_offsets() { # SYSCALL
	traced "$1" && grep -o ', 4096, [0-9]*)' trace >offsets && [ "$(wc -l <offsets)" = 192 ] &&
		split -l 64 offsets part. && cmp part.aa part.ab && cmp part.ab part.ac &&
		! sort -n -k 3 part.aa | cmp -s - part.aa
}
layout_once() {
	traced pwrite64,unlink,unlinkat &&
		[ "$(grep -c '256\*1024\|, 262144, ' trace)" = 1 ]
}
unlinked_once() {
	[ "$(grep -c 'unlink.*left' trace)" = 1 ] && [ ! -e "$LIB/left" ]
}
if command -v strace >/dev/null && [ -z "$IOJOB_SANITIZE" ]; then
	check "the same offsets in the same order" same_offsets pread64
	check "writes, too" same_offsets pwrite64
	check "files are laid out once" layout_once
	check "unlink=1 waits for the last repeat" unlinked_once
else
	skip "the same work" "no strace, or a sanitizer"
fi

cat >new.ini <<'END'
[w]
rw=write
size=64k
END
rm -f "$LIB"/w.*
expect "new files are noted" 0 '.iojob.notes | any(test("w.0.0 had to be made in the first"))' \
	--directory="$LIB" --repeat=2 new.ini
expect "old ones are not" 0 '.iojob.notes | all(test("had to be made") | not)' \
	--directory="$LIB" --repeat=2 new.ini

# ---- turns --------------------------------------------------------------------------------------

for file in A B C; do
	printf '[%s]\nioengine=null\nsize=1m\nruntime=30ms\ntime_based\n' $file >$file.ini
done
order='[.iojob.repeats[].jobs[]] | sort_by(.iojob.start_ms) | map(.jobname) | add'
expect "job files in their order" 0 "($order) == \"ABABAB\"" --repeat=3 A.ini B.ini
expect "--interleave" 0 "($order) == \"ABBABAAB\" and
	(.iojob.repeats | all([.jobs[].jobname] == [\"A\", \"B\"]))" \
	--repeat=4 --interleave A.ini B.ini
check "the plan says so" says '^the job files in turns' --parse-only --interleave A.ini B.ini
expect "--interleave of three" 0 "($order) == \"ABCBCACAB\"" --repeat=3 --interleave A.ini B.ini \
	C.ini

# The same jobs out of two files are not taken for workers of one.
printf '[j]\nioengine=null\nsize=1m\nvary=bs: 4k 8k\n' >left.ini
cp left.ini right.ini
apart() {
	"$IOJOB" --directory="$LIB" --output=json:twins.json --output=text:twins.txt \
		left.ini right.ini &&
		grep -q '^j, 4k of left.ini: read 4 KiB, null' twins.txt &&
		grep -q '^j, 8k of right.ini: read 8 KiB, null' twins.txt &&
		grep -Eq '^j  left.ini  +[0-9,]+ +[0-9,]+$' twins.txt &&
		grep -Eq '^j  right.ini  +[0-9,]+ +[0-9,]+$' twins.txt &&
		! grep -q 'taken as one' twins.txt
}
check "jobs of one name in two files are told apart" apart
apart_csv() {
	[ "$("$IOJOB" show --output-format=table-csv twins.json | cut -d, -f1-4 | tr '\n' ' ')" = \
		'metric,unit,section,file bw,KiB/s,j,left.ini bw,KiB/s,j,right.ini ' ]
}
check "in CSV, too" apart_csv

# ---- until --------------------------------------------------------------------------------------

printf '[p]\nioengine=null\nsize=1m\nrate_iops=2000\nnumber_ios=100\n' >paced.ini
expect "--until ends as soon as it may" 0 '(.iojob.repeats | length) == 6 and
	.iojob.until.reached and .iojob.until.metric == "iops" and .iojob.until.percent == 90' \
	--until=90%,iops paced.ini
expect "--repeat is the least" 0 '(.iojob.repeats | length) == 8 and .iojob.until.reached' \
	--until=90 --repeat=8 paced.ini
expect "--max-repeat is the most, and the result says so" 0 '(.iojob.repeats | length) == 7 and
	(.iojob.until | .reached == false and .widest_percent > .percent)' \
	--until=1e-9%,lat_mean --max-repeat=7 paced.ini

# ---- trouble ------------------------------------------------------------------------------------

printf '[long]\nioengine=null\nsize=1m\nruntime=800ms\ntime_based\n' >long.ini
interrupted() {
	"$IOJOB" --repeat=50 --eta=always --output="json:$LIB/json" long.ini 2>progress &
	pid=$!
	for _ in $(seq 200); do
		! grep -q '\[3/50: 1/1\]' progress || break
		sleep 0.05
	done
	kill -INT "$pid"
	got=0
	wait "$pid" || got=$?
	[ "$got" = 130 ] && is '.iojob.interrupted and (.iojob.repeats | length == 2 and
		all(.jobs[0].iojob.end == "runtime")) and
		(.iojob.notes | any(test("repeat 3 was interrupted and is left out")))'
}
check "Ctrl-C in the third leaves two, and the progress line says which it is" interrupted

cat >fails.ini <<'END'
[bad]
filename=/dev/full
rw=write
size=64k
[good]
stonewall
ioengine=null
size=1m
END
expect "what fails is tried again, and the exit status tells" 1 '
	(.iojob.repeats | length) == 2 and all(.iojob.repeats[].jobs[]; .error ==
	(if .jobname == "bad" then 28 else 0 end)) and .jobs[0].iojob.repeat == 1' \
	--repeat=2 fails.ini

printf '[a]\nsize=1m\nrepeat=2\n' >own.ini
refuse 2 '^iojob: own.ini:3: repeat: is of the whole plan' own.ini
printf '[global]\nrepeat=2\nsize=1m\n[a]\n' >first.ini
printf '[global]\nsize=1m\nrepeat=4\n[b]\n' >second.ini
refuse 2 '^iojob: second.ini:3: repeat = 4: \[a\] is to be repeated 2 times' first.ini second.ini
refuse 2 '^iojob: --max-repeat=8: less than the 9 repeats' --until=2 --max-repeat=8 --repeat=9 \
	first.ini

printf '[c]\nsize=64k\nrw=read\ninvalidate=0\n' >caches.ini
dropped() {
	strace -qq -f -e trace=write -P /proc/sys/vm/drop_caches -o trace "$IOJOB" --repeat=2 \
		--drop-caches --directory="$LIB" --output=/dev/null caches.ini &&
		[ "$(grep -c 'write.*"3\\n", 2) *= 2' trace)" = 2 ]
}
if [ "$(id -u)" != 0 ]; then
	refuse 2 '--drop-caches: /proc/sys/vm/drop_caches: Permission denied' --drop-caches \
		caches.ini
elif [ ! -w /proc/sys/vm/drop_caches ]; then
	skip "--drop-caches" "/proc/sys/vm/drop_caches may not be written here"
elif command -v strace >/dev/null && [ -z "$IOJOB_SANITIZE" ]; then
	check "--drop-caches: before every repeat" dropped
else
	skip "--drop-caches" "no strace, or a sanitizer"
fi

finish
