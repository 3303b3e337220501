#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of iocontroller.ini and iozone.ini with small sizes, in their shape, in every layout;
# each cell is the figure of the job that JSON says.
# shellcheck disable=SC2016 # the variables are of jq and awk
. "$(dirname "$0")/lib.sh"
needs jq awk

# The jobs with axes as "LABEL;LABEL;...;section FIGURE", whatever lies in which cell.
figures() { # JQ-OF-THE-FIGURE
	jq -r '.jobs[] | select(.iojob.axes | length > 0) | (.iojob.axes | map(.label)) as $a
		| [($a + [.iojob.section] | join(";")),
			if .iojob.skipped then "skipped" else ('"$1"' | tostring) end] | @tsv' \
		"$LIB/json" | sort
}
# The same out of the CSV of tables, for one metric.
from_csv() { # FILE METRIC
	awk -F , -v metric="$2" '
	$1 == "metric" {
		split($0, head)
		next
	}
	$1 == metric {
		points = ""
		for (i = 4; i <= NF && head[i] ~ /^(size|bs|ioengine)$/; i++)
			points = points $i ";"
		for (; i <= NF; i++)
			if ($i != "")
				printf "%s%s;%s\t%s\n", points, head[i], $3, $i
	}' "$1" | sort
}
near() { # FILE FILE
	[ -s "$1" ] && paste "$1" "$2" | awk -F '\t' '
	{
		off = $2 - $4
		if ($1 != $3 || ($2 == "skipped") != ($4 == "skipped") || off > 1 || off < -1) {
			print
			bad = 1
		}
	}
	END { exit bad }'
}
csv_agrees() { # METRIC JQ
	figures "$2" >json.txt
	from_csv table.csv "$1" >csv.txt
	near json.txt csv.txt
}
# The cells of the CSV, row by row; those of the text or of Markdown are without their fractions.
cells() { # METRIC
	awk -F , -v metric="$1" '
	$1 == metric {
		for (i = 4; i <= NF; i++)
			if ($i ~ /^[0-9.]+$/)
				print $i
			else if ($i == "skipped")
				print "-"
	}' table.csv
}
# Rows have labels that no cell looks like: in iozone.ini 1m, 4k.
from_text() { # FILE
	sed '/^  [-!*+]/d; s/|/ /g; s/,//g' "$1" |
		awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^([0-9]+|-)$/) print $i }'
}
# Is each figure the nearest whole one? The CSV's are rounded themselves, to three decimals.
nearest() { # CSV-FIGURES FIGURES
	paste "$1" "$2" | awk '{ d = $1 - $2 } NF != 2 || d * d > 0.5006 ^ 2 { print; bad = 1 }
		END { exit bad }'
}
layouts_agree() {
	cells bw >csv.txt
	from_text table.md >md.txt
	from_text table.txt >text.txt
	[ -s csv.txt ] && nearest csv.txt md.txt &&
		sort -n csv.txt >1.txt && sort -n text.txt >2.txt &&
		nearest 1.txt 2.txt # a text that is wide goes in groups of columns
}
run_it() { # FILE ARGUMENT...
	runs 0 'all(.jobs[]; .error == 0)' --directory=run --output=table:table.txt \
		--output=table-csv:table.csv --output=table-md:table.md "$@"
}
mkdir run

# ---- iocontroller.ini ---------------------------------------------------------------------------

file=$IOJOB_SRCDIR/jobs/iocontroller.ini
check "iocontroller.ini" run_it --set size=1m --set runtime=60ms "$file"
check "its CSV is the jobs' figures" csv_agrees bw '(.read.bw_bytes + .write.bw_bytes) / 1024'
check "text and Markdown are that, too" layouts_agree
modes_across() { # a row a section, as they stand in the file; modes in the order of the document
	cat table.md
	modes='Normal read | Random read | Normal write | Random write | Direct read | Direct write'
	sed -n '5,$s/^| \([^|]*\) | .*/\1/p' table.md >rows.txt
	printf '%s\n' syscall mmap libaio 'io\_uring' directio >want.txt
	head -n 1 table.md | grep -qxF '**KiB/s by mode**' &&
		sed -n 3p table.md | grep -qxF "| | $modes |" && diff want.txt rows.txt
}
check "modes across, a row a run" modes_across

# ---- iozone.ini ---------------------------------------------------------------------------------

file=$IOJOB_SRCDIR/jobs/iozone.ini
iozone() { # ARGUMENT...
	run_it --set runtime=100ms --set 'vary=size: 64k 1m' --set 'vary=bs: 4k 32k 128k' \
		--metric=bw,iops,p50 "$@" "$file" 2>warnings.txt
	code=$?
	cat warnings.txt
	return "$code"
}
check "iozone.ini" iozone
check "a record larger than the file is left out, and a stride, with a warning" \
	grep -q "iozone\.ini:[0-9]*: \[iozone\]: leaves out 12 of its 48 combinations" warnings.txt
check "its CSV is the jobs' figures" csv_agrees bw '(.read.bw_bytes + .write.bw_bytes) / 1024'
check "in I/Os a second, too" csv_agrees iops '.read.iops + .write.iops'
as_iozone() {
	cat table.csv
	tests='write,rewrite,read,reread,random read,random write,bkwd read,stride read'
	grep '^bw,' table.csv | cut -d , -f 4,5 >rows.txt
	printf '%s\n' 64k,4k 64k,32k 1m,4k 1m,32k 1m,128k >want.txt
	head -n 1 table.csv | grep -qx "metric,unit,section,size,bs,$tests" &&
		diff want.txt rows.txt
}
check "rows are file sizes and record sizes, the tests across" as_iozone
empty_cells() { # the last two: of two records none lies before the last, of 16 none 17 further on
	printf '%s\n' '64k,4k,full,' '64k,32k,,' '1m,4k,full,full' '1m,32k,full,full' \
		'1m,128k,full,' >want.txt
	grep '^bw,' table.csv | cut -d , -f 4,5,12,13 | sed 's/[0-9]*\.[0-9]*/full/g' >rows.txt
	diff want.txt rows.txt
}
check "a cell without a test is empty" empty_cells
titles() {
	cat table.txt
	grep -c '^KiB/s by test: iozone$' table.txt | grep -qx 1 &&
		grep -c '^IOPS by test: iozone$' table.txt | grep -qx 1 &&
		grep -c '^p50, us by test: iozone$' table.txt | grep -qx 1 &&
		[ "$(wc -L <table.txt)" -le 80 ]
}
check "a table for each metric, 80 columns wide" titles
check "with bandwidth alone" iozone --metric=bw
check "text and Markdown are the CSV" layouts_agree
# Each combination has a file of its own, and its tests go over it as iozone's do.
work() {
	is '[.jobs[] | select(.iojob.axes | map(.label) | .[0:2] == ["1m", "32k"])
		| {(.iojob.axes[2].label): (.read.total_ios + .write.total_ios)}] | add
		== {"write": 32, "rewrite": 32, "read": 32, "reread": 32, "random read": 32,
			"random write": 32, "bkwd read": 32, "stride read": 2}'
}
slow() { # nothing ends a test before its work is done
	run_it --set runtime=0 --set 'vary=size: 1m' --set 'vary=bs: 32k' "$file"
}
check "without a runtime" slow
check "each test visits every record, but the stride" work
nothing_left() {
	[ -z "$(ls run)" ]
}
check "no file is left" nothing_left

# ---- what has no figure -------------------------------------------------------------------------

cat >odd.ini <<'END'
[a]
ioengine = null
size = 64k
vary = mode: plain rw=read | gone ioengine=nowhere optional=1 | over rw=write
END
odd() {
	run_it odd.ini && grep -qE '^a +[0-9,]+ +- +[0-9,]+$' table.txt &&
		grep -qE '^bw,KiB/s,a,[0-9.]+,skipped,[0-9.]+$' table.csv &&
		grep -qE '^\| a \| [0-9,]+ \| - \| [0-9,]+ \|$' table.md &&
		grep -q '^`-` a, gone: ' table.md
}
check "a job that was skipped has a mark and a reason" odd
failed() { # no file may be as large
	cat >full.ini <<-'END'
		[a]
		vary = mode: reads rw=read filename=file | writes rw=write filename=file
		size = 64k
		bs = 64k
	END
	head -c 65536 /dev/zero >file
	(
		ulimit -f 16
		"$IOJOB" --set fallocate=none --set size=1m --metric=bw,iops \
			--output=table:table.txt --output=table-csv:table.csv full.ini
	)
	[ $? = 1 ] || return 1
	cat table.txt table.csv
	grep -qE '^a .* !$' table.txt && grep -q '^iops,IOPS,a,.*,failed$' table.csv
}
check "nor has one that failed" failed

finish
