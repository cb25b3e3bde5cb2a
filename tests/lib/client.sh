# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the tests of the kernel's storage clients have in common, for testlib.sh: files that are
# copied and compared, and I/O that goes on in the background while something is taken away.

# verify_file FILE [OPTION...]: random writes of all sizes to a disk or a file that is there, read
# back and compared. With WHOLE_PAGES set no two blocks share a page, and a block is told by its
# place and its run.
verify_file() {
	local blocks=(--bsrange=512-256k --verify=crc32c)
	if [ -n "${WHOLE_PAGES:-}" ]; then
		blocks=(--bsrange=4k-256k --verify=pattern
			"--verify_pattern=%o0x$(printf '%04x%04x' $RANDOM $RANDOM)")
	fi
	fio --name=verify --filename="$1" --allow_file_create=0 --ioengine=libaio --direct=1 \
		--iodepth=16 --rw=randrw "${blocks[@]}" --verify_fatal=1 "${@:2}"
}

# A tree of files, on a filesystem that is unmounted in between
copy_and_compare() {
	local disk=$1 tree=$TOP/drivers
	mkfs.ext4 -q "$disk"
	mkdir -p "$WORK/mnt"
	mount "$disk" "$WORK/mnt"
	cp -r "$tree" "$WORK/mnt/tree"
	umount "$WORK/mnt"
	echo 3 >/proc/sys/vm/drop_caches
	mount -o ro "$disk" "$WORK/mnt"
	diff -r "$tree" "$WORK/mnt/tree"
	umount "$WORK/mnt"
	fsck.ext4 -fn "$disk"
}

# Runs of fio in the background, until one fails or there is a file "enough". (fio's own loops do
# not verify what they wrote.)
verify_again() {
	local run
	for ((run = 1; run < 1000; run++)); do
		verify_file "$1" --size=8M --randseed=$run
		[ ! -e "$WORK/enough" ] || break
	done
}

# start_io FILE: IO is its process
start_io() {
	verify_again "$1" >"$WORK/fio" 2>&1 &
	IO=$!
	until_true 20 grep -q Starting "$WORK/fio"
	nap 1
	kill -0 "$IO" || die "fio ended: $(<"$WORK/fio")"
}

# What was under way ends well, and nothing of it was wrong
stop_io() {
	kill -0 "$IO" || die "fio ended: $(<"$WORK/fio")"
	touch "$WORK/enough"
	wait "$IO" || die "fio: $(<"$WORK/fio")"
}

kill_io() {
	until_true 30 no_fio_left || die "fio can not be killed"
	! wait "$IO" || die "fio was killed, and does not know"
}

# pkill may look for processes when one run has ended and the next has not begun, or when that has not
# made all of its processes yet; one without the others waits for ever
no_fio_left() {
	! pkill -9 -x fio && ! kill -0 "$IO"
}

# What was under way failed, and fio was told
io_failed() {
	! wait "$IO" || die "fio does not know that its disk is gone"
}
