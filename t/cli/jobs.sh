#!/bin/sh
# SPDX-License-Identifier: MIT
# The job files that come with the program, with small sizes; text, table, JSON and CSV of one run
# agree with each other; the JSON has every key of fio's.
# shellcheck disable=SC2016 # the variables are of jq and awk
. "$(dirname "$0")/lib.sh"
needs jq awk

# ---- the same figures, line by line, from every format ------------------------------------------

# A CSV file as lines with tabs; a field in quotes may hold commas and doubled quotes.
from_csv() { # FILE
	awk '{
		out = ""
		rest = $0
		for (;;) {
			if (rest ~ /^"/) {
				field = ""
				rest = substr(rest, 2)
				while (match(rest, /^[^"]*""/)) {
					field = field substr(rest, 1, RLENGTH - 1)
					rest = substr(rest, RLENGTH + 1)
				}
				match(rest, /^[^"]*"/)
				field = field substr(rest, 1, RLENGTH - 1)
				rest = substr(rest, RLENGTH + 1)
			} else {
				match(rest, /^[^,]*/)
				field = substr(rest, 1, RLENGTH)
				rest = substr(rest, RLENGTH + 1)
			}
			out = out field
			if (rest == "")
				break
			out = out "\t"
			rest = substr(rest, 2)
		}
		print out
	}' "$1"
}
# Columns of it, without the header.
columns() { # FILE NAME...
	file=$1
	shift
	from_csv "$file" | awk -F '\t' -v names="$*" '
	NR == 1 {
		n = split(names, name, " ")
		for (i = 1; i <= NF; i++)
			at[$i] = i
		for (i = 1; i <= n; i++)
			if (!(name[i] in at)) {
				print "no column " name[i]
				exit
			}
		next
	}
	$at["direction"] ~ /^postmark[.]/ {
		next
	}
	{
		for (i = 1; i <= n; i++)
			printf "%s%s", (i > 1 ? "\t" : ""), $at[name[i]]
		print ""
	}'
}
# The directions of all jobs that did something, and jobs that were skipped, as CSV has them.
directions='
	.jobs[] | . as $j | .iojob as $i
	| if $i.skipped then [null, {}] else ("read", "write", "trim") as $d
		| select($i.rw | test(if $d == "trim" then $d else $d + "|rw$|postmark" end))
		| [$d, .[$d]] end
	| . as [$d, $v]'

numbers_agree() {
	jq -r "$directions"' | [$j.jobname, $j.groupid, $i.stage, $i.workers, $i.engine, $i.rw, $d,
		$i.skipped, ($i.axes | map(.name + "=" + .label) | join(";")),
		$v.total_ios, $v.io_bytes, $v.short_ios, $v.iojob.errors,
		$v.iojob.late, $v.iojob.due, $i.seed,
		(if $i.skipped then null else $j.error, $j.ctx, $i.elapsed_ns, $j.sync.total_ios,
			(if $v.clat_ns.N > 0 then $v.clat_ns.max else null end),
			$v.iojob.runtime_ns,
			$i.layout.bytes end)] | map(. // "" | tostring) | join("\t")' "$LIB/json" |
		sed 's/\t*$//' >json.txt
	columns out.csv job group stage workers engine rw direction skipped axes ios bytes shorts \
		errors late due seed error context_switches elapsed_ns syncs clat_max_ns \
		runtime_ns layout_bytes | sed 's/\t*$//' >csv.txt
	diff json.txt csv.txt
}
# Rates and means as JSON prints them, with the digits of CSV.
rates_agree() {
	jq -r "$directions"' | select($i.skipped == null) | [$v.bw_bytes, $v.iops, $v.clat_ns.mean,
		$v.clat_ns.stddev, $j.usr_cpu, $j.sys_cpu, $i.depth_mean, $v.bw_samples,
		$v.iops_mean] | @tsv' "$LIB/json" >json.txt
	columns out.csv bw_bytes_per_s iops_per_s clat_mean_ns clat_stddev_ns cpu_user_percent \
		cpu_system_percent depth_mean bw_samples iops_mean_per_s skipped |
		awk -F '\t' '$10 == ""' >csv.txt
	paste json.txt csv.txt | awk -F '\t' '
	{
		for (i = 1; i <= 9; i++) {
			off = $i - $(i + 9)
			if (i == 1 ? off > 0 || off < -1 : off > 0.001 || off < -0.001) {
				print NR ", " i ": " $i " and " $(i + 9)
				bad = 1
			}
		}
	}
	END { exit bad || NR == 0 }'
}
# Of the text every direction says "read 352.76 MiB/s, 11.3k IOPS, 960 KiB in 30 I/Os".
text_agrees() {
	number='[0-9.,]+ ?[kKMGT]?i?'
	line="(read|write|trim) ${number}B/s, $number IOPS, ${number}B in [0-9,]+ I/Os"
	jq -r "$directions"' | select($i.skipped == null) | [$d, $v.bw_bytes, $v.iops,
		$v.io_bytes, $v.total_ios] | @tsv' "$LIB/json" >json.txt
	tr -s ' \n' ' ' <out.txt | grep -oE "$line" |
		tr -d , | sed 's/\([0-9]\)\([kMG]\) IOPS/\1 \2 IOPS/; s/\([0-9]\) IOPS/\1 - IOPS/' |
		awk '{ print $1, $2, $3, $4, $5, $7, $8, $10 }' >text.txt
	paste json.txt text.txt | awk '
	function near(a, b) { return a - b <= a / 150 && b - a <= a / 150 }
	BEGIN {
		unit["B"] = 1; unit["KiB"] = 1024; unit["MiB"] = 1048576; unit["GiB"] = 1073741824
		unit["-"] = 1; unit["k"] = 1e3; unit["M"] = 1e6; unit["G"] = 1e9
	}
	{
		sub(/\/s/, "", $8)
		if ($1 != $6 || !near($2, $7 * unit[$8]) || !near($3, $9 * unit[$10]) ||
				!near($4, $11 * unit[$12]) || $5 != $13) {
			print
			bad = 1
		}
	}
	END { exit bad || NR == 0 }'
}
# The table's cells, row by row, are the jobs in their order; "-" for what was skipped.
table_agrees() {
	jq -r '[.jobs[] | select(.iojob.axes | length > 0)] | sort_by(.iojob.stage)[]
		| if .iojob.skipped then "-" else (.read.bw_bytes + .write.bw_bytes) / 1024 end' \
		"$LIB/json" >json.txt
	grep '^[a-z]' table.txt | grep -v '^ioengine ' | tr -d , |
		awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^(-|[0-9]+)$/) print $i }' >cells.txt
	paste json.txt cells.txt | awk -F '\t' '
	{
		off = $1 - $2
		if (($1 == "-") != ($2 == "-") || $2 == "" || off > 1.01 || off < -1.01) {
			print
			bad = 1
		}
	}
	END { exit bad || NR == 0 }' && part_of_text
}
part_of_text() {
	[ "$(grep -cxF -f table.txt out.txt)" -ge "$(wc -l <table.txt)" ]
}
agree() {
	numbers_agree && rates_agree && text_agrees
}
header() { # where it ran, on one line or on two
	place="$T/run: [a-z0-9]+ on [^ ]+( \\([^)]*\\))?"
	tr -s ' \n' ' ' <out.txt |
		grep -qE "$place, needs [0-9.]+ [KMGT]?i?B, [0-9.]+ [KMGT]iB free"
}
nothing_left() {
	[ -z "$(ls run)" ] || {
		ls -l run
		return 1
	}
}

mkdir run
for file in "$IOJOB_SRCDIR"/jobs/*.ini; do
	name=${file##*/}
	rm -f out.txt out.csv table.txt
	case $name in
	postmark.ini) small="--set postmark_size=16k --set postmark_number=10" ;;
	*) small="--set size=1m --set ramp_time=0" ;;
	esac
	# shellcheck disable=SC2086 # several words
	runs_well() {
		runs 0 '(.jobs | length >= 2) and all(.jobs[]; .error == 0 and (.iojob.skipped
			or .read.total_ios + .write.total_ios > 0))
			and .iojob.schema == 1 and .iojob.interrupted == false' \
			--directory=run $small --set runtime=60ms \
			--output=text:out.txt --output=csv:out.csv --output=table:table.txt "$file"
	}
	check "jobs/$name" runs_well
	check "jobs/$name: text, JSON and CSV agree" agree
	check "jobs/$name: the text says where it ran" header
	check "jobs/$name: no file is left" nothing_left
	check "jobs/$name: --parse-only" "$IOJOB" --parse-only "$file"
	case $name in
	iocontroller.ini | randread.ini)
		check "jobs/$name: the table agrees" table_agrees
		;;
	esac
	if [ "$name" = iocontroller.ini ]; then
		shape() { # modes across, engines down, as they stand in the file
			tr -s ' \n' ' ' <table.txt >line.txt
			cat line.txt
			names='Normal Random Normal Random Direct Direct'
			grep -q "^KiB/s by mode $names read read write write read write " \
				line.txt &&
				grep -q ' syscall .* mmap .* libaio .* io_uring .* directio ' \
					line.txt
		}
		check "jobs/$name: modes across and engines down" shape
	fi
done

# What few jobs have: skipped, failed, rates, groups, odd names.
awkward() {
	cat >odd.ini <<-'END'
		[global]
		ioengine = null
		size = 64k
		[a, "quoted" name]
		description = it's, "odd"
		group_reporting
		numjobs = 3
		thread
		rw = rw
		[rated]
		stonewall
		rate_iops = 1000
		runtime = 100ms
		[skipped]
		optional
		vary = ioengine: nowhere null
	END
	runs 0 '.jobs | length == 4' --output=text:out.txt --output=csv:out.csv odd.ini && agree
}
check "text, JSON and CSV agree on names with commas, groups, rates and skipped jobs" awkward

# ---- fio's keys ---------------------------------------------------------------------------------

# Jobs that show every key; the file for fio is the same.
cat >keys.ini <<'END'
[global]
size=256k
bs=4k
runtime=5
filename=run/file
[psync]
rw=randrw
description=a text
fsync=8
[mmap]
stonewall
ioengine=mmap
rw=read
percentile_list=50:99.9
[libaio]
stonewall
ioengine=libaio
rw=randread
iodepth=8
numjobs=2
group_reporting
[io_uring]
stonewall
ioengine=io_uring
iodepth=8
rw=write
end_fsync=1
continue_on_error=all
[rated]
stonewall
ioengine=libaio
rw=write
rate_iops=1000
END
sections=
for engine in psync mmap libaio io_uring; do
	"$IOJOB" engines $engine 2>/dev/null | grep -q '^ *here *yes' &&
			sections="$sections --section=$engine"
done
case $sections in
*libaio*) sections="$sections --section=rated" ;;
esac
keys() {
	# shellcheck disable=SC2086 # words
	runs 0 'all(.jobs[]; .error == 0)' $sections keys.ini || return 1
	{
		echo '['
		awk '{
			path = $0
			sub(/ [a-z]*$/, "", path)
			quoted = path
			gsub(/"/, "\\\"", quoted)
			type = $NF == "integer" || $NF == "real" ? "number" : $NF
			printf "[\"%s\", ([%s | type] | length > 0 and all(. == \"%s\"))],\n",
				quoted, path, type
		}' "$LIB/fio-keys"
		echo '["", true]] | map(select(.[1] | not) | .[0])[]'
	} >"$LIB/filter"
	jq -r -f "$LIB/filter" "$LIB/json" >missing.txt || return 1
	cat missing.txt
	[ ! -s missing.txt ]
}
grep -E '^\.' "$IOJOB_SRCDIR/t/unit/fio-keys.txt" | grep -v ' sometimes$' >"$LIB/fio-keys"
check "the JSON has every key of fio 3.33" keys
enough() {
	[ "$(wc -l <"$LIB/fio-keys")" -gt 200 ]
}
check "which are more than 200" enough

if ! command -v fio >/dev/null; then
	skip "every path that fio prints is in ours" "fio is missing"
else
	# Path and type of everything, with the numbers of arrays left out.
	tree='[paths as $p | {p: $p | map(if type == "number" then 0 else . end),
		t: getpath($p) | type}] | unique[] | "\(.p | map(tostring) | join("/")) \(.t)"'
	as_fio() {
		# shellcheck disable=SC2086
		fio --output-format=json --output=fio.json $sections keys.ini || return 1
		jq -r "$tree" fio.json | sort -u >fio.tree
		jq -r "$tree" "$LIB/json" | sort -u >our.tree
		comm -23 fio.tree our.tree
		[ "$(wc -l <fio.tree)" -gt 200 ] && [ -z "$(comm -23 fio.tree our.tree)" ]
	}
	check "every path that fio prints is in ours, with its type" as_fio
	same_work() { # where reads and writes are mixed, fio draws lots
		count='[.jobs[] | [.jobname, .groupid, .error] + if .jobname == "psync"
			then [.read.io_bytes + .write.io_bytes, .read.total_ios + .write.total_ios]
			else [.read, .write | .io_bytes, .total_ios, .short_ios] end][]'
		jq -c "$count" fio.json >fio.work
		jq -c "$count" "$LIB/json" >our.work
		diff fio.work our.work
	}
	check "and both moved the same" same_work
fi

finish
