#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# First process of the User-Mode Linux guest that scripts/kunit.sh boots.  The root is
# the host's, read-only.  Loading a module runs its KUnit suites; what they print goes
# to the console, which the host keeps.  In the directory $SVT_RUN (from the kernel
# command line) the host left the list `load`; here are left
#	errors		one line for each step that failed
#	symbols		of the modules, as /proc/kallsyms has them
#	gcov/		if $SVT_COVERED is a build: the counters of its modules
#	kmemleak	what the leak scan found after the modules were removed
#	state		taint and lockdep's state at the end
#	done		$SVT_NONCE, when everything before was gone through

PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
out=/run/out

mark() {
	echo "kunit-init: $*" >/dev/kmsg
}

# step WORD...: run it, leave its complaint in `errors`
step() {
	if ! message=$("$@" 2>&1); then
		echo "$*: ${message:-failed}" >>"$out/errors"
		return 1
	fi
}

power_off() {
	sync
	exec perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'
}

mount_all() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t devtmpfs devtmpfs /dev
	mount -t tmpfs tmpfs /run
	mkdir "$out"
	mount -t hostfs out "$out" -o "$SVT_RUN" ||
		mount -t hostfs out "$out" -o "hostfs=$SVT_RUN" || power_off
	mount --bind "$SVT_MODULES" /lib/modules
}

# Lines of `load`: "modprobe NAME" for what the kernel brought, "insmod PATH" for ours.
load_modules() {
	while read -r command what; do
		mark "$command $what"
		step "$command" "$what" || return 1
		if [ "$command" = insmod ]; then
			name=${what##*/}
			loaded="${name%.ko} $loaded"
		fi
	done <"$out/load"
}

# Our modules' counters of executed lines, in files that have no size.
copy_counters() {
	cd "/sys/kernel/debug/gcov$SVT_COVERED" || return
	find . -name '*.gcda' | while read -r file; do
		mkdir -p "$out/gcov/${file%/*}"
		cat "$file" >"$out/gcov/$file"
	done
}

# The symbols of our modules stay for the report: the leaks are found when they have gone.
unload_modules() {
	grep ']$' /proc/kallsyms >"$out/symbols"
	for name in $loaded; do
		mark "rmmod $name"
		step rmmod "$name"
	done
}

# An object counts as leaked when two scans found nobody who points to it and it is
# older than 5 seconds; an object that changed since the last scan is spared by one.
scan_for_leaks() {
	leaks=/sys/kernel/debug/kmemleak

	mark "leak scan"
	echo scan >$leaks || echo "kmemleak is off" >>"$out/errors"
	sleep 6
	echo scan >$leaks
	echo scan >$leaks
	cat $leaks >"$out/kmemleak"
}

record_state() {
	echo "tainted $(cat /proc/sys/kernel/tainted)"
	awk '$1 == "debug_locks:" { print "debug_locks", $2 }' /proc/lockdep_stats
	echo "kmemleak $(wc -c <"$out/kmemleak")"
}

loaded=
mount_all
load_modules
[ -z "$SVT_COVERED" ] || step copy_counters
unload_modules
scan_for_leaks
record_state >"$out/state"
mark "done"
echo "$SVT_NONCE" >"$out/done"
power_off
