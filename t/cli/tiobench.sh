#!/bin/sh
# SPDX-License-Identifier: MIT
# jobs/tiobench.ini, and tiotest's tables of it; the figures of a real run of tiotest, as it was
# posted, through the formatter.
# shellcheck disable=SC2016 # the variables are of jq and awk
. "$(dirname "$0")/lib.sh"
needs jq awk

job="$IOJOB_SRCDIR/jobs/tiobench.ini"

# What stands in the tables: names, sizes, and figures that are figures.
like_tiotest() {
	cat out.txt
	sed 's/[0-9][0-9]*[.][0-9][0-9]*/N/g; s/  *N/ N/g' out.txt >shape.txt
	cat >want.txt <<-'END'
		Tiotest results for 4 concurrent io threads:
		| Item | Time | Rate | Usr CPU | Sys CPU |
		| Write 4 MBs | N s | N MB/s | N % | N % |
		| Random Write 2 MBs | N s | N MB/s | N % | N % |
		| Read 4 MBs | N s | N MB/s | N % | N % |
		| Random Read 2 MBs | N s | N MB/s | N % | N % |
		Tiotest latency results:
		| Item | Average latency | Maximum latency | % >2 sec | % >10 sec |
		| Write | N ms | N ms | N | N |
		| Random Write | N ms | N ms | N | N |
		| Read | N ms | N ms | N | N |
		| Random Read | N ms | N ms | N | N |
		| Total | N ms | N ms | N | N |
		Fsync, which is in the time and in no latency:
		| Item | At the end | Of the time |
		| Write | N s | N % |
		| Random Write | N s | N % |
	END
	tr -s ' ' <shape.txt | grep -v -e '--' -e ': note ' -e ': fact ' -e '^ ' | diff want.txt -
}
phases() {
	runs 0 '[.jobs[].jobname] == ["Write", "Random Write", "Read", "Random Read"]
		and all(.jobs[]; .iojob.workers == 4 and .iojob.end == "work"
			and .iojob.phase_ns >= .iojob.elapsed_ns and .error == 0)
		and (w("Write") | moved(4194304; 1024)) and (r("Read") | moved(4194304; 1024))
		and (w("Random Write") | moved(2048000; 500))
		and (r("Random Read") | moved(2048000; 500))
		and all(job("Write", "Random Write"); .iojob.end_sync_ns > 0)
		and all(w("Write"), r("Read"); [.iojob.above[].ns] == [2e9, 10e9])' \
		--output=tiobench:out.txt --set size=1m --set '*Random*:number_ios=125' "$job"
}
check "jobs/tiobench.ini: four phases, one file for each worker" phases
check "its tables are those of tiotest, and fsync below them" like_tiotest
none_left() {
	ls
	[ -z "$(ls tiobench* 2>/dev/null)" ]
}
check "its files are gone" none_left

# The last time of its workers counts, and that of the fsync: the rate is that of size by time.
add_up() {
	rate=$(awk '/^[|] Write .* MB.s/ { print $9 }' out.txt)
	jq -e --arg rate "$rate" '.jobs[0] | (.write.io_bytes / 1048576 / (.iojob.phase_ns / 1e9)
		- ($rate | tonumber)) | . < 0.001 and . > -0.001' "$LIB/json" &&
		jq -e '.jobs[0].iojob | .end_sync_ns <= .phase_ns' "$LIB/json"
}
check "the rate is the size by the time of the phase" add_up

doubted() { # the same notes as in JSON, and there are some: so little is soon done
	jq -r '.jobs[] | .jobname as $name | .iojob.doubts[] | select(.fact or .accepted | not)
		| "\($name): note \(.id):"' "$LIB/json" >want.txt
	sed -n 's/^\([A-Za-z ]*: note [A-Z0-9]*:\).*/\1/p' out.txt | grep -v '^All' >notes.txt
	cat want.txt
	[ -s want.txt ] && diff want.txt notes.txt
}
check "the reasons to doubt it stand below" doubted

# ---- a real run --------------------------------------------------------------------------------

# The tables of a kernel as they were posted, into a result. What they do not say follows from
# tiotest's defaults; times from rate and size, since they are printed with one digit.
to_result() { # KERNEL
	awk -F '|' -v kernel="$1" '
	/^linux-/ { mine = $0 == kernel }
	!mine { next }
	/ MBs / {
		name = $2
		sub(/^ */, "", name)
		sub(/ [0-9]+ MBs *$/, "", name)
		names[++n] = name
		rate[name] = $4 + 0
		user[name] = $5 + 0
		sys[name] = $6 + 0
		next
	}
	/ ms / {
		name = $2
		gsub(/^ *| *$/, "", name)
		mean[name] = $3 + 0
		most[name] = $4 + 0
		slow[name] = $5 + 0
	}
	END {
		printf "{\"fio version\": \"fio-3.33\", \"iojob\": {\"schema\": 1}, \"jobs\": ["
		for (i = 1; i <= n; i++) {
			name = names[i]
			random = name ~ /Random/
			writes = name ~ /Write/
			ios = random ? 4000 : 10240
			ns = ios * 4096 / 1048576 / rate[name] * 1e9
			printf "%s{\"jobname\": \"%s\", \"iojob\": {", (i == 1 ? "" : ", "), name
			printf "\"section\": \"%s\", \"rw\": \"%s%s\", ", name,
				(random ? "rand" : ""), (writes ? "write" : "read")
			printf "\"workers\": 4, \"stage\": %d, \"end\": \"work\", ", i
			printf "\"phase_ns\": %.0f, \"elapsed_ns\": %.0f, ", ns, ns
			printf "\"cpu_user_ns\": %.0f, ", user[name] * ns / 100
			printf "\"cpu_sys_ns\": %.0f, ", sys[name] * ns / 100
			print "\"thresholds_ns\": [2000000000, 10000000000]},"
			printf "\"%s\": {\"total_ios\": %d, ", (writes ? "write" : "read"), ios
			printf "\"io_bytes\": %d, ", ios * 4096
			printf "\"clat_ns\": {\"min\": 0, \"max\": %.0f, ", most[name] * 1e6
			printf "\"mean\": %f, \"N\": %d}, ", mean[name] * 1e6, ios
			printf "\"iojob\": {\"above\": [{\"ios\": %.0f}, {\"ios\": 0}]}}}\n",
				slow[name] * ios / 100
		}
		print "]}"
	}' "$document"
}
as_posted() { # KERNEL
	to_result "$1" >posted.json || return 1
	"$IOJOB" show --output-format=tiobench posted.json >all.txt || return 1
	tr -s ' ' <all.txt >ours.txt
	cat all.txt
	sed -n "/^$1/,/^linux-2.4/p" "$document" | tr -d '\r' |
		grep -e '^[|,`+]' -e '^Tiotest' | head -n 21 >theirs.txt
	[ "$(wc -l <theirs.txt)" -gt 18 ] && diff theirs.txt ours.txt
}
document=
for file in "$IOJOB_SRCDIR"/../shared/documents/001_*.txt; do
	[ ! -f "$file" ] || document=$file
done
for kernel in linux-2.5.43 linux-2.4.19; do
	if [ -n "$document" ]; then
		check "the figures of $kernel come out as they were posted" as_posted $kernel
	else
		skip "the figures of $kernel come out as they were posted" "they are not here"
	fi
done

finish
