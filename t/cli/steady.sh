#!/bin/sh
# SPDX-License-Identifier: MIT
# The course of a job, second by second; the verdict on it; and steadystate, which ends a job.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq

or_again() { # COMMAND...
	"$@" || {
		echo "once more:"
		"$@"
	}
}
# As expect, where noise can matter.
about() { # WHAT FILTER ARGUMENT... <JOB
	cat >job.ini
	what=$1
	shift
	check "$what" or_again runs 0 "$@" job.ini
}

# Each I/O that was counted is in the course, too, and all samples but the last are whole.
whole='def whole(n): all(.read, .write; . as $d | .iojob.series
	| if $d.total_ios == 0 then . == null else .interval_ns == 1000000000
		and (.ios | add) == $d.total_ios and (.bytes | add) == $d.io_bytes
		and (.ios | length) == n and (.bytes | length) == n end);'

about "a sample each second, of everything and for every kind of worker" "$whole"'
	all(job("sync", "async", "clones", "threads", "two"); whole(4))
	and (r("sync").iojob.series.ios[0:3] | all(about(500; 10)))
	and (job("two") | .read.total_ios > 0 and .write.total_ios > 0)
	and (job("short") | whole(1) and .read.total_ios == 10)
	and (job("late") | whole(3))
	and all(.jobs[]; .steadystate == null and .iojob.steadystate == null)' <<'END'
[global]
ioengine = null
size = 1g
runtime = 3
rate_iops = 500
new_group
[sync]
[async]
iodepth = 8
[clones]
numjobs = 3
[threads]
thread
numjobs = 3
group_reporting
[two]
rw = rw
[short]
number_ios = 10
[late]
startdelay = 300ms
ramp_time = 700ms
runtime = 2
END

about "steadystate ends its job and no other; the data is that of fio" '
	(job("iops") | .iojob.end == "steady" and .error == 0
		and (.iojob.elapsed_ns | within(3.9e9; 6.5e9))
		and .steadystate.attained == 1 and .steadystate.ss == "iops:20.000000%"
		and .steadystate.duration == 3
		and (.iojob.steadystate.attained_samples | within(4; 6))
		and (.steadystate.data | (.iops | length) == 3 and (.bw | length) == 3
			and (.iops_mean | about(400; 10)) and (.bw_mean | about(1638400; 10)))
		and (.steadystate.criterion | endswith("%")))
	and (job("slope") | .iojob.end == "steady" and .steadystate.attained == 1)
	and (job("never") | .iojob.end == "runtime" and .steadystate.attained == 0
		and (.steadystate.data.iops | length) == 3
		and .iojob.steadystate.attained_samples == 0)
	and (job("long") | .iojob.end == "runtime" and .steadystate.attained == 0
		and (.steadystate.data.iops | length) == 7)
	and (job("other") | .iojob.end == "runtime" and .steadystate == null)
	and all(job("never", "other"); .iojob.elapsed_ns | within(6.9e9; 9e9))' \
	--output=text:out.txt --output=csv:out.csv <<'END'
[global]
ioengine = null
size = 1g
time_based
runtime = 7
rate_iops = 200
new_group
[iops]
numjobs = 2
group_reporting
ss = iops:20%
ss_dur = 3
ss_ramp = 1
[slope]
steadystate = bw_slope:10%
steadystate_duration = 2
[never]
steadystate = iops_slope:0.0000001%
steadystate_duration = 3
rate_iops = 0
[long]
steadystate_duration = 30s
[other]
END
attained() { # JOB
	awk -F , -v job="$1" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		$column["job"] == job { print $column["steadystate_attained"] }' out.csv
}
says() {
	tr -s ' \n' ' ' <out.txt >line.txt
	cat line.txt
	grep -q 'iops: .* ended steady .* steady iops:20% over 3 s, after [456] s, at' line.txt &&
		grep -q ', after [456] s, at [34][0-9.]* IOPS ' line.txt &&
		grep -q 'steady iops_slope:1e-07% over 3 s, NOT attained [^:]' line.txt &&
		grep -q ' over 30 s, NOT attained: the job was over before that ' line.txt &&
		[ "$(attained iops)" = yes ] && [ "$(attained never)" = no ] &&
		[ "$(attained other)" = '' ]
}
check "as text and CSV say" says

# One worker goes on when the other has ended: half of the rate.
about "the verdict on the whole course, for every job that is long enough" '
	(job("even") | .iojob.steady.steady == true and .iojob.steady.range_percent < 20
		and .iojob.steady.movement_percent < 10)
	and (job("uneven") | .iojob.workers == 2 and .iojob.steady.steady == false
		and (.iojob.steady.range_percent | within(50; 90)))
	and job("brief").iojob.steady == null
	and (job("pair") | .iojob.end == "steady" and .steadystate.ss == "snia"
		and .steadystate.attained == 1 and (.steadystate.data.bw | length) == 5)' \
	--output=text:out.txt <<'END'
[global]
ioengine = null
size = 1g
time_based
rate_iops = 400
runtime = 6
new_group
[even]
[brief]
runtime = 4
[pair]
steadystate = snia
steadystate_duration = 5
[uneven]
group_reporting
[shorter]
new_group = 0
group_reporting
runtime = 3
END
doubted() {
	cat out.txt
	[ "$(grep -c '^  note T3: in five parts' out.txt)" = 1 ] &&
		sed -n '/^uneven/,/^$/p' out.txt | grep -q '^  note T3: in five parts'
}
check "which the text mentions where it is not steady" doubted

# What was done until an interruption is there all the same.
interrupted() {
	printf '[j]\nioengine=null\nsize=1g\ntime_based\nruntime=60\nrate_iops=100\n' >job.ini
	"$IOJOB" --output="json:$LIB/json" job.ini &
	pid=$!
	sleep 2.5
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" = 130 ] && is "$whole"'(.jobs[0].read.iojob.series.ios | length) as $n
		| ($n | within(2; 4)) and (.jobs[0] | whole($n))'
}
check "an interrupted job keeps its course" or_again interrupted

planned() {
	"$IOJOB" --parse-only job.ini >plan.txt || return 1
	cat plan.txt
	grep -q ' 7 s, whichever is first, earlier once iops:20% holds over 3 s, each$' plan.txt
}
cat >job.ini <<'END'
[j]
ioengine = null
size = 1g
runtime = 7
numjobs = 2
ss = iops:20%
ss_dur = 3
END
check "the plan says that it may end a job" planned

cat >two.ini <<'END'
[global]
ioengine = null
size = 32k
group_reporting
ss_dur = 5
[a]
ss = iops:5%
[b]
ss = iops:6%
END
refuse 2 'two.ini:9: steadystate: not that of \[a\], with which \[b\] is judged as one' two.ini

finish
