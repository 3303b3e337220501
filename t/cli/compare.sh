#!/bin/sh
# SPDX-License-Identifier: MIT
# iojob compare, end to end: from result files to the table, its verdicts and the exit status.
# shellcheck disable=SC2016 # the variables are of filters
. "$(dirname "$0")/lib.sh"
needs jq awk

# ---- result files --------------------------------------------------------------------------------

# The figures of the comparison of 2009 that job files like iocontroller.ini repeat, KiB/s.
cat >figures <<'END'
2.6.31-rc1 syscall 47932 3566 45693 8501 50088 43473
2.6.31-rc1-Vivek-V6 syscall 47231 3411 42451 8714 51284 42341
2.6.31-rc1 mmap 49951 3245 21950 2771
2.6.31-rc1-Vivek-V6 mmap 49951 3154 22593 2648
2.6.31-rc1 libaio 49447 3296 57519 21093
2.6.31-rc1-Vivek-V6 libaio 50142 3238 57791 21283
END

# A result out of the rows of a kernel; $factor is of each cell's figure, $boot of the run.
lines='
["Normal read", "Random read", "Normal write", "Random write", "Direct read", "Direct write"]
as $modes |
[split("\n")[] | split(" ") | select(.[0] == $kernel) | .[1] as $name | .[2:] | to_entries[] |
	(.value | tonumber * 1024) as $bw | $modes[.key] as $mode |
	(if $mode | test("write") then "write" else "read" end) as $rw |
	{ jobname: $name, error: 0, read: {}, write: {}, trim: {} } +
	{ ($rw): { io_bytes: ($bw * 10 * ($factor | tonumber) | floor), total_ios: 20000,
		runtime: 10000 } } +
	{ mode: $mode, name: $name, dir: $rw }]'
ours="$lines | map(del(.mode, .name, .dir) + { iojob: { section: .name, engine: .name, rw: .dir,
		end: \"work\", workers: 1, iodepth: 1, seed: \"7\",
		axes: [{ name: \"mode\", label: .mode }] } }) |
	{ \"fio version\": \"fio-3.33\", jobs: ., iojob: { schema: 1, version: \"0.1.0\",
		environment: { boot_id: \$boot } } }"
fios="$lines | map(del(.mode, .name, .dir) + { jobname: \"\\(.name) \\(.mode)\",
		\"job options\": { rw: .dir, bs: \"32k\", size: \"500m\" } }) |
	{ \"fio version\": \"fio-3.33\", \"global options\": {}, jobs: . }"

make_result() { # FILTER KERNEL FACTOR BOOT
	jq -R -s --arg kernel "$2" --arg factor "$3" --arg boot "$4" "$1" figures
}

old=2.6.31-rc1
new=2.6.31-rc1-Vivek-V6
make_result "$ours" "$old" 1 x >"$old.json"
make_result "$ours" "$new" 1 y >"$new.json"

# Eight runs of a side that scatter by 2 %, not in order, each in a file.
eight() { # DIRECTORY FILTER KERNEL FACTOR BOOT
	mkdir -p "$1"
	for i in 3 -7 1 -4 9 -2 6 -9; do
		make_result "$2" "$3" "$(awk "BEGIN { print $4 * (1 + $i / 1000) }")" "$5" \
			>"$1/$i.json"
	done
}

# ---- the document --------------------------------------------------------------------------------

cat >expected <<'END'
bw, KiB/s, by mode
                       Normal  Random  Normal  Random  Direct  Direct
                         read    read   write   write    read   write
syscall
  2.6.31-rc1           47,932   3,566  45,693   8,501  50,088  43,473
  2.6.31-rc1-Vivek-V6  47,231   3,411  42,451   8,714  51,284  42,341
  Performance           -1.5%   -4.3%   -7.1%   +2.5%   +2.4%   -2.6%
mmap
  2.6.31-rc1           49,951   3,245  21,950   2,771
  2.6.31-rc1-Vivek-V6  49,951   3,154  22,593   2,648
  Performance            0.0%   -2.8%   +2.9%   -4.4%
libaio
  2.6.31-rc1           49,447   3,296  57,519  21,093
  2.6.31-rc1-Vivek-V6  50,142   3,238  57,791  21,283
  Performance           +1.4%   -1.8%   +0.5%   +0.9%
  geometric mean: -1.0%
  One run a side: the changes have no verdict. 6 runs could (--repeat=6).
END
document() {
	"$IOJOB" compare "$old.json" "$new.json" >text && sed -n '/^bw/,/^  One run/p' text |
		diff expected -
}
check "the table of 2009, with its percentages right" document

percentages='[-1.5, -4.3, -7.1, 2.5, 2.4, -2.6, 0, -2.8, 2.9, -4.4, 1.4, -1.8, 0.5, 0.9]'
document_fio() {
	make_result "$fios" "$old" 1 x >fio-old.json
	make_result "$fios" "$new" 1 y >fio-new.json
	"$IOJOB" compare --output-format=json fio-old.json fio-new.json >json &&
		jq -e --argjson right "$percentages" '
			[.cells[].metrics.bw[1] | .change_percent * 10 | round / 10] == $right and
			([.cells[].metrics.bw[1].verdict] | unique) == ["one run"]' json
}
check "the same out of fio's results" document_fio

narrow() {
	"$IOJOB" compare "$@" >text
	! grep -nE '.{81}' text
}
check "text has 80 columns" narrow "$old.json" "$new.json"
check "also without axes" narrow fio-old.json fio-new.json
for side in "$old" "$new"; do
	jq '.jobs[].jobname += " and a name that goes on until no line of a terminal holds it"' \
		"$side.json" >"long-$side.json"
done
check "also with long names" narrow "long-$old.json" "long-$new.json"

cp "$old.json" again.json
three_sides() {
	"$IOJOB" compare "$old.json" "$new.json" again.json >text &&
		[ "$(grep -c Performance text)" = 6 ] &&
		grep -q "geometric mean of $new: -1.0%" text &&
		grep -q 'geometric mean of again: 0.0%' text
}
check "three sides" three_sides
twice() {
	"$IOJOB" compare "$old.json" "./$old.json" | grep -Fq "  ./$old.json"
}
check "sides of one name are called by their paths" twice

# ---- several runs --------------------------------------------------------------------------------

eight a "$ours" "$old" 1 x
eight b "$ours" "$old" 1 x
eight c "$ours" "$old" 0.95 x
eight d "$ours" "$old" 0.95 y
verdicts() { # EXPECTED SIDE...
	verdict=$1
	shift
	"$IOJOB" compare --output-format=json "$@" >json && jq -e --arg v "$verdict" '
		[.cells[].metrics.bw[1].verdict] | length == 14 and unique == [$v]' json
}
check "eight equal runs" verdicts same 'a/*.json' 'b/*.json'
check "eight runs that are 5 % slower" verdicts real 'a/*.json' 'c/*.json'
check "the same in another boot" verdicts boots 'a/*.json' 'd/*.json'
check "only four runs of each" verdicts "too few" 'a/-*.json' 'b/-*.json'
words() {
	"$IOJOB" compare 'a/*.json' 'd/*.json' >text && grep -q ' a  *8 runs in one boot' text &&
		grep -q 'Performance .*-5.0%b  *-5.0%b' text &&
		grep -q '95% interval  *±1.0%' text &&
		grep -q '  b differs between these two boots' text &&
		grep -q '^  p  *<0.001' text || {
		cat text
		return 1
	}
}
check "the text says so" words
all_bases() {
	"$IOJOB" compare --base='a/*.json' --base='b/*.json' --output=json:json 'c/*.json' &&
		jq -e '.sides[0].runs == 16 and .sides[1].runs == 8 and
			.sides[0].label == "a" and .sides[1].label == "c"' json
}
check "several patterns of the base" all_bases
for i in 1 2; do
	jq ".timestamp_ms = 1700000000123 + $i" "$old.json" >"timed$i.json"
done
cp timed2.json timed3.json
cp timed2.json new.json
refuse 2 '^iojob: timed3.json: is the same result as one before it' compare "$new.json" \
	'timed*.json'
refuse 2 '^iojob: compare: 1 of the results of new is of timed1, too, and would count on both' \
	compare --base=timed1.json --base=timed2.json new.json
check "a result against itself" narrow timed1.json timed1.json
refuse 2 '^iojob: ./timed1.json: is the same result' compare --base=timed1.json \
	--base=./timed1.json timed2.json
markdown() {
	"$IOJOB" compare --output-format=md 'a/*.json' 'c/*.json' >md &&
		grep -q '^| Performance | -5.0%\\\* | ' md && grep -q '^| \*\*syscall\*\* | ' md
}
check "Markdown" markdown
csv() {
	"$IOJOB" compare --output-format=csv 'a/*.json' 'c/*.json' >csv && awk -F , '
		NR == 1 { n = NF }
		NF != n { print "columns:", $0; bad = 1 }
		/^bw,.*,real,/ { real++ }
		/geometric mean/ && $1 == "bw" && $18 < -4.9 && $18 > -5.1 { mean++ }
		END { exit bad || real != 14 || mean != 1 }' csv
}
check "CSV" csv

# ---- what differs --------------------------------------------------------------------------------

jq '.jobs[0].iojob.iodepth = 16 | .jobs[2].iojob.iodepth = 16 | .jobs[0].iojob.engine = "psync" |
	.iojob.environment["disk.vda.scheduler"] = "none"' "$old.json" >depth.json
jq '.iojob.environment["disk.vda.scheduler"] = "mq-deadline"' "$old.json" >disk.json
refuse 2 'different work \(1 difference' compare disk.json depth.json
work() {
	"$IOJOB" compare disk.json depth.json >out 2>err
	[ ! -s out ] && grep -q \
		'^iojob: iodepth: 1 in disk, 16 in depth (syscall, Normal read and 1 more)$' err
}
check "the differences are listed" work
forced() {
	"$IOJOB" compare --force disk.json depth.json >text &&
		grep -q '^different work, compared all the same' text &&
		grep -q 'iodepth  *1 -> 16 (2 jobs, first syscall, Normal read)' text &&
		grep -q 'engine  *syscall -> psync (syscall, Normal read)' text &&
		grep -q 'disk.vda.scheduler  *mq-deadline -> none' text || {
		cat text
		return 1
	}
}
check "--force compares all the same" forced
listed() {
	"$IOJOB" compare "$old.json" disk.json >text && ! grep -q 'different work' text
}
check "the environment is no work" listed
jq '.iojob.version = "0.0.9"' disk.json >older.json
versions() {
	"$IOJOB" compare disk.json older.json >text &&
		grep -q '^  version  *0.1.0 -> 0.0.9$' text
}
check "so is the version of iojob" versions

jq 'del(.jobs[5])' "$old.json" >fewer.json
unmatched() {
	"$IOJOB" compare "$old.json" fewer.json >text &&
		grep -q '  not in fewer: syscall, Direct write' text
}
check "jobs without a partner are listed" unmatched
jq '.jobs[0].error = 5 | .jobs[0].iojob.end = "error"' "$old.json" >failed.json
failed() {
	"$IOJOB" compare "$old.json" failed.json >text &&
		grep -q '  - syscall, Normal read: no figure in 1 of 1 run of failed' text &&
		grep -q '^  geometric mean: 0.0%, over 13 of 14 cells$' text
}
check "jobs that failed have no figure" failed

# ---- conditions ----------------------------------------------------------------------------------

exits() { # STATUS PATTERN ARGUMENT...
	status=$1
	pattern=$2
	shift 2
	got=0
	"$IOJOB" compare "$@" >out 2>err || got=$?
	[ "$got" = "$status" ] || {
		printf 'exit %d instead of %d\n' "$got" "$status"
		cat err
		return 1
	}
	[ -s out ] && if [ -n "$pattern" ]; then
		grep -q -e "$pattern" err
	else
		[ ! -s err ]
	fi
}
check "a change that must not be" exits 3 \
	'^iojob: --fail-if: mmap, Normal read: bw -5.0% in c (real), and must not be below -4.0%' \
	--fail-if='bw<-4%' 'a/*.json' 'c/*.json'
check "one that may be" exits 0 '' --fail-if='bw<-6%' 'a/*.json' 'c/*.json'
check "the other way" exits 3 'iops' --fail-if='bw>4%' --fail-if='iops < 1%' --any 'a/*.json' \
	'c/*.json'
check "in another boot" exits 3 'two boots' --fail-if='bw<-4%' 'a/*.json' 'd/*.json'
check "one run is not significant" exits 0 '' --fail-if='bw<-5%' "$old.json" "$new.json"
check "unless any change counts" exits 3 'Normal write: bw -7.1% .*(one run a side)' --any \
	--fail-if='bw<-5%' "$old.json" "$new.json"
check "a job that failed" exits 3 'failed has no bw' --fail-if='bw<-5%' "$old.json" failed.json

# ---- two job files in turns, one result ----------------------------------------------------------

printf '[global]\nioengine=null\nsize=1g\nnumber_ios=400\nrate_iops=%s\n[one]\n[two]\nstonewall\n' \
	40k >fast.ini
sed 's/40k/20k/' fast.ini >slow.ini
in_turns() {
	"$IOJOB" --repeat=4 --interleave --output=json:both.json fast.ini slow.ini &&
		"$IOJOB" compare --force --output=json:compared.json both.json &&
		jq -e '[.sides[].label] == ["fast", "slow"] and
			([.cells[].job] == ["one", "two"]) and
			all(.cells[].metrics.bw[1]; .runs == 4 and .change_percent < -30) and
			.sides[1].same_boot and (.sides[1].apart | not)' compared.json
}
check "a result of two job files: each is a side" in_turns
refuse 2 'rate_iops' compare both.json
twins() {
	"$IOJOB" --repeat=2 --output=json:before.json fast.ini slow.ini &&
		"$IOJOB" compare --output=json:compared.json before.json both.json &&
		jq -e '[.cells[].job] == ["one of fast.ini", "two of fast.ini",
			"one of slow.ini", "two of slow.ini"] and .unmatched == [] and
			.cells[0].metrics.iops[0].median > 1.3 * .cells[2].metrics.iops[0].median
			' compared.json
}
check "job files of several results: their jobs stay apart" twins

# ---- refusals ------------------------------------------------------------------------------------

mkdir none
echo '{' >broken.json
refuse 2 'no result files' compare
refuse 2 'nothing to compare 2.6.31-rc1.json with: it is of one job file' compare "$old.json"
refuse 2 'absent.json' compare absent.json
refuse 2 'no file matches .none/' compare "$old.json" 'none/*.json'
refuse 2 'absent.json' compare "$old.json" absent.json
refuse 2 'broken.json:' compare "$old.json" broken.json
refuse 2 'nothing to compare: no job' compare "$old.json" fio-new.json
refuse 2 '`table` is a format of results' compare --output-format=table "$old.json" "$new.json"
refuse 2 '`md` is a format of comparisons' --output-format=md job.ini
refuse 2 '--noise=x: must be a percentage' compare --noise=x "$old.json" "$new.json"
refuse 2 '--confidence=100: must be' compare --confidence=100 "$old.json" "$new.json"
refuse 2 '--correction: `fdr` is none of' compare --correction=fdr "$old.json" "$new.json"
refuse 2 '--fail-if: `bw`: write METRIC<CHANGE' compare --fail-if=bw "$old.json" "$new.json"
refuse 2 '--fail-if: no job of 2.6.31-rc1 that can be compared has transactions' compare --any \
	--fail-if='bw<-5%' --fail-if='transactions<-5%' "$old.json" "$new.json"
refuse 2 'no metric is called .speed' compare --fail-if='speed<1%' "$old.json" "$new.json"
refuse 2 '--metric: one is judged' compare --metric=bw,iops "$old.json" "$new.json"
refuse 2 '--any goes with --fail-if' compare --any "$old.json" "$new.json"
refuse 2 '--force goes with `iojob compare`' --force job.ini

# ---- real runs -----------------------------------------------------------------------------------

cat >job.ini <<'END'
[global]
size=1m
rw=randread
directory=.
[a]
[b]
stonewall
rw=write
END
real() {
	for i in 1 2 3 4 5; do
		"$IOJOB" --output="json:new$i.json" job.ini &&
			"$IOJOB" --output="json:old$i.json" job.ini || return 1
	done
	"$IOJOB" compare 'old?.json' 'new?.json' --output=json:json --output=text:- && jq -e '
		(.sides[0].runs == 5) and (.cells | length == 2) and
		([.differences[] | select(.work)] == []) and
		all(.cells[].metrics.lat_mean[]; .median > 0) and
		.cells[0].metrics.bw[1].p <= 1' json
}
check "results of iojob" real

# A job that does 10 % less a second, in turns with one that does not.
for rate in 600 540; do
	cat >"$rate.ini" <<-END
		[j]
		size=1m
		rw=randread
		rate_iops=$rate
		number_ios=240
		directory=.
	END
done
slower() {
	"$IOJOB" --repeat=6 --interleave --output=json:turns.json 600.ini 540.ini &&
		"$IOJOB" compare --force --output=json:json --output=text:- turns.json && jq -e '
			([.differences[] | select(.work) | .key] == ["rate_iops"]) and
			(.sides[1] | .same_boot and (.apart | not)) and
			(.cells[0].metrics.bw[1] | .verdict == "real" and .change_percent < -5 and
				.change_percent > -15)' json
}
check "a job that is 10 % slower" slower

# Two schedulers of one device: told, and no other work.
printf '[j]\nfilename=%s\nrw=randread\ndirect=1\nnumber_ios=100\n' '${LOOP}' >loop.ini
schedulers() {
	for i in 1 2; do
		for scheduler in none mq-deadline; do
			echo "$scheduler" >"/sys/block/${LOOP#/dev/}/queue/scheduler" &&
				"$IOJOB" --output="json:$scheduler-$i.json" loop.ini || return 1
		done
	done
	"$IOJOB" compare 'none-*.json' 'mq-deadline-*.json' >text || return 1
	cat text
	grep -q "disk.${LOOP#/dev/}.scheduler  *none -> mq-deadline" text &&
		! grep -q 'different work' text && grep -q 'Performance .*?' text
}
if ! loop_make 16M; then
	skip "two schedulers" "$WHY"
elif ! grep -q mq-deadline "/sys/block/${LOOP#/dev/}/queue/scheduler"; then
	skip "two schedulers" "the kernel has no mq-deadline"
else
	export LOOP
	check "two schedulers" schedulers
fi

if command -v fio >/dev/null; then
	for side in f g; do
		for i in 1 2; do
			fio --name=j --rw=randread --size=1m --filename=file --output-format=json \
				--output=$side$i.json >fio.log 2>&1
		done
	done
	real_fio() {
		"$IOJOB" compare 'f?.json' 'g?.json' --output-format=json >json && jq -e '
			.cells[0].job == "j" and .cells[0].metrics.bw[1].verdict == "too few" and
			.cells[0].metrics.p50[1].change_percent != null and .differences == []' json
	}
	check "results of fio" real_fio

	# Keys that fio and iojob tell in different ways.
	both() { # KEY=VALUE...
		printf '%s\n' '[j]' filename=both size=64k "$@" >both.ini
		fio --output-format=json --output=theirs.json both.ini >fio.log 2>&1 &&
			"$IOJOB" --output=json:ours.json both.ini &&
			"$IOJOB" compare theirs.json ours.json >text || return 1
		sed -n '/^not the same/,/^$/p' text
	}
	same_work() {
		both "$@" >differs && sed 1d differs | grep -v '^  version  ' | grep . && return 1
		[ -s differs ]
	}
	check "one job file in both programs" same_work rw=randrw rwmixread=80 norandommap \
		time_based runtime=100ms
	check "an order of offsets" same_work rw=readwrite:4k rwmixwrite=30
	check "zones and a seed" same_work rw=randread zonemode=strided zonesize=16k zoneskip=16k \
		randseed=5
	percentiles_of() {
		both rw=read ioengine=libaio iodepth=2 >differs
		grep -q '^  percentiles  *of clat -> of lat$' differs
	}
	check "percentiles of two latencies" percentiles_of
else
	skip "results of fio" "fio is missing"
fi

finish
