# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
# User-Mode Linux as a machine, for run.sh, whose settings it reads. uml_machine sets the command
# `vm`; uml_start COMMAND... becomes it. It has one processor; its consoles are descriptors that it
# is started with: 3 what the kernel says, 4 what the command prints, 5 and 6 reports and answers.

uml_machine() {
	[ -z "$shell$icount$wires$pmem" ] ||
		die "User-Mode Linux has no --shell, --icount, --wires or --pmem"
	hold_processor
	mkfifo "$run/ctl.in" "$run/ctl.out"
	# shellcheck disable=SC2207 # words
	vm=(taskset -c "$processor" "$kernel_image" "mem=${mem}M" root=/dev/root
		rootfstype=hostfs rootflags=/ ro "init=$TOP/tests/vm/uml-init" con=null con0=null,fd:3
		ssl=null ssl0=null,fd:4 ssl1=fd:6,fd:5 kunit.enable=0 "vm_layer=$layer" $(boot_words))
}

uml_start() {
	ulimit -c 0
	exec "$@" 3>>"$console" 4>&1 5>"$run/ctl.out" 6<>"$run/ctl.in" \
		</dev/null >"$run/machine.err" 2>&1
}
