# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# A machine with Debian, on which packages are installed: a root of scripts/root.sh under an overlay, which is
# gone at the end. It is changed by chroot, and booted from a disk with what is in it then. A script sources
# this behind scripts/lib.sh, begins anew with mounts that nobody else sees, and has the harness of host.sh.

if [ -z "${SVT_OWN_MOUNTS:-}" ]; then
	export SVT_OWN_MOUNTS=1
	with_mounts "$0" "$@"
	exit
fi
. "$TOP/tests/lib/host.sh"
. "$TOP/tests/vm/qemu.sh"
. "$TOP/tests/vm/watch.sh"
cd "$TOP" || exit

DISK_SIZE=4G
# Where the machine has its tests, and the files that these read
GUEST_TESTS=/usr/local/lib/svt-test
# Seconds without a sign of life of a machine that was booted
SILENCE=300

# set_up_machine ROOT: sets machine, the directory, lower, what it was before, and kernel, its version
set_up_machine() {
	lower=$("$TOP/scripts/root.sh" "$1") || exit
	machine=$WORK/machine
	mkdir -p "$machine" "$WORK/layer/upper" "$WORK/layer/work"
	mount -t overlay -o "lowerdir=$lower,upperdir=$WORK/layer/upper,workdir=$WORK/layer/work" \
		machine "$machine" || exit
	mount -t proc proc "$machine/proc"
	trap 'umount -l "$machine/proc" "$machine" 2>/dev/null; rm -rf "$WORK"' EXIT
	chroot=(chroot "$machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LC_ALL=C
		DEBIAN_FRONTEND=noninteractive)
	find_newest
}

# find_newest: sets kernel, the newest that the machine has
find_newest() {
	kernel=$(printf '%s\n' "$machine"/lib/modules/* | sort -V | tail -n 1)
	kernel=${kernel##*/}
}

# online COMMAND...: on the machine, with this one's network
online() {
	"${chroot[@]}" "$@"
}

# on_machine COMMAND...: without the network
on_machine() {
	unshare -n "${chroot[@]}" "$@"
}

# install_packages: those that `make deb` made
install_packages() {
	local version status=0
	version=$("$TOP/scripts/version.sh")
	cp "$BUILD"/deb/{svt-dkms,ibverbs-provider-svt}_"$version"_*.deb "$machine/tmp"
	on_machine sh -c 'apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 /tmp/*.deb' ||
		status=$?
	rm "$machine"/tmp/*.deb
	return "$status"
}

# put_tests: tests/boot-guest.sh and the harness of testlib.sh, as a service of that machine, which tells the
# second serial port what came of them
put_tests() {
	local to=$machine$GUEST_TESTS
	mkdir -p "$to"/{scripts,tests/lib}
	cp scripts/lib.sh "$to/scripts"
	cp tests/boot-guest.sh "$to/tests"
	cp tests/lib/*.sh "$to/tests/lib"
	cat >"$machine/etc/systemd/system/svt-test.service" <<-END
		[Unit]
		After=network.target
		[Service]
		Type=oneshot
		ExecStart=$GUEST_TESTS/tests/boot-guest.sh
		StandardOutput=file:/dev/ttyS1
		StandardError=inherit
		[Install]
		WantedBy=multi-user.target
	END
	on_machine systemctl enable -q svt-test
}

take_tests() {
	on_machine systemctl disable -q svt-test
	rm -r "$machine/etc/systemd/system/svt-test.service" "$machine$GUEST_TESTS"/{scripts,tests,expected}
	rmdir --ignore-fail-on-non-empty "$machine$GUEST_TESTS"
}

# make_disk NAME VERSION: with what the machine has now, svt of that version, and the tests, which are on the
# disk only
make_disk() {
	local status=0
	put_tests
	echo "$kernel $2" >"$machine$GUEST_TESTS/expected"
	umount "$machine/proc"
	truncate -s "$DISK_SIZE" "$WORK/$1.disk"
	mke2fs -q -t ext4 -d "$machine" "$WORK/$1.disk" || status=$?
	mount -t proc proc "$machine/proc"
	take_tests
	return "$status"
}

# start_machine NAME PLAN SMP OPTION...: boots its disk. eth0 is what the options say, eth1 a netdev of a PCI
# device
# shellcheck disable=SC2054 # commas are QEMU's
start_machine() {
	local icount='' smp=$3 version=$kernel vm
	qemu_architecture
	vm=("$emulator")
	qemu_processors
	words+=" root=/dev/vda rw net.ifnames=0 panic=-1 panic_on_warn=1 oops=panic loglevel=5"
	vm+=(-machine "$machine_type" -m 1024 -nodefaults -no-user-config -display none
		-kernel "$machine/boot/vmlinuz-$kernel" -initrd "$machine/boot/initrd.img-$kernel"
		-drive "file=$WORK/$1.disk,format=raw,if=virtio,cache=unsafe"
		"${@:4}" -netdev user,id=n1,restrict=on -device e1000,netdev=n1,romfile=
		-serial "file:$WORK/$1.console" -serial "file:$WORK/$1.results"
		-append "$words svt_test=$2 svt_time_scale=$SVT_TIME_SCALE")
	exec "${vm[@]}"
}

# run_machine NAME PLAN SMP OPTION...: until it powers itself off
run_machine() {
	local console=$WORK/$1.console results=$WORK/$1.results started watch
	: >"$console"
	: >"$results"
	start_machine "$@" &
	started=$!
	watch_life "$started" "$SILENCE" "$console" "$results" &
	watch=$!
	wait "$started" || :
	kill "$watch" 2>/dev/null || :
	# Lines of a terminal
	sed -i 's/\r*$//' "$console" "$results"
	grep -x ended "$results" || { tail -n 40 "$console"; return 1; }
}

# tell_results NAME: of the machine's tests, as if they were ours
tell_results() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok "*)
			passed=$((passed + 1))
			echo "ok $((passed + failed)) ${line#ok * }"
			;;
		"not ok "*)
			failed=$((failed + 1))
			echo "not ok $((passed + failed)) ${line#not ok * }"
			;;
		"#"*) echo "$line" ;;
		esac
	done <"$WORK/$1.results"
}
