#!/bin/sh
# SPDX-License-Identifier: MIT
# lat_thresholds: I/Os that took longer than each, by every kind of worker.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq

if ! engine_make bad || ! engine_make bad_async -DASYNC; then
	skip "lat_thresholds" "$WHY"
	finish
fi

# Every I/O sleeps for 2 ms at least.
expect "all, none, and no pace where there is no rate" 0 '
	def above: [.iojob.above[].ios];
	([.jobs[] | select(.jobname != "plain").read.iojob.above[].ns] | unique)
		== [1, 1999999, 3600000000000]
	and all(r("sync", "async", "batch", "threads", "paced"); .total_ios > 0
		and above == [.total_ios, .total_ios, 0]
		and ([.iojob.above[].percent] == [100, 100, 0]))
	and r("threads").total_ios == 24 and r("warm").total_ios > 0
	and (r("warm") | above == [.total_ios, .total_ios, 0])
	and all(r("sync", "async", "batch", "threads"); .iojob.response_ns.N == 0)
	and r("paced").iojob.response_ns.N == 8
	and (job("mixed") | .read.total_ios + .write.total_ios == 8
		and all(.read, .write; above == [.total_ios, .total_ios, 0]))' - <<'END'
[global]
ioengine = bad
usec = 2000
size = 32k
group_reporting
new_group
lat_thresholds = 1ns,1999999ns,1h
[sync]
[async]
ioengine = bad_async
iodepth = 4
[batch]
ioengine = bad_async
iodepth = 4
iodepth_batch = 4
iodepth_batch_complete_min = 2
iodepth_batch_complete_max = 4
[threads]
thread
numjobs = 3
[paced]
rate_iops = 100
[warm]
time_based
ramp_time = 30ms
runtime = 60ms
[mixed]
rw = randrw
fsync = 2
END
expect "none where none are asked for" 0 '.jobs[0].read.iojob.above == []' - <<'END'
[plain]
ioengine = null
size = 32k
END
between() { # of those in between some are longer and some are not, and each list descends
	runs 0 '.jobs[0] | [.read.iojob.above[].ios] as $n | ($n | sort | reverse) == $n
		and $n[0] == .read.total_ios and $n[7] == 0' --output=text:out.txt \
		--output=csv:out.csv - <<-'END' || return 1
			[j]
			size = 8m
			rw = randread
			unlink = 1
			lat_thresholds = 1ns,1us,2us,5us,10us,1ms,1s,1h
		END
	n=$(jq -r '[.jobs[0].read.iojob.above[].ios] | map(tostring) | join(";")' "$LIB/json")
	grep -q ",$n," out.csv && grep -q '^    above .*(100 %)' out.txt
}
check "thresholds in between, in text and CSV too" between

cat >two.ini <<'END'
[global]
ioengine = null
size = 32k
[a]
group_reporting
lat_thresholds = 1s
[b]
group_reporting
lat_thresholds = 2s
END
refuse 2 'two.ini:9: lat_thresholds: not those of \[a\], with which \[b\] is reported' two.ini
sed s/group_reporting/new_group/ two.ini >apart.ini
check "but each has its own where they are apart" "$IOJOB" --output-format=csv apart.ini
finish
