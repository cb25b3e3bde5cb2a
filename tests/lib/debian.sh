# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# A machine with Debian, on which packages are installed: a root of scripts/root.sh under an overlay, which is
# gone at the end. It is changed by chroot, and booted from a disk with what is in it then. To be sourced
# behind scripts/lib.sh.

DISK_SIZE=4G
# Seconds without a sign of life of a machine that was booted
SILENCE=300

# own_mounts ARGUMENT...: the script begins anew, unless it did, where nobody else sees what it mounts
own_mounts() {
	[ -z "${SVT_OWN_MOUNTS:-}" ] || return 0
	export SVT_OWN_MOUNTS=1
	with_mounts "$0" "$@"
	exit
}

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

# put_tests: tests/boot-guest.sh is a service of that machine, and tells the second serial port what came of
# it
put_tests() {
	local to=$machine/usr/local/lib/svt-test
	mkdir -p "$to/lib"
	cp "$TOP/tests/boot-guest.sh" "$to"
	cp "$TOP/tests/lib/host.sh" "$to/lib"
	cat >"$machine/etc/systemd/system/svt-test.service" <<-'END'
		[Unit]
		After=network.target
		[Service]
		Type=oneshot
		ExecStart=/usr/local/lib/svt-test/boot-guest.sh
		StandardOutput=file:/dev/ttyS1
		StandardError=inherit
		[Install]
		WantedBy=multi-user.target
	END
	on_machine systemctl enable -q svt-test
}

take_tests() {
	local from=$machine/usr/local/lib/svt-test
	on_machine systemctl disable -q svt-test
	rm -r "$machine/etc/systemd/system/svt-test.service" "$from"/{lib,boot-guest.sh}
	rmdir --ignore-fail-on-non-empty "$from"
}

# make_disk NAME: with what the machine has now, and the tests, which are on the disk only
make_disk() {
	local status=0
	put_tests
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
		-append "$words svt_test=$2 svt_limit=$(scaled 120)")
	exec "${vm[@]}"
}

# watch PROCESS NAME: ends the machine when it says no more
watch() {
	local silent said
	silent=$(scaled "$SILENCE")
	while kill -0 "$1" 2>/dev/null; do
		sleep 2
		said=$(stat -c %Y "$WORK/$2.console" "$WORK/$2.results" | sort -n | tail -n 1)
		[ $(($(date +%s) - said)) -lt "$silent" ] || kill "$1"
	done
}

# run_machine NAME PLAN SMP OPTION...: until it powers itself off
run_machine() {
	local process
	: >"$WORK/$1.console"
	: >"$WORK/$1.results"
	start_machine "$@" &
	process=$!
	watch "$process" "$1"
	wait "$process" || :
	# Lines of a terminal
	sed -i 's/\r*$//' "$WORK/$1.console" "$WORK/$1.results"
	grep -x ended "$WORK/$1.results" || { tail -n 40 "$WORK/$1.console"; return 1; }
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
