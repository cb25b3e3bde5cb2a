# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
# A machine of QEMU, for run.sh, whose settings it reads. qemu_machine sets the command `vm`;
# qemu_start COMMAND... becomes it.

# The emulator of the kernel's architecture: its name and package, the bus that devices are on, the
# machine, the processor, and the words for the kernel
qemu_architecture() {
	emulator=qemu-system-x86_64 package=qemu-system-x86 bus=pci
	# The other machine type routes interrupts by code that a debug kernel interprets for minutes
	machine_type=q35 words="console=ttyS0 tsc=reliable no_timer_check"
	# Not what makes an interpreter slow: string instructions that the kernel takes for fast ones
	# copy byte by byte, a fifth of all time here; then page tables of five levels.
	cpu=max,-erms,-fsrm,-la57
	case $version in
	*-arm64/*)
		emulator=qemu-system-aarch64 package=qemu-system-arm
		# Nor pointers that are signed as the architecture has it, and vectors of 2048 bits
		machine_type=virt words=console=ttyAMA0 cpu=max,pauth-impdef=on,sve=off
		;;
	*-s390x/*)
		emulator=qemu-system-s390x package=qemu-system-misc bus=ccw
		machine_type=s390-ccw-virtio words=console=ttysclp0 cpu=max
		;;
	*-*/*) die "nothing boots a kernel of ${version%%/*} here" ;;
	esac
	need "$emulator" "$package"
}

# A /dev/kvm that opens and then hangs the guest exists: only the processor's own flag is believed. An
# emulator translates a program anew at each address that it is put at, so it always gets the same one.
qemu_processors() {
	if [ -z "$icount" ] && [ "$emulator" = qemu-system-x86_64 ] && [ -w /dev/kvm ] &&
		grep -qE '^flags.*\b(vmx|svm)\b' /proc/cpuinfo; then
		vm+=(-accel kvm -smp "$smp" -cpu host)
		return
	fi
	words+=" norandmaps"
	if [ -n "$icount" ]; then
		vm+=(-accel tcg -icount "shift=0,sleep=$leap" -smp 1 -cpu "$cpu")
	else
		vm+=(-accel "tcg,thread=multi" -smp "$smp" -cpu "$cpu")
	fi
}

# Of two VMs the second listens. What tests ask of it goes over `lan`; `wire` is theirs.
qemu_network() {
	local name rom=,romfile= number=0 directory=${wires%:*} side=${wires##*:} server=off
	[ "$bus" = pci ] || rom=
	if [ -z "$wires" ]; then
		vm+=(-netdev "user,id=lan,restrict=on" -device "virtio-net-$bus,netdev=lan$rom")
		return
	fi
	[ "$side" = 1 ] || server=on
	for name in lan wire; do
		number=$((number + 1))
		vm+=(-netdev "stream,id=$name,server=$server,addr.type=unix,addr.path=$directory/$name"
			-device "virtio-net-$bus,netdev=$name$rom,mac=52:54:00:00:0$number:0$side")
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
	vm+=(-serial "file:$console" -device "virtio-serial-$bus"
		-chardev "stdio,id=out,signal=off" -device virtserialport,chardev=out,name=svt.out
		-chardev "pipe,id=ctl,path=$run/ctl"
		-device virtserialport,chardev=ctl,name=svt.ctl
		-chardev "file,id=files,path=$run/files.tar"
		-device virtserialport,chardev=files,name=svt.files)
}

# An NVDIMM is told of by ACPI, which a kernel that is booted without firmware has on this machine only
qemu_memory() {
	if [ -z "$pmem" ]; then
		vm+=(-machine "$machine_type" -m "$mem")
		return
	fi
	[ "$machine_type" = q35 ] || die "only a kernel for x86 can have --pmem here"
	vm+=(-machine "$machine_type,nvdimm=on" -m "${mem}M,slots=1,maxmem=$((mem + pmem))M"
		-object "memory-backend-ram,id=pmem,size=${pmem}M" -device nvdimm,memdev=pmem)
}

qemu_machine() {
	local export=security_model=none,readonly=on initramfs root
	qemu_architecture
	[ -r "$kernel_image" ] || die "you may not read $kernel_image: as root, chmod a+r $kernel_image"
	initramfs=$("$TOP/tests/vm/initramfs.sh" "$version")
	root=$(guest_root "$version")
	vm=("$emulator")
	qemu_processors
	qemu_memory
	vm+=(-nodefaults -no-user-config -display none -no-reboot
		-kernel "$kernel_image" -initrd "$initramfs"
		-virtfs "local,path=$root/,mount_tag=svtroot,multidevs=remap,$export"
		-virtfs "local,path=$layer,mount_tag=svtlayer,$export")
	# The repository, where the root does not have it
	[ -z "$kernel_root" ] || vm+=(-virtfs "local,path=$TOP,mount_tag=svttop,multidevs=remap,$export")
	# Commas are QEMU's
	[ -z "$share" ] ||
		vm+=(-virtfs "local,path=${share//,/,,},mount_tag=svtshare,multidevs=remap,${export%,*}")
	qemu_network
	qemu_ports
	vm+=(-append "${kernel_root:+vm_over=svttop }$words rdinit=/init $(boot_words)")
}

qemu_start() {
	exec "$@" <>"$run/stdin" 2>"$run/machine.err"
}
