#!/bin/sh
# SPDX-License-Identifier: MIT
# What a result knows of where it ran, and of the job as it ran.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq

# Is this jq filter true of what `iojob environment` prints as JSON?
tells() { # FILTER [PATH]...
	filter=$1
	shift
	"$IOJOB" environment --output-format=json "$@" >told.json && jq -e "$filter" told.json || {
		cat told.json
		return 1
	}
}
first_line() { # FILE
	head -n 1 "$1"
}

# ---- the command --------------------------------------------------------------------------------

check "what every machine has" tells '
	.["kernel.release"] == "'"$(uname -r)"'" and (.["memory.total"] | tonumber) > 0
	and .boot_id == "'"$(first_line /proc/sys/kernel/random/boot_id)"'"
	and .["vm.swappiness"] == "'"$(first_line /proc/sys/vm/swappiness)"'"
	and has("load") and has("iojob.version")
	and all(.[]; type == "string") and keys == keys_unsorted'
check "the filesystem of the current directory" tells '
	any(keys[]; startswith("fs./") and endswith(".type"))'
check "and of another one" tells '.["fs./proc.type"] == "proc"' /proc
as_text() {
	"$IOJOB" environment >text && grep -q "^kernel.release  *$(uname -r)\$" text &&
			[ "$(cut -d ' ' -f 1 text)" = "$(jq -r 'keys[]' told.json)" ]
}
tells true . >/dev/null
check "as text" as_text
refuse 2 "^iojob: nothing: No such file or directory\$" environment nothing
refuse 2 "--output-format: .csv.: .iojob environment. prints text or json" environment \
	--output-format=csv

# ---- in a result --------------------------------------------------------------------------------

printf '[job]\nrw=randrw\nsize=1m\n' >job.ini
expect "a result has them too" 0 '
	.iojob.environment | .["kernel.release"] == "'"$(uname -r)"'" and has("load.before")
		and has("load.after") and (has("load") | not)
		and any(keys[]; startswith("fs./") and endswith(".options"))' job.ini
same_keys() {
	tells true . >/dev/null
	jq -r '.iojob.environment | keys[] | select(startswith("changed.") or startswith("engine.")
		| not) | sub("\\.(before|after)$"; "")' "$LIB/json" | sort -u >in-result
	jq -r 'keys[]' told.json | sort >in-command
	diff in-result in-command
}
check "the same ones" same_keys
head_of_text() {
	"$IOJOB" job.ini >text && sed '/^$/q' text && sed '/^$/q' text | grep -q '^  memory  ' &&
			sed '/^$/q' text | grep -q '^  cpu  '
}
check "the text begins with some of them" head_of_text
expect "no version of an engine without a library" 0 '
	.iojob.environment | all(keys[]; startswith("engine.null.") | not)' \
	--set ioengine=null job.ini

# ---- a device -----------------------------------------------------------------------------------

queue() { # NAME
	printf '/sys/block/%s/queue/%s' "${LOOP#/dev/}" "$1"
}
# Another scheduler than the one it has; fails where there is no choice.
set_scheduler() {
	for scheduler in mq-deadline bfq kyber none; do
		if ! grep -q "\[$scheduler\]" "$(queue scheduler)" &&
				echo $scheduler >"$(queue scheduler)" 2>/dev/null; then
			return
		fi
	done
	return 1
}
if ! loop_make 8m; then
	skip "a device" "$WHY"
else
	disk=disk.${LOOP#/dev/}
	echo 64 >"$(queue read_ahead_kb)"
	set_scheduler || scheduler=$(sed 's/.*\[\(.*\)].*/\1/' "$(queue scheduler)")
	expect "its queue as it is set" 0 '
		.iojob.environment | .["'"$disk"'.scheduler"] == "'"$scheduler"'"
			and .["'"$disk"'.read_ahead_kb"] == "64"
			and .["'"$disk"'.size"] == "8388608"
			and (.["'"$disk"'.backing_file"] | test("/loop[.]"))' \
		--set filename="$LOOP" job.ini
	its_stack() {
		"$IOJOB" environment "$LOOP" >text
		under=$(df --output=source "$LIB" | tail -n 1)
		case $under in
		/dev/*) grep -q "^$disk.stack  *${LOOP#/dev/}(" text ;;
		esac
	}
	check "and what it lies on" its_stack
	in_text() {
		"$IOJOB" --set filename="$LOOP" job.ini | grep "^  ${LOOP#/dev/}  *8 MiB, scheduler"
	}
	check "in the head of the text" in_text
	changes() {
		(sleep 1 && echo 32 >"$(queue read_ahead_kb)") &
		runs 0 '.iojob.environment | .["'"$disk"'.read_ahead_kb"] == "64"
			and .["changed.'"$disk"'.read_ahead_kb"] == "64 -> 32"' \
			--set filename="$LOOP" --set time_based --set runtime=2 --set rate=1m \
			job.ini
	}
	check "what changes during a run" changes
fi
if ! mount_make ext4 16m noatime,nodiscard; then
	skip "a filesystem" "$WHY"
else
	expect "how it is mounted, and how full it is" 0 '
		.iojob.environment | .["fs.'"$MNT"'.type"] == "ext4"
			and .["fs.'"$MNT"'.device"] == "'"${LOOP#/dev/}"'"
			and (.["fs.'"$MNT"'.options"] | split(",") | contains(["rw", "noatime"]))
			and (.["fs.'"$MNT"'.used_percent"] | tonumber | within(0; 60))
			and has("disk.'"${LOOP#/dev/}"'.scheduler")' --directory="$MNT" job.ini
	fills() {
		runs 0 '.iojob.environment["changed.fs.'"$MNT"'.used_percent"] != null' \
			--directory="$MNT" --set size=8m --set rw=write job.ini
	}
	check "that it is fuller afterwards" fills
fi

# ---- control groups -----------------------------------------------------------------------------

group=
for place in /sys/fs/cgroup/blkio /sys/fs/cgroup; do
	[ -z "$group" ] && mkdir "$place/iojob-test-$$" 2>/dev/null && group=$place/iojob-test-$$
done
clean() {
	[ -z "$group" ] || rmdir "$group"
	lib_clean
}
trap clean EXIT
# Starts the rest in the group.
within_group() {
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}
limit=
if [ -n "${LOOP:-}" ] && [ -n "$group" ]; then
	number=$(cat "/sys/block/${LOOP#/dev/}/dev")
	if echo "$number 104857600" >"$group/blkio.throttle.read_bps_device" 2>/dev/null; then
		limit=blkio.throttle.read_bps_device
	elif echo "$number rbps=104857600" >"$group/io.max" 2>/dev/null; then
		limit=io.max
	fi
fi
if [ -z "$limit" ]; then
	skip "a limit" "no control group with one can be made"
else
	limited() {
		within_group "$IOJOB" environment --output-format=json >told.json
		cat told.json
		jq -e '.["cgroup.'"$limit"'"] | startswith("'"$number"' ") and test("104857600")' \
			told.json
	}
	check "the limit of our own group" limited
fi

# ---- the job as it ran --------------------------------------------------------------------------

# These keys and values, of the first job.
resolves() { # "KEY=VALUE..." ARGUMENT...
	wanted=$1
	shift
	runs 0 true "$@" || return
	for pair in $wanted; do
		got=$(jq -r '.jobs[0].iojob.resolved["'"${pair%%=*}"'"]' "$LIB/json")
		[ "$got" = "${pair#*=}" ] || {
			printf '%s: %s, not %s\n' "${pair%%=*}" "$got" "${pair#*=}"
			return 1
		}
	done
}
resolved() { # WHAT "KEY=VALUE..." ARGUMENT...
	title=$1
	shift
	check "resolved: $title" resolves "$@"
}
fresh
printf '[job]\nsize=1m\n' >job.ini
resolved "defaults" "name=job ioengine=psync rw=read bs=4k bsrange=4k size=1m io_size=1m nrfiles=1
	filename= offset=0 numjobs=1 direct=0 buffered=1 runtime=0s grace=60s sync=none
	rwmixread=50 fallocate=native rate=0 continue_on_error=none kb_base=1024" job.ini
resolved "one spelling" "bs=4k,8k,8k bsrange=4k,8k,8k runtime=1500ms rw=randrw
	rwmixread=30 rwmixwrite=70 thinktime=5us nrfiles=1 continue_on_error=io name=other" \
	--set bs=4096,8192 --set runtime=1500ms --set readwrite=randrw --set rwmixwrite=70 \
	--set thinktime=5 --set continue_on_error=io --set name=other --set thinktime_blocks=100 \
	job.ini
resolved "what follows from another key" "bs=4k bsrange=4k-16k rw=randwrite" \
	--set bsrange=4k-16k --set rw=randwrite job.ini
resolved "shares" "size=512k io_size=256k" --set size=50% --set io_size=50% job.ini
resolved "the size of what is there" "size=1m io_size=1m filename=job.0.0" \
	--set size=100% --set filename=job.0.0 job.ini
resolved "a size that its files do not share evenly" "size=1000k nrfiles=3" --set size=1000k \
	--set nrfiles=3 job.ini
resolved "names in a list are files" "nrfiles=2 filename=a:b" --set filename=a:b job.ini
resolved "percentiles in order" "percentile_list=50:99.9 lat_percentiles=1" \
	--set percentile_list=99.9:50 --set lat_percentiles job.ini
seed() {
	runs 0 '.jobs[0].iojob | .resolved.randseed == .seed' job.ini
}
check "resolved: the seed as used" seed
every_key() {
	runs 0 true job.ini && jq -r '.jobs[0].iojob.resolved | keys_unsorted[]' "$LIB/json" >got
	"$IOJOB" options >text
	while read -r key; do
		grep -qE "^  $key( |\$)" text || {
			echo "$key is no key"
			return 1
		}
	done <got
	[ "$(wc -l <got)" -gt 60 ] && jq -e '.jobs[0].iojob.resolved | length' "$LIB/json"
}
check "resolved: every key" every_key
engine_keys() {
	runs 0 '.jobs[0].iojob.resolved | .hipri == "0" and .one_enter == "1"
		and (keys_unsorted | index("hipri") > index("rw"))' \
		--set ioengine=io_uring --set one_enter job.ini
}
if "$IOJOB" engines io_uring 2>/dev/null | grep -q '^ *here *yes'; then
	check "resolved: the engine's keys" engine_keys
	check "and the version of its library, if that is known" is '
		.iojob.environment["engine.io_uring.version"] // "2" | test("^[0-9][0-9.]*$")'
else
	skip "resolved: the engine's keys" "io_uring does not work here"
fi
expect "resolved: of a job that is skipped, too" 0 '
	.jobs[0].iojob | .skipped != null and .resolved.size == "50%"' - <<-END
	[job]
	ioengine = none_such
	optional
	size = 50%
END
expect "resolved: jobs of one section differ where they vary" 0 '
	[.jobs[].iojob.resolved.bs] == ["4k", "8k"]' - <<-END
	[job]
	size = 1m
	vary = bs: 4k 8k
END

finish
