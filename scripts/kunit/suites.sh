#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the guest of scripts/kunit.sh does.  Usage: suites.sh DIRECTORY
# Loading a module runs its KUnit suites; what they print goes to the console, which the
# host keeps.  What is loaded stands in the file $SVT_LOAD.  In DIRECTORY are left
#	errors		one line for each step that failed
#	symbols		of the modules, as /proc/kallsyms has them
#	gcov/		if $SVT_COVERED is a build: the counters of its modules
#	kmemleak	what the leak scan found after the modules were removed
#	state		taint and lockdep's state at the end
#	done		$SVT_NONCE, when everything before was gone through

out=$1

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

# Lines of `load`: "modprobe NAME" for what the kernel brought, "insmod PATH" for ours.
load_modules() {
	while read -r command what; do
		mark "$command $what"
		step "$command" "$what" || return 1
		if [ "$command" = insmod ]; then
			name=${what##*/}
			loaded="${name%.ko} $loaded"
		fi
	done <"$SVT_LOAD"
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
mkdir -p "$out"
load_modules
[ -z "${SVT_COVERED:-}" ] || step copy_counters
unload_modules
scan_for_leaks
record_state >"$out/state"
mark "done"
echo "$SVT_NONCE" >"$out/done"
