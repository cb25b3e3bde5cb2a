#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Machines with Debian, systemd and udev, on which svt is installed by the commands of README.md: two of them
# with a cable between; one that is rebooted, and then loses its power; one with a newer svt and a newer kernel.
# tests/boot-guest.sh runs on each. This runs on the host, as root; packages of Debian come by the network.
# Usage: boot.sh SUITE; the last line is "N passed, N failed".

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/debian.sh"

NEXT=99.0.0

# readme_commands: the first block of README's section on installing
readme_commands() {
	awk '
		/^## Install it/ { here = 1 }
		here && /^    / { print substr($0, 5); some = 1; next }
		some { exit }
	' README.md
}

# put_repository VERSION: what the machine clones, of a tree with that version
put_repository() {
	local to=$machine/opt/svt
	rm -rf "$to"
	mkdir -p "$to"
	list_files | tar -cf - -T - | tar -xf - -C "$to"
	if [ "$1" != "$(<VERSION)" ]; then
		echo "$1" >"$to/VERSION"
		sed -i "1s/(.*)/($1)/" "$to/debian/changelog"
	fi
	online sh -c 'cd /opt/svt && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm a'
}

# type_commands: README's. ib_write_bw is for booted machines: they get its lines
type_commands() {
	readme_commands | sed 's,<this repository>,/opt/svt,' >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -lt 10 ]
	[ "$(grep -c '^ib_write_bw ' "$WORK/commands")" = 2 ]
	{
		echo 'set -ex'
		# Nothing is started in a chroot
		grep -v '^ib_write_bw ' "$WORK/commands" | sed 's/^\(systemctl enable\) --now/\1/'
	} >"$machine/srv/commands"
	mkdir -p "$machine$GUEST_TESTS"
	grep '^ib_write_bw ' "$WORK/commands" | sed 's/ *#.*//' >"$machine$GUEST_TESTS/commands"
	online bash -c 'cd && bash commands'
	[ -L "$machine"/etc/systemd/system/sys-subsystem-net-devices-eth0.device.wants/svt@eth0.service ]
}

# make_fresh: a Debian as one gets it, with git and make. What the root has for tests/packages.sh goes
make_fresh() {
	cp -L /etc/resolv.conf "$machine/etc/resolv.conf" 2>/dev/null || :
	sed -i '/Install-Recommends/d' "$machine"/etc/apt/apt.conf.d/*
	online apt-get purge -qq -y dkms 'linux-headers-*' rdma-core ibverbs-utils perftest openssl
	online apt-get autoremove -qq -y
	online apt-get update -qq
	online apt-get install -qq -y --no-install-recommends git make
	fails online sh -c 'command -v gcc'
}

readme_is_followed() {
	make_fresh
	put_repository "$(<VERSION)"
	type_commands
	# For the tests on the machine
	online apt-get install -qq -y ibverbs-utils
}

disks_are_made() {
	make_disk one "$(<VERSION)"
	cp --sparse=always "$WORK/one.disk" "$WORK/two.disk"
}

# The second listens for the cable. The first is ib_write_bw's server; what failed there fails this test
two_machines() {
	local first status=0
	run_machine two pair-2 1 -netdev "stream,id=n0,server=on,addr.type=unix,addr.path=$WORK/cable" \
		-device virtio-net-pci,netdev=n0,romfile=,mac=52:54:00:00:01:02 &
	first=$!
	until [ -S "$WORK/cable" ]; do
		kill -0 "$first"
		sleep 0.2
	done
	run_machine one pair-1 1 -netdev "stream,id=n0,server=off,addr.type=unix,addr.path=$WORK/cable" \
		-device virtio-net-pci,netdev=n0,romfile=,mac=52:54:00:00:01:01 || status=$?
	wait "$first"
	sed -n '/^#/p; /^not ok/p' "$WORK/one.results"
	! grep '^not ok' "$WORK/one.results" || status=1
	return "$status"
}

# one_machine PLAN
one_machine() {
	run_machine one "$1" 2 -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,romfile=
}

next_svt() {
	put_repository "$NEXT"
	online sh -ec 'cd && rm -rf svt && git clone -q /opt/svt svt && cd svt && make deb &&
		apt-get install -qq -y \
		./build/deb/svt-dkms_*.deb ./build/deb/ibverbs-provider-svt_*.deb'
	online dkms status svt | tee -a /dev/stderr | grep -x "svt/$NEXT, $kernel, $(uname -m): installed"
	[ "$(online dkms status svt | wc -l)" = 1 ]
	[ "$(online modinfo -k "$kernel" -F version svt)" = "$NEXT" ]
	[ "$(echo "$machine"/usr/src/svt-*)" = "$machine/usr/src/svt-$NEXT" ]
}

# apt-get replaces linux-headers-amd64, of README, too
next_kernel() {
	local before=$kernel
	online apt-get install -qq -y -t "$suite-backports" linux-image-amd64 linux-headers-amd64
	find_newest
	[ "$kernel" != "$before" ]
	online dkms status svt -k "$kernel" | tee -a /dev/stderr | grep -x "svt/$NEXT, $kernel, $(uname -m): installed"
}

new_disk_is_made() {
	rm "$WORK"/*.disk
	make_disk one "$NEXT"
}

# But for the key that DKMS made, which enrolled machines keep
purge_leaves_nothing() {
	online apt-get purge -qq -y svt-dkms ibverbs-provider-svt
	# Terminals have such a name as well
	(cd "$machine" && find . -xdev -name '*svt*' ! -name 'wsvt*' ! -path './srv/*' ! -path './opt/*' \
		! -path '*/svt-test*' ! -path './var/log/*') | tee "$WORK/left"
	[ ! -s "$WORK/left" ]
}

suite=${1:-}
[ -n "$suite" ] || die "usage: boot.sh SUITE, bookworm or trixie"
set_up_machine "$suite-machine"
run_test "README's commands install it, fewer than ten" readme_is_followed
sed 's/^/# $ /' "$WORK/commands"
run_test "disks for two machines" disks_are_made
run_test "two machines, to the end of their tests" two_machines
tell_results two
run_test "a machine by itself, to the end of its tests" one_machine alone
tell_results one
run_test "a newer svt takes the place of the older" next_svt
run_test "DKMS builds for a newer kernel when that is installed" next_kernel
# A test sets nothing here
find_newest
run_test "a disk for both" new_disk_is_made
run_test "that machine, to the end of its tests" one_machine once
tell_results one
run_test "purge leaves nothing" purge_leaves_nothing
finish
