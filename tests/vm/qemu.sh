# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
# A machine of QEMU, for run.sh, whose settings it reads. qemu_machine sets the command `vm`;
# qemu_start COMMAND... becomes it.

# A /dev/kvm that opens and then hangs the guest exists: only the processor's own flag is believed.
qemu_processors() {
	# Not what makes an interpreter slow: string instructions that the kernel takes for fast ones
	# copy byte by byte, a fifth of all time here; then page tables of five levels.
	local cpu=max,-erms,-fsrm,-la57
	if [ -n "$icount" ]; then
		vm+=(-accel tcg -icount "shift=0,sleep=$leap" -smp 1 -cpu "$cpu")
	elif grep -qE '^flags.*\b(vmx|svm)\b' /proc/cpuinfo && [ -w /dev/kvm ]; then
		vm+=(-accel kvm -smp "$smp" -cpu host)
	else
		vm+=(-accel "tcg,thread=multi" -smp "$smp" -cpu "$cpu")
	fi
}

# Of two VMs the second listens. What tests ask of it goes over `lan`; `wire` is theirs.
qemu_network() {
	local name number=0 directory=${wires%:*} side=${wires##*:} server=off
	if [ -z "$wires" ]; then
		vm+=(-netdev "user,id=lan,restrict=on" -device virtio-net-pci,netdev=lan,romfile=)
		return
	fi
	[ "$side" = 1 ] || server=on
	for name in lan wire; do
		number=$((number + 1))
		vm+=(-netdev "stream,id=$name,server=$server,addr.type=unix,addr.path=$directory/$name"
			-device "virtio-net-pci,netdev=$name,romfile=,mac=52:54:00:00:0$number:0$side")
	done
}

qemu_ports() {
	if [ -n "$shell" ]; then
		vm+=(-serial mon:stdio)
		return
	fi
	# QEMU drops what the guest writes once its own stdin has ended: give it one that never
	# does.
	mkfifo "$run/ctl.in" "$run/ctl.out" "$run/stdin"
	vm+=(-serial "file:$console" -device virtio-serial-pci
		-chardev "stdio,id=out,signal=off" -device virtserialport,chardev=out,name=svt.out
		-chardev "pipe,id=ctl,path=$run/ctl"
		-device virtserialport,chardev=ctl,name=svt.ctl
		-chardev "file,id=files,path=$run/files.tar"
		-device virtserialport,chardev=files,name=svt.files)
}

qemu_machine() {
	local export=security_model=none,readonly=on initramfs
	need qemu-system-x86_64 qemu-system-x86
	initramfs=$("$TOP/tests/vm/initramfs.sh" "$version")
	vm=(qemu-system-x86_64)
	qemu_processors
	# The other machine type routes interrupts by code that a debug kernel interprets for minutes
	vm+=(-machine q35 -m "$mem" -nodefaults -no-user-config -display none -no-reboot
		-kernel "$kernel_image" -initrd "$initramfs"
		-virtfs "local,path=$kernel_root/,mount_tag=svtroot,multidevs=remap,$export"
		-virtfs "local,path=$layer,mount_tag=svtlayer,$export")
	# The repository, where the root does not have it
	[ -z "$kernel_root" ] || vm+=(-virtfs "local,path=$TOP,mount_tag=svttop,multidevs=remap,$export")
	qemu_network
	qemu_ports
	vm+=(-append "${kernel_root:+vm_over=svttop }console=ttyS0 tsc=reliable no_timer_check rdinit=/init $(boot_words)")
}

qemu_start() {
	exec "$@" <>"$run/stdin" 2>"$run/machine.err"
}
