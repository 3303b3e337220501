#!/bin/sh
# SPDX-License-Identifier: MIT
# Engines that crash, hang and fail, disks that fill up, files that shrink, signals from everywhere:
# who is hit says so, the others go on, every output is whole, and nothing is left behind.
. "$(dirname "$0")/lib.sh"
needs jq

PID=
thaw=
clean() {
	[ -z "$PID" ] || kill -KILL "$PID" 2>/dev/null
	[ -z "$thaw" ] || fsfreeze -u "$thaw" 2>/dev/null
	lib_clean
}
trap clean EXIT

# The sanitizers would turn the signal into a report and an exit.
for tool in ASAN UBSAN TSAN; do
	eval "${tool}_OPTIONS=\${${tool}_OPTIONS:+\$${tool}_OPTIONS:}handle_segv=0"
	export "${tool}_OPTIONS"
done

# ---- tools --------------------------------------------------------------------------------------

children() { # PID
	sed -n "s/^\([0-9]*\) (.*) [A-Z] $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null
}
alive() { # PID...: one of them runs
	for pid; do
		case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in
		'' | [ZX]*) ;;
		*) return 0 ;;
		esac
	done
	return 1
}
now() { # milliseconds
	date +%s%3N
}
# Waits until the command succeeds, 10 s at most.
await() { # COMMAND...
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 200 ]; then
			printf 'waited in vain: %s\n' "$*"
			return 1
		fi
		sleep 0.05
	done
}
has_workers() { # PID N
	[ "$(children "$1" | wc -l)" = "$2" ]
}

# Runs the job file on standard input in the background as $PID.
begin() { # ARGUMENT...
	cat >job.ini
	rm -f "$LIB/json"
	"$IOJOB" --output="json:$LIB/json" --output=text:out.txt "$@" job.ini 2>err.txt &
	PID=$!
}
# Waits for it: it must exit with that code within so many milliseconds from $since.
ends() { # EXIT MILLISECONDS
	got=0
	wait "$PID" || got=$?
	PID=
	took=$(($(now) - since))
	cat err.txt
	printf 'exit %d after %d ms\n' "$got" "$took"
	[ "$got" = "$1" ] && [ "$took" -le "$2" ]
}
slow=1
[ -z "$IOJOB_SANITIZE" ] || slow=5

# ---- engines that go wrong ----------------------------------------------------------------------

if ! engine_make bad || ! engine_make bad_async -DASYNC || ! engine_make halves ||
		! engine_make halves_async -DASYNC; then
	skip "engines that go wrong" "$WHY"
	have_bad=
else
	have_bad=yes
fi

# A job of each fault beside two that are well: one a process, one a thread.
beside() { # WHAT EXIT FILTER FAULT ARGUMENT...
	title=$1
	want=$2
	filter=$3
	fault=$4
	shift 4
	expect "$title" "$want" "($filter)"' and (r("well") | moved(4194304; 1024))
		and job("well").error == 0 and (r("after") | moved(65536; 16))' "$@" - <<-END
		[global]
		grace = 1
		[faulty]
		ioengine = bad
		fault = $fault
		after = 10
		number_ios = 20
		[well]
		ioengine = bad
		usec = 100
		size = 4m
		[after]
		stonewall
		ioengine = null
		size = 64k
	END
}
if [ -n "$have_bad" ]; then
	fresh
	beside "a crash: the signal is named, and nobody else is hit" 1 '
		job("faulty") | .iojob.end == "died" and .error == 5 and .read.total_ios == 10
		and (.iojob.error_text | test("killed by signal 11 .Segmentation fault"))' crash
	beside "so is another signal" 1 '
		job("faulty").iojob.error_text | test("killed by signal 7 .Bus error")' \
		crash --set signal=7
	beside "an engine that exits" 1 '
		job("faulty") | .iojob.end == "died"
		and (.iojob.error_text | test("exited with status 3"))' \
		exit
	beside "a crash in its set-up" 1 'job("faulty") | .iojob.end == "died"
		and .read.total_ios == 0' crash_open
	beside "an error of an I/O ends its job, with what failed" 1 '
		job("faulty") | .iojob.end == "error" and .error == 5 and .read.total_ios == 10
		and .read.iojob.errors == 1 and .iojob.error_text
		== "read of 4096 bytes at offset 40960 of faulty.0.0: Input/output error"' fail
	beside "continue_on_error: all go on, and the job still counts as failed" 1 '
		job("faulty") | .iojob.end == "work" and .error == 5 and .read.total_ios == 10
		and .read.iojob.errors == 10 and .total_err == 10 and .first_error == 5' \
		fail --set continue_on_error=io
	beside "continue_on_error=write is not for reads" 1 '
		job("faulty") | .iojob.end == "error" and .read.iojob.errors == 1' \
		fail --set continue_on_error=write
	beside "an engine that cannot run here is skipped where it is optional" 0 '
		job("faulty").iojob.skipped | test("this machine has no such thing")' \
		refuse --set optional=1

	# Of a batch, and of one at a time.
	counts() { # FAULT CALL
		runs 1 'job("batch", "one") | .iojob.end == "error" and .error == 71
			and (.read.total_ios | . >= 10 and . < 14)
			and .iojob.error_text == "bad_async: '"$2"': Protocol error"' - <<-END
			[global]
			ioengine = bad_async
			iodepth = 4
			fault = $1
			after = 10
			size = 64k
			[batch]
			iodepth_batch_complete_max = 4
			[one]
			iodepth_batch = 1
		END
	}
	check "an engine that claims to have taken more than it was given" counts takes submit
	check "one that claims to bring more than it was asked for" counts brings reap

	hang() { # ARGUMENT...
		began=$(now)
		runs 1 '(job("sync", "async") | .iojob.end == "hung" and .error == 110
				and .read.total_ios == 10 and (.iojob.error_text
				| test("nothing completed for [12]\\.[0-9]* s; read of 4096 bytes "
				+ "at offset 40960 of (a?sync).0.0 in flight for [12]\\.[0-9]* s")))
			and (job("close") | .iojob.end == "hung" and .read.total_ios > 20
				and (.iojob.error_text | test("nothing came of it for [12]")))
			and r("well").total_ios > 10 and job("well").iojob.end == "runtime"
			and (r("after") | moved(65536; 16))' "$@" - <<-END || return 1
			[global]
			grace = 1
			runtime = 200ms
			time_based
			size = 64k
			ioengine = bad
			usec = 1000
			after = 10
			[sync]
			fault = hang
			[async]
			ioengine = bad_async
			iodepth = 4
			fault = hang
			[close]
			fault = hang_close
			[well]
			[after]
			stonewall
			ioengine = null
			time_based = 0
		END
		took=$(($(now) - began))
		echo "took $took ms"
		[ "$took" -ge 1200 ] && [ "$took" -le $((1200 + 3000 * slow)) ]
	}
	check "a hang: named with its request once grace is over, and nobody else is hit" hang
	check "in threads" hang --set thread
	hang_in_setup() {
		begin <<-END
			[global]
			grace = 500ms
			ioengine = bad
			size = 64k
			[faulty]
			fault = hang_open
			[well]
		END
		await has_workers "$PID" 2 && since=$(now) && sleep 0.2 && kill -INT "$PID" &&
				ends 130 $((4000 * slow)) && is 'job("faulty").read.total_ios == 0'
	}
	check "in its set-up, where Ctrl-C gets out of it" hang_in_setup

	fresh
	thread_crash() {
		runs 1 '[job("faulty"), job("hit")] | all(.iojob.end == "died" and .error == 5
			and (.iojob.error_text
			| test("process of the stage.s threads.*signal 11")))' \
			- <<-END && is 'job("well").error == 0 and (r("well") | moved(65536; 16))'
			[global]
			ioengine = bad
			[faulty]
			thread
			fault = crash
			after = 10
			[hit]
			thread
			usec = 10000
			[well]
			usec = 10000
			size = 64k
		END
	}
	check "a crash in a thread hits the threads, and not the processes" thread_crash

	# Short transfers: the same bytes as whole ones, in the same places.
	for engine in halves halves_async; do
		fresh
		expect "$engine: short transfers are carried on" 0 '
			all(.jobs[]; .error == 0 and .read.total_ios + .write.total_ios == 24
				and .read.io_bytes + .write.io_bytes == 98304
				and .read.short_ios + .write.short_ios == 24
				and .iojob.end == "work")' --set ioengine=$engine - <<-END
			[global]
			filename = file
			size = 98304
			buffer_pattern = "abcdefg"
			stonewall
			[write]
			rw = write
			[read]
			[random]
			rw = randread
			iodepth = 8
			[over]
			rw = randwrite
			iodepth = 8
		END
		same() {
			runs 0 true --set filename=whole --set size=98304 --set rw=write \
				--set 'buffer_pattern="abcdefg"' - <<-END && cmp file whole
				[job]
			END
		}
		check "$engine: and put every byte in its place" same
	done
fi

# ---- disks and files ----------------------------------------------------------------------------

fresh
file_limit() { # the shell's own blocks of 512 bytes
	(
		ulimit -f 2048
		runs 1 '(w("small") | moved(262144; 64)) and (job("big") | .error == 27
			and .iojob.end == "error" and .write.io_bytes == 1048576
			and (.iojob.error_text
			| test("write of 4096 bytes at offset 1048576 of .*big: File too")))' \
			--output=csv:out.csv - <<-END && [ -s out.csv ]
			[global]
			rw = write
			fallocate = none
			[big]
			filename = big
			size = 2m
			[small]
			filename = small
			size = 256k
		END
	)
}
check "a file larger than it may be" file_limit

full() { # TYPE
	mount_make "$1" 8m || return 0
	cat >job.ini <<-END
		[global]
		rw = write
		fallocate = none
		[full]
		directory = $MNT
		size = 2m
		end_fsync
		startdelay = 700ms
		[well]
		size = 2m
		[after]
		stonewall
		size = 64k
	END
	rm -f "$LIB/json"
	"$IOJOB" --output="json:$LIB/json" --output=text:out.txt --output=csv:out.csv job.ini &
	PID=$!
	await test -e "$MNT/full.0.0"
	dd if=/dev/zero of="$MNT/rest" bs=64k 2>/dev/null
	since=$(now)
	: >err.txt
	ends 1 $((20000 * slow)) && is 'job("full") | .error == 28 and .write.io_bytes < 2097152
		and (.iojob.error_text | test("write of .*No space left|fsync of"))' &&
		is 'w("well") | moved(2097152; 512)' && is 'w("after") | moved(65536; 16)' &&
		grep -q 'No space left' out.txt && [ "$(wc -l <out.csv)" = 4 ]
}
for type in tmpfs ext4; do
	fresh
	WHY=
	check "$type that fills up in the middle" full $type
	[ -z "$WHY" ] || skip "$type that fills up" "$WHY"
done

shrink() { # WORKERS ARGUMENT...
	workers=$1
	shift
	# Without them the workers of the layout would be counted.
	head -c 4194304 /dev/urandom | tee file >other
	since=$(now)
	{
		printf '[global]\nfilename=file\ntime_based\nruntime=20\n'
		for engine in $engines; do
			printf '[%s]\nioengine=%s\n' "$engine" "$engine"
		done
		printf '[well]\nfilename=other\nruntime=1500ms\n'
	} >"$LIB/shrink.ini"
	begin "$@" <"$LIB/shrink.ini"
	await has_workers "$PID" "$workers" && sleep 0.3 && truncate -s 0 file &&
			ends 1 $((8000 * slow)) &&
			is 'all(.jobs[] | select(.jobname != "well"); .iojob.end == "error"
			and (.iojob.error_text
			| test("^read of 4096 bytes at offset [0-9]* of file: ")))' &&
			is 'all(job("mmap"); .error == 5 or .error == 14)' &&
			is 'all(.jobs[] | select(.iojob.engine != "mmap" and .jobname != "well");
			.error == 61 and (.iojob.error_text | test("end of file$")))' &&
			is 'job("well").error == 0 and job("well").iojob.end == "runtime"'
}
fresh
engines=
for engine in psync mmap io_uring libaio; do
	[ -e "$IOJOB_BUILDDIR/engines/$engine.so" ] &&
			"$IOJOB" engines $engine | grep -q '^ *here *yes' &&
			engines="$engines $engine"
done
# shellcheck disable=SC2086 # words
set -- $engines
check "a file that shrinks under$engines: errors of those I/Os, and nobody dies" \
		shrink $(($# + 1))
check "in threads, too" shrink 1 --set thread

# The kernel itself does not come back: nothing is written to a frozen filesystem, and SIGKILL
# waits.
frozen() { # SIGNALS EXIT MILLISECONDS FILTER
	thaw=$MNT
	begin --set directory="$MNT" <<-END
		[frozen]
		rw = write
		size = 64k
		time_based
		runtime = 700ms
		grace = 1
	END
	await has_workers "$PID" 1 && sleep 0.3 && fsfreeze -f "$MNT"
	sleep 0.3
	since=$(now)
	for _ in $1; do
		kill -INT "$PID"
		sleep 0.2
	done
	ok=0
	ends "$2" "$3" && is "$4" || ok=1
	fsfreeze -u "$MNT"
	thaw=
	return "$ok"
}
fresh
if ! command -v fsfreeze >/dev/null; then
	skip "an I/O that even SIGKILL does not end" "fsfreeze is missing"
elif ! mount_make ext4 8m; then
	skip "an I/O that even SIGKILL does not end" "$WHY"
else
	check "an I/O that even SIGKILL does not end" frozen "" 1 $((6000 * slow)) '
		job("frozen") | .iojob.end == "hung" and .error == 110
		and (.iojob.error_text
		| test("write of 4096 bytes at offset .*frozen.0.0 in flight"))'
	check "nor hold up a second Ctrl-C" frozen "1 2" 130 $((3500 * slow)) '
		job("frozen").write.total_ios > 0'
fi

# ---- signals ------------------------------------------------------------------------------------

cat >"$LIB/long.ini" <<'END'
[global]
size = 1m
runtime = 60
time_based
unlink
[first]
rw = write
[second]
numjobs = 2
[never]
stonewall
rw = write
END
interrupted() { # SIGNAL EXIT
	begin --output=csv:out.csv <"$LIB/long.ini"
	await has_workers "$PID" 3 && sleep 0.4 || return 1
	since=$(now)
	kill "-$1" "$PID"
	ends "$2" $((2000 * slow)) && is '.iojob.interrupted and all(job("first", "second");
		.iojob.end == "interrupted" and .error == 0
		and .read.io_bytes + .write.io_bytes > 0
		and .read.iojob.runtime_ns + .write.iojob.runtime_ns > 1e8)' &&
		grep -q 'INTERRUPTED' out.txt && grep -q '^1,first,' out.csv &&
		[ "$(echo *.0.0 *.1.0)" = '*.0.0 *.1.0' ]
}
fresh
check "SIGINT ends it with a whole report, and unlink is done" interrupted INT 130
fresh
check "SIGTERM, too" interrupted TERM 143
fresh
in_layout() {
	begin --set unlink --output=csv:out.csv <<-END
		[reader]
		size = 3g
		runtime = 1
	END
	await test -s reader.0.0
	since=$(now)
	kill -INT "$PID"
	ends 130 $((4000 * slow)) && jq -e .iojob.interrupted "$LIB/json" && [ ! -e reader.0.0 ]
}
if [ "$(df -Pk . | awk 'NR == 2 { print int($4 / 1048576) }')" -ge 4 ]; then
	check "while files are laid out" in_layout
else
	skip "while files are laid out" "needs 4 GiB of disk"
fi
fresh
if [ -n "$have_bad" ]; then
	twice() { # ARGUMENT...
		begin "$@" <<-END
			[global]
			ioengine = bad
			runtime = 60
			[faulty]
			fault = hang
			after = 10
			[well]
			usec = 1000
		END
		await has_workers "$PID" "$workers" && sleep 0.3
		kill -INT "$PID" && sleep 0.2
		if ! alive "$PID"; then
			echo "the first signal was enough"
			return 1
		fi
		since=$(now)
		kill -INT "$PID"
		ends 130 $((1000 * slow)) &&
				is 'r("faulty").total_ios == 10 and r("well").total_ios > 10'
	}
	workers=2
	check "a second SIGINT ends it at once, even where an engine hangs" twice
	workers=1
	check "in threads, too" twice --set thread
	once_and_grace() {
		begin --set grace=1 <<-END
			[faulty]
			ioengine = bad
			runtime = 60
			fault = hang
			after = 10
		END
		await has_workers "$PID" 1 && sleep 0.3
		since=$(now)
		kill -TERM "$PID"
		ends 143 $((4000 * slow)) &&
				is 'job("faulty").iojob.end == "hung" and .iojob.interrupted'
	}
	check "after one, a hang is given its grace and then named" once_and_grace
fi

killed() {
	begin --set runtime=600ms --set never:runtime=100ms <"$LIB/long.ini"
	await has_workers "$PID" 3 && sleep 0.2 || return 1
	since=$(now)
	victim=$(children "$PID" | head -n 1)
	kill -KILL "$victim"
	ends 1 $((6000 * slow)) && is '
		[.jobs[] | select(.iojob.end == "died")] | length == 1 and (.[0].iojob.error_text
		| test("the worker was killed by signal 9 .Killed")) and .[0].error == 5' &&
		is '[.jobs[] | select(.error == 0)] | length == 3' && is 'w("never").total_ios > 0'
}
fresh
check "a worker that somebody kills" killed
orphans() {
	begin "$@" <"$LIB/long.ini"
	await has_workers "$PID" "$workers" || return 1
	left=$(children "$PID")
	kill -KILL "$PID"
	wait "$PID"
	PID=
	none_left() {
		# shellcheck disable=SC2086 # numbers
		! alive $left
	}
	await none_left
}
fresh
workers=3
check "when the main process is killed, no worker is left" orphans
fresh
workers=1
check "in threads, too" orphans --set thread

# ---- killed in its warm-up -----------------------------------------------------------------------

warming() {
	since=$(now)
	begin <<-END
		[warm]
		ioengine = null
		size = 64k
		time_based
		ramp_time = 20
		runtime = 1
	END
	await has_workers "$PID" 1 && sleep 0.3 && kill -KILL "$(children "$PID")" || return 1
	ends 1 $((3000 * slow)) && jq -e '.jobs[0] | .iojob.end == "died"
		and .read.total_ios == 0 and .read.io_bytes == 0' "$LIB/json" >/dev/null
}
fresh
check "a worker killed in its warm-up has measured nothing" warming

# ---- a clock that jumps -------------------------------------------------------------------------

# What the machine's sleep, or a virtual machine's move, does to the TSC.
jump() {
	since=$(now)
	LD_PRELOAD=$LIB/jump.so JUMP_FILE=$T/jump begin "$@" <<-END
		[global]
		ioengine = null
		iodepth = 4
		size = 64k
		time_based
		[sync]
		iodepth = 1
		runtime = 60
		[async]
		runtime = 60
		[rate]
		rate_iops = 100
		startdelay = 30
		runtime = 60
		[after]
		stonewall
		runtime = 300ms
	END
	await has_workers "$PID" "$workers" || return 1
	sleep 0.3
	: >jump
	ends 1 $((4000 * slow)) || return 1
	jq -e '([.jobs[] | select(.jobname != "after")] | length == 3 and all(.[];
			.iojob.end == "error" and .read.total_ios == 0
			and (.iojob.error_text | test("TSC. jumped by [56][0-9]"))))
		and (.jobs[3] | .error == 0 and .read.total_ios > 1000
			and .read.runtime >= 300 and .read.runtime < 3000)
		and .iojob.clock.tsc == false
		and (.iojob.notes | any(test("jumped in stage 1: .* CLOCK_MONOTONIC")))' \
		"$LIB/json" >/dev/null || { jq . "$LIB/json" && false; }
}
jump_in_layout() {
	since=$(now)
	LD_PRELOAD=$LIB/jump.so JUMP_FILE=$T/jump begin <<-END
		[reader]
		rw = randread
		size = 768m
		number_ios = 100
	END
	await has_workers "$PID" 1 || return 1
	: >jump
	ends 0 $((20000 * slow)) && jq -e '.jobs[0] | .error == 0 and .read.total_ios == 100' \
		"$LIB/json" >/dev/null
}
fresh
if [ -n "$IOJOB_SANITIZE" ]; then
	skip "a clock that jumps" "sanitizers want to be loaded first"
elif ! "${CC:-cc}" -shared -fPIC -o "$LIB/jump.so" "$IOJOB_SRCDIR/t/cli/jump.c"; then
	skip "a clock that jumps" "cannot compile"
elif printf '[a]\nioengine=null\nsize=4k\n' >tsc.ini && "$IOJOB" --output-format=json tsc.ini |
		jq -e '.iojob.clock.tsc | not' >/dev/null; then
	skip "a clock that jumps" "the clock is CLOCK_MONOTONIC itself"
else
	workers=3
	check "a TSC that jumps ends the jobs, and those to come have another clock" jump
	fresh
	workers=1
	check "in threads, too" jump --set thread
	fresh
	check "in layout: the files are written all the same" jump_in_layout
fi

# ---- outputs that go away -----------------------------------------------------------------------

fresh
printf '[job]\nioengine=null\nsize=64k\nstartdelay=200ms\n' >job.ini
closed_pipe() {
	{
		"$IOJOB" --output=text:- --output=json:out.json job.ini 2>err.txt
		echo $? >code.txt
	} | true
	cat code.txt err.txt
	[ "$(cat code.txt)" = 1 ] &&
			grep -q '^iojob: output standard output (text): Broken pipe' err.txt &&
			jq -e . out.json >/dev/null
}
check "a reader that went away: an error, and the other output is whole" closed_pipe
full_device() {
	code=0
	"$IOJOB" --output=json:out.json --output=text:- job.ini >/dev/full 2>err.txt || code=$?
	cat err.txt
	[ "$code" = 1 ] && grep -q '^iojob: output standard output (text): No space left' err.txt &&
			jq -e . out.json >/dev/null
}
check "a full standard output" full_device
closed() {
	"$IOJOB" --output=json:out.json job.ini <&- >&- 2>&- && jq -e . out.json >/dev/null
}
check "standard streams that are closed" closed

finish
