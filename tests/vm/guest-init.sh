#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Process 1 of the guest: makes the machine usable, runs the command (or a shell), reports, powers
# off.
#
# vm_run= on the kernel command line names the directory of this run: `command` there is what to
# run, `share` the path of a directory of the host that may be written. vm_limit= is its time limit in
# seconds, vm_hung= that for a task that does not move.
# Virtio-serial ports lead to the host: svt.out takes the command's output, svt.files an archive of
# what it left in /run/svt/files, svt.ctl the results, line by line, and last "exit STATUS"; the
# host answers that one, so nothing is lost at power-off.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 TERM=linux SVT_RESULTS=/run/svt/results

# The program itself is in a package that the roots of sid and of Debian 12 do not have
mount() {
	/bin/busybox mount "$@"
}

# libibverbs loads all of the providers that it knows before it looks for one, and programs are slow
# to start here. The stage `install` runs with all of them.
hide_drivers() {
	local drivers=/run/svt/drivers
	[ -e /etc/libibverbs.d/svt.driver ] || return
	mkdir "$drivers"
	cp /etc/libibverbs.d/{svt,rxe}.driver "$drivers"
	mount --bind "$drivers" /etc/libibverbs.d
}

prepare_machine() {
	mkdir -p /dev/pts /dev/shm /run/svt /run/lock
	mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
	mount -t tmpfs -o mode=1777 shm /dev/shm
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	ln -sfn /proc/self/fd /dev/fd
	ln -sfn /proc/self/fd/0 /dev/stdin
	ln -sfn /proc/self/fd/1 /dev/stdout
	ln -sfn /proc/self/fd/2 /dev/stderr
	hostname svt-vm
	ip link set lo up
	ulimit -l unlimited
	ulimit -c 0
	ulimit -n 65536
	echo 1 >/proc/sys/kernel/hung_task_panic
	echo "$vm_hung" >/proc/sys/kernel/hung_task_timeout_secs
	echo 1 >/proc/sys/kernel/panic_on_rcu_stall
	# Scans are for the end of the tests
	[ ! -e /sys/kernel/debug/kmemleak ] || echo scan=off >/sys/kernel/debug/kmemleak
	[ ! -e /sys/kernel/debug/kcsan ] || echo on >/sys/kernel/debug/kcsan
	# What udev does where rdma-core is installed.
	modprobe -a ib_uverbs rdma_ucm
	hide_drivers
} 2>/dev/null

# A directory of the host that may be written, at the same place. What is written is there at once: a
# cache of pages would lose it when this machine dies.
mount_share() {
	local share=$1
	mkdir -p "$share"
	if [ -L /run/ports/svt.out ]; then
		mount -t hostfs -o "$share" share "$share"
	else
		mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap svtshare "$share"
	fi && return
	echo "svt initramfs: $share cannot be mounted" >/dev/kmsg
	end
}

# One of two VMs: eth0 is how the first asks things of the second, eth1 is for tests
join_lan() {
	modprobe virtio_net
	ip addr add "10.9.0.$vm_side/24" dev eth0
	ip link set eth0 up
}

# User-Mode Linux has them by name
port() {
	local name
	if [ -L "/run/ports/$1" ]; then
		echo "/run/ports/$1"
		return
	fi
	for name in /sys/class/virtio-ports/*/name; do
		[ "$(<"$name")" = "$1" ] && echo "/dev/$(basename "${name%/name}")"
	done
}

end() {
	sync
	exec /bin/busybox poweroff -f
}

run_shell() {
	modprobe -qa svt_roce svt_loop
	echo
	echo "svt VM, kernel $(uname -r), repository at $PWD. Nothing that you write here survives."
	echo "Two namespaces, a and b, with a device each: (. tests/lib/pair.sh; setup_pair)"
	echo "Leave with exit or poweroff."
	/bin/busybox setsid /bin/busybox cttyhack /bin/bash --rcfile <(
		echo '[ -f ~/.bashrc ] && . ~/.bashrc; PS1="svt-vm:\w# "; alias poweroff="exit 0"'
	) -i
	end
}

# Reads lines from a fifo that stays open, so writers may come and go.
relay() {
	exec cat <>"$1" >&"$2"
}

# Without starting a program
say_alive() {
	mkfifo /run/svt/nothing
	exec 6<>/run/svt/nothing
	while :; do
		echo alive >&7
		read -r -t 20 <&6
	done
}

run_command() {
	local status out_relay i
	exec 7<>"$(port svt.ctl)" 8>"$(port svt.out)"
	mkfifo "$SVT_RESULTS" /run/svt/out
	relay "$SVT_RESULTS" 7 8>&- &
	cat /run/svt/out >&8 7>&- &
	out_relay=$!

	[ "$vm_limit" != 0 ] || say_alive &
	timeout -k 5 "$vm_limit" /bin/bash "$vm_run/command" >/run/svt/out 2>&1 </dev/null 7>&- 8>&-
	status=$?
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		echo "guest: no end within $vm_limit s; blocked tasks follow" >/dev/kmsg
		echo w >/proc/sysrq-trigger
	fi
	[ "${vm_side:-}" != 1 ] || tests/vm/agent.sh end
	# Processes left behind may hold the output open: what is in the pipe is drained, they are
	# not waited for.
	for ((i = 0; i < 20; i++)); do
		kill -0 "$out_relay" 2>/dev/null || break
		sleep 0.1
	done
	[ ! -d /run/svt/files ] || tar -cf - -C /run/svt/files . >"$(port svt.files)"
	echo "exit $status" >"$SVT_RESULTS"
	read -r -t 20 <&7
	end
}

prepare_machine
[ -z "${vm_side:-}" ] || join_lan
[ ! -e "$vm_run/share" ] || mount_share "$(<"$vm_run/share")"
cd "$vm_top" || end
if [ -f "$vm_run/command" ]; then
	run_command
else
	run_shell
fi
