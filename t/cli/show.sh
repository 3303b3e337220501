#!/bin/sh
# SPDX-License-Identifier: MIT
# A result that was kept in JSON prints as it did when it was made; fio's prints as far as it goes.
# shellcheck disable=SC2016 # the variables are of filters
. "$(dirname "$0")/lib.sh"
needs jq

cat >job.ini <<'END'
[global]
size=1m
[mixed]
rw=randrw
iodepth=4
ioengine=io_uring
optional=1
end_fsync=1
lat_thresholds=1us,1s
[swept]
stonewall
rw=read
vary = bs: 4k 64k
[paced]
stonewall
rw=write
rate_iops=5000
number_ios=500
numjobs=2
group_reporting
END

ran=0
"$IOJOB" --directory="$LIB" --output=json:r.json --output=text:r.text --output=csv:r.csv \
	--output=table:r.table job.ini || ran=$?
check "a run with all sorts of jobs" [ $ran = 0 ]

same() { # FORMAT
	"$IOJOB" show --output-format="$1" r.json >again && cmp again "r.$1"
}
for format in text csv table json; do
	check "$format of the file is $format of the run" same $format
done

from_stdin() {
	"$IOJOB" show - <r.json | cmp - r.text
}
check "reads standard input" from_stdin

two() {
	"$IOJOB" show --output-format=csv r.json r.json >again && cat r.csv r.csv | cmp - again
}
check "shows several" two

if command -v fio >/dev/null; then
	fio --name=a --rw=randrw --size=1m --bs=4k --directory="$LIB" --output-format=json+ \
		--output=fio.json >fio.log 2>&1
	reads_fio() { # FILTER
		"$IOJOB" show --output=json:mine.json fio.json &&
			jq -e --slurpfile fio fio.json "$1" mine.json
	}
	check "fio: work" reads_fio '.jobs[0] as $mine | $fio[0].jobs[0] as $its |
		["io_bytes", "total_ios", "runtime"] | all($mine.read[.] == $its.read[.] and
		$mine.write[.] == $its.write[.])'
	check "fio: latencies" reads_fio '.jobs[0].read.clat_ns as $mine |
		$fio[0].jobs[0].read.clat_ns as $its | ["min", "max", "N"] |
		all($mine[.] == $its[.])'
	check "fio: percentiles out of its bins are its own, within a bucket" reads_fio '
		.jobs[0].read.clat_ns.percentile as $mine |
		$fio[0].jobs[0].read.clat_ns.percentile | to_entries |
		all((.value - $mine[.key] | fabs) <= .value / 50)'
else
	skip "results of fio" "fio is missing"
fi

head -c 3000 r.json >half.json
echo hello >text
refuse 2 'half.json:[0-9]+: broken JSON' show half.json
refuse 2 'text:1: is no result' show text
refuse 2 'job.ini:1: is no result' show job.ini
refuse 2 'none.json: No such file' show none.json
refuse 2 'no result file' show
refuse 2 '--output: one file for 2 results' show --output=x r.json r.json
refuse 2 '--directory goes with a run' show --directory=. r.json
refuse 2 '--man goes with' show --man r.json
refuse 2 '`wrong` is no format' show --output-format=wrong r.json

goes_on() {
	"$IOJOB" show half.json r.json >again 2>errors
	[ $? = 2 ] && cmp again r.text && grep -q half.json errors
}
check "a bad file does not hide the others" goes_on

# ---- what goes to standard output ----------------------------------------------------------------

full() { # IOJOB-ARGUMENT...
	"$IOJOB" "$@" 2>errors >/dev/full
	[ $? = 1 ] && grep -q 'standard output.*: No space left on device' errors &&
		[ "$(wc -l <errors)" = 1 ]
}
for command in --help --version engines options "options --man" doubts environment \
		"show r.json" "compare r.json r.json --force" "--parse-only job.ini"; do
	# shellcheck disable=SC2086 # words
	check "iojob $command tells that its output is lost" full $command
done

nowhere() {
	cp "$IOJOB" alone && ! IOJOB_ENGINE_PATH='' ./alone engines >out 2>errors &&
		[ ! -s out ] && grep -q 'no psync.so in /' errors
}
if [ -e "$(made_with libdir)/iojob" ]; then
	skip "tells where engines are sought when there is none" "iojob is installed here"
else
	check "tells where engines are sought when there is none" nowhere
fi

finish
