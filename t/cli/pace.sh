#!/bin/sh
# SPDX-License-Identifier: MIT
# Rates are schedules, and response times count from them; thinktime pauses. Times are bounded
# generously, and what another program on this machine may have disturbed is tried once more.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq

PID=
clean() {
	[ -z "$PID" ] || kill -KILL "$PID" 2>/dev/null
	lib_clean
}
trap clean EXIT

or_again() { # COMMAND...
	"$@" || {
		echo "once more:"
		"$@"
	}
}
# As expect, where noise can matter.
about() { # WHAT FILTER <JOB
	cat >job.ini
	check "$1" or_again runs 0 "$2" job.ini
}

about "rate and rate_iops: as many I/Os as are due, by every kind of worker" '
	def due(n): .total_ios as $done | ($done | within(n * 0.9; n + 1))
		and .iojob.response_ns.N == $done + .iojob.due and .iojob.due <= n * 0.1;
	(r("iops") | due(1000)) and (r("bytes") | due(100)) and (r("async") | due(500))
	and ([job("clones")] | length == 2 and all(.read | due(200))) and (r("threads") | due(400))
	and all(job("iops", "bytes", "async"); .iojob.end == "runtime")
	and all(.jobs[]; .read.iojob.response_ns.percentile | has("99.000000"))' <<'END'
[global]
ioengine = null
size = 1g
runtime = 1
[iops]
rate_iops = 1000
[bytes]
rate = 400k
[async]
iodepth = 8
rate_iops = 500
[clones]
numjobs = 2
rate_iops = 200
[threads]
numjobs = 2
thread
group_reporting
rate_iops = 200
END
about "each direction has a rate of its own, and one without has none" '
	(r("both").total_ios | within(180; 201)) and (w("both").total_ios | within(90; 101))
	and (r("writes").total_ios > 1000) and (w("writes").total_ios | within(45; 51))
	and r("writes").iojob.response_ns.N == 0
	and (w("writes").iojob.response_ns.N | within(45; 51))
	and (r("reads").total_ios | within(45; 51)) and w("reads").total_ios > 1000
	and (w("tuple").total_ios | within(90; 101)) and r("tuple").total_ios == 0
	and r("tuple").iojob.response_ns.N == 0' <<'END'
[global]
ioengine = null
rw = randrw
size = 1g
norandommap
time_based
runtime = 1
[both]
rate_iops = 200,100
[writes]
rate = ,200k
[reads]
rate_iops = 50,
[tuple]
rw = write
rate_iops = 10,100
END
about "the work ends a job that has a rate, when the schedule brings it" '
	job("paced") | .iojob.end == "work" and (.read | moved(409600; 100))
	and (.iojob.elapsed_ns | within(0.98e9; 1.5e9))' <<'END'
[paced]
ioengine = null
size = 400k
rate_iops = 100
END
about "thinktime: a pause after each I/O, or after several" '
	(r("each").total_ios | within(25; 51)) and (r("ten").total_ios | within(250; 510))
	and (r("deep").total_ios | within(100; 204))
	and (r("unit").total_ios | within(25; 51))' <<'END'
[global]
ioengine = null
size = 1g
runtime = 500ms
[each]
thinktime = 10ms
[ten]
thinktime = 10ms
thinktime_blocks = 10
[deep]
iodepth = 4
thinktime = 10ms
thinktime_blocks = 4
[unit]
thinktime = 10000
END

# 500 of 3000 I/Os come late by up to 500 ms, so 1 % of all waited for 470 ms or more.
stall() {
	cat >job.ini <<-END
		[global]
		ioengine = null
		size = 1g
		rate_iops = 1000
		runtime = 3
		[sync]
		[async]
		iodepth = 4
	END
	rm -f "$LIB/json"
	"$IOJOB" --output="json:$LIB/json" job.ini &
	PID=$!
	sleep 1
	workers=$(sed -n "s/^\([0-9]*\) (.*) [A-Z] $PID .*/\1/p" /proc/[0-9]*/stat 2>/dev/null)
	# shellcheck disable=SC2086 # numbers
	kill -STOP $workers && sleep 0.5 && kill -CONT $workers
	wait "$PID" || return 1
	PID=
	jq -c '.jobs[].read | [.total_ios, .clat_ns.percentile["99.000000"],
		.iojob.response_ns.percentile["99.000000"], .iojob.late, .iojob.due,
		.iojob.lag_max_ns]' "$LIB/json"
	is '[.jobs[].read] | length == 2 and all(.[]; (.total_ios | within(2950; 3001))
		and (.iojob.response_ns.percentile["99.000000"] | within(4e8; 5.2e8))
		and (.iojob.response_ns.percentile["50.000000"] < 1e7)
		and .clat_ns.percentile["99.000000"] < 1e6
		and .iojob.late >= 450 and (.iojob.lag_max_ns | within(4.5e8; 6e8))
		and .iojob.due <= 50)'
}
check "a stall of 500 ms: every I/O that it held up counts in the response time" or_again stall

if engine_make bad; then
	about "what was due and never started counts as late as it was at the end" '
		r("slow") | (.total_ios | within(20; 51)) and (.iojob.due | within(440; 485))
		and (.total_ios + .iojob.due | within(480; 505))
		and .iojob.response_ns.N == .total_ios + .iojob.due and .clat_ns.N == .total_ios
		and (.iojob.response_ns.max | within(4.3e8; 6e8))
		and (.iojob.response_ns.percentile["50.000000"] | within(1.8e8; 3.3e8))' <<-'END'
		[slow]
		ioengine = bad
		usec = 10000
		size = 1g
		rate_iops = 1000
		runtime = 500ms
	END
else
	skip "what was due and never started" "$WHY"
fi
texts() {
	printf '[slow]\nioengine=null\nsize=400k\nrate_iops=1000\n' >job.ini
	"$IOJOB" job.ini >out.txt && cat out.txt &&
			tr -s ' \n' ' ' <out.txt | grep -q \
		'response mean .*; [0-9,]* started late.* [0-9,]* due but never started'
}
check "the text tells of it" texts

finish
