#!/bin/sh
# SPDX-License-Identifier: MIT
# Block devices, by way of loop devices: they are read and written, what carries data or is in use
# is refused, and their block size rules.
# shellcheck disable=SC2016 # the variables are of jq
. "$(dirname "$0")/lib.sh"
needs jq losetup

# Another one of that size, as $LOOP; without it there is nothing to test.
device() { # SIZE [LOSETUP-OPTION...]
	loop_make "$@" || {
		skip "block devices" "$WHY"
		finish
	}
}
digest() { # FILE
	cksum <"$1"
}
# iojob must refuse the job, and leave the device as it is.
keeps() { # PATTERN ARGUMENT...
	sync "$LOOP"
	lib_digest=$(digest "$LOOP")
	refuse 2 "$@"
	check "and left it as it was" test "$lib_digest" = "$(digest "$LOOP")"
}
device 8m
printf '[job]\nrw=write\nfilename=%s\n' "$LOOP" >write.ini
printf '[job]\nfilename=%s\n' "$LOOP" >read.ini

# ---- reading and writing ------------------------------------------------------------------------

expect "reads a whole device, and lays out nothing" 0 '
	(r("job") | moved(8388608; 2048)) and job("job").iojob.layout.bytes == 0' read.ini
expect "writes a whole device" 0 'w("job") | moved(8388608; 2048)' \
	--set buffer_pattern=0x41 write.ini
all_a() {
	[ "$(tr -d A <"$LOOP" | wc -c)" = 0 ]
}
check "every byte of it" all_a
expect "part of it, from an offset" 0 'w("job") | moved(1048576; 256)' \
	--set buffer_pattern=0x42 --set offset=4m --set size=1m write.ini
part_b() {
	[ "$(tr -d A <"$LOOP" | wc -c)" = 1048576 ] &&
			[ "$(tail -c +4194305 "$LOOP" | head -c 1048576 | tr -d B | wc -c)" = 0 ]
}
check "and no other" part_b
expect "percentages are of the device" 0 'w("job") | moved(2097152; 512)' \
	--set size=25% --set offset=50% write.ini
expect "a size beyond its end is cut" 0 'r("job") | moved(8388608; 2048)' --set size=1g read.ini
refuse 2 ": offset = 8m: behind the end of $LOOP, which has 8 MiB$" --set offset=8m read.ini
for engine in psync mmap libaio io_uring directio; do
	"$IOJOB" engines $engine 2>/dev/null | grep -q '^ *here *yes' || continue
	expect "$engine: several workers on one device" 0 '
		all(.jobs[]; .error == 0 and .read.io_bytes + .write.io_bytes == 8388608)
		and (.jobs | length) == 4' --set ioengine=$engine - <<-END
		[global]
		filename = $LOOP
		[writers]
		rw = randrw
		numjobs = 2
		[threads]
		thread
		rw = randwrite
		numjobs = 2
	END
done
statistics() {
	runs 0 '.disk_util[] | select(.name == "'"${LOOP#/dev/}"'") | .write_ios > 0
		and .iojob.write_bytes == 8388608' --set direct=1 --set bs=64k write.ini
}
check "its own statistics are in the result" statistics
stays() {
	runs 0 'w("job").total_ios == 2048' --set unlink=1 write.ini && [ -b "$LOOP" ]
}
check "unlink does not remove a device" stays
expect "--readonly reads it" 0 'r("job").total_ios == 2048' --readonly read.ini
keeps 'write\.ini:2: \[job\] would write, and --readonly was given$' --readonly write.ini
plan() { # PATTERN ARGUMENT...
	want=$1
	shift
	digest=$(digest "$LOOP")
	"$IOJOB" --parse-only "$@" >"$LIB/plan" && cat "$LIB/plan" &&
			grep -Eq "$want" "$LIB/plan" && [ "$digest" = "$(digest "$LOOP")" ]
}
check "--parse-only says what, and does nothing" plan "^ *$LOOP, 8 MiB" write.ini

# ---- in use -------------------------------------------------------------------------------------

"$IOJOB" --set time_based --set runtime=3 --set number_ios=0 write.ini >/dev/null &
writer=$!
sleep 0.7
refuse 2 "write\.ini:3: $LOOP: is in use by the kernel or another program; .*--allow-device=$LOOP" \
	write.ini
expect "while one writes, another may read" 0 'r("job") | moved(8388608; 2048)' read.ini
expect "or write where that is allowed" 0 'w("job") | moved(8388608; 2048)' \
	--allow-device="$LOOP" write.ini
wait $writer
check "the one in use went well" test $? = 0
expect "afterwards it is free" 0 'w("job") | moved(8388608; 2048)' write.ini

# ---- what carries data --------------------------------------------------------------------------

"$IOJOB" --set zero_buffers write.ini >/dev/null
if command -v mkswap >/dev/null; then
	mkswap -q "$LOOP" 2>/dev/null || mkswap "$LOOP" >/dev/null
	keeps "write\.ini:3: $LOOP: holds a signature .swap.; writing may destroy data: give \
--allow-device=$LOOP if that" write.ini
	expect "a device with a signature may be read" 0 'r("job").total_ios == 2048' read.ini
	expect "and written, where that is allowed" 0 'w("job").total_ios == 2048' \
		--allow-device="$LOOP" --set zero_buffers write.ini
else
	skip "a signature" "mkswap is missing"
fi
if command -v sfdisk >/dev/null; then
	echo 'label: gpt' | sfdisk -q --no-reread --no-tell-kernel "$LOOP"
	keeps "write\.ini:3: $LOOP: holds a partition table .gpt.; .*--allow-device=$LOOP" write.ini
	ln -s "$LOOP" link
	keeps "--set: link: holds a partition table .gpt." --set filename=link \
		--allow-device=/dev/null write.ini
	check "--allow-device of another name for it" "$IOJOB" --set filename=link \
		--allow-device="$LOOP" --set zero_buffers write.ini
	echo 'label: gpt' | sfdisk -q --no-reread --no-tell-kernel "$LOOP"
	check "and of a link to it" "$IOJOB" --set zero_buffers --allow-device="$T/link" write.ini
else
	skip "a partition table" "sfdisk is missing"
fi
if mount_make ext4 8m; then
	keeps "--set: $LOOP: is mounted on $MNT .ext4.; .*--allow-device=$LOOP" \
		--set filename="$LOOP" write.ini
	expect "a mounted device may be read" 0 'r("job").total_ios == 2048' \
		--set filename="$LOOP" read.ini
	mounted=$LOOP
	mount_drop "$MNT"
	keeps "--set: $LOOP: holds a filesystem .ext4.; .*--allow-device=$LOOP" \
		--set filename="$LOOP" write.ini
	check "--allow-device lets go of it" "$IOJOB" --set filename="$mounted" \
		--allow-device="$mounted" write.ini
else
	skip "a mounted device" "$WHY"
fi

# ---- block size ---------------------------------------------------------------------------------

if loop_make 8m -b 4096; then
	printf '[job]\nfilename=%s\ndirect=1\nrw=randrw\n' "$LOOP" >direct.ini
	keeps "--set: bs = 512: must be a multiple of 4096, the block size of $LOOP$" \
		--set bs=512 direct.ini
	keeps "--set: bsrange = 6k: must be a multiple of 4096" --set bsrange=4k-6k direct.ini
	keeps "--set: offset = 2k: must be a multiple of 4096" --set offset=2k direct.ini
	expect "blocks of 4096 bytes" 0 '
		.jobs[0] | .error == 0 and .read.io_bytes + .write.io_bytes == 8388608' direct.ini
	expect "through the page cache any size will do" 0 '
		.jobs[0] | .error == 0 and .read.io_bytes + .write.io_bytes == 1048576' \
		--set direct=0 --set bs=512 --set size=1m direct.ini
else
	skip "a block size of 4096" "$WHY"
fi

# ---- a device that fails ------------------------------------------------------------------------

# Its backing file is sparse, on a filesystem that is too small.
if mount_make tmpfs 2m && truncate -s 8m "$MNT/sparse" &&
		LOOP=$(losetup --find --show "$MNT/sparse" 2>"$LIB/why"); then
	# Before the mount: what was mounted last is taken off first.
	clean() {
		losetup -d "$LOOP"
		lib_clean
	}
	trap clean EXIT
	fails() {
		runs 1 '(job("direct") | (.error == 28 or .error == 5) and .iojob.end == "error"
				and .write.io_bytes > 0 and .write.io_bytes < 8388608
				and (.iojob.error_text
				| test("^write of 65536 bytes at offset [0-9]* of ")))
			and (w("well") | moved(1048576; 256)) and (w("after") | moved(65536; 16))' \
			--output=text:out.txt --output=csv:out.csv - <<-END
			[global]
			rw = write
			[direct]
			filename = $LOOP
			direct = 1
			bs = 64k
			[well]
			size = 1m
			[after]
			stonewall
			size = 64k
		END
		cat out.txt
		grep -q 'ERROR *write of 65536' out.txt && [ "$(wc -l <out.csv)" = 4 ]
	}
	check "a device that fails in the middle" fails
	expect "one that fails at the fsync" 1 '
		job("buffered") | .error != 0 and .iojob.end == "error"
		and (.iojob.error_text | test("fsync of |write of "))' - <<-END
		[buffered]
		rw = write
		filename = $LOOP
		end_fsync
	END
else
	skip "a device that fails" "${WHY:-$(cat "$LIB/why")}"
fi

finish
