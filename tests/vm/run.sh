#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Boots a kernel in QEMU, one of Debian's or of scripts/kernel.sh, and runs one command there as
# root, or a shell. See usage below.
#
# The guest's root is the host's root, read-only over 9p, under a tmpfs overlay: programs, libraries
# and this repository are where they are on the host. It may be one of another Debian suite instead,
# with this repository at the same place. What is built in build/VERSION is laid over it as if
# installed.

set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
. "$(dirname "$0")/qemu.sh"
. "$(dirname "$0")/uml.sh"
. "$(dirname "$0")/watch.sh"

usage() {
	cat <<-END
	Usage: run.sh [OPTION...] -- COMMAND [ARGUMENT...]
	       run.sh [OPTION...] --shell

	Runs COMMAND in a VM; its output comes to stdout and its exit status is returned.
	  --kernel NAME   6.1, 6.12 (the newest installed of it), a full version, debug or kcsan;
	                  default 6.1 on Debian 12, elsewhere and of another root its newest
	  --root SUITE    that of scripts/root.sh, and its kernels: --root trixie --kernel 6.12, or
	                  --kernel trixie/6.12; newest is the newest there, 6.12-rt another flavour;
	                  trixie-arm64 and the like: of another architecture, emulated
	  --smp N         processors; default 2
	  --mem M         memory in MB; default 2048, and twice that for debug and kcsan
	  --pmem M        persistent memory in MB, an NVDIMM; default none
	  --timeout S     limit in seconds for the command, times SVT_TIME_SCALE; default 300. 0: none, but
	                  the machine has to give a sign of life every two minutes
	  --icount        busy time counts instructions (1 ns each), one processor
	  --leap          and idle time takes none: the clock leaps to the next timer, or, while the
	                  machine waits for its disk, over any limit
	  --results FILE  append what tests report (pass NAME, fail NAME) to FILE
	  --console FILE  where the console log goes; default: kept in build/vm of a failed run only
	  --files DIR     where to put the files that COMMAND leaves in /run/svt/files
	  --share DIR     a directory of this machine, by its whole path, that COMMAND finds at the same place
	                  and may write
	  --append WORDS  more words for the kernel command line
	  --bare          do not lay the build over the root
	  --wires DIR:N   one of two VMs, 1 or 2, joined by sockets in DIR; see run-two.sh
	  --shell         interactive shell on the serial console

	Status 97: the machine died (panic, warning, reset); 98: not ended in time; 99: not started.
	SVT_* variables are passed on to the guest. debug and kcsan multiply SVT_TIME_SCALE by 5, kernels of
	another architecture by 3.
	END
}

kernel= suite= smp=2 mem= pmem= limit=300 icount= leap=on results=/dev/null console= files= share= append=
bare= shell= wires= begun= keep=

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel | --root | --smp | --mem | --pmem | --timeout | --results | --console | --files | \
			--share | --append | --wires)
			[ $# -ge 2 ] || die "$1 needs a value; see --help"
			;;&
		--kernel) kernel=$2 && shift ;;
		--root) suite=$2 && shift ;;
		--smp) smp=$2 && shift ;;
		--mem) mem=$2 && shift ;;
		--pmem) pmem=$2 && shift ;;
		--timeout) limit=$2 && shift ;;
		--results) results=$2 && shift ;;
		--console) console=$2 && shift ;;
		--files) files=$2 && shift ;;
		--share) share=$2 && shift ;;
		--append) append=$2 && shift ;;
		--wires) wires=$2 && shift ;;
		--icount) icount=1 ;;
		--leap) leap=off ;;
		--bare) bare=bare ;;
		--shell) shell=1 ;;
		--help | -h) usage && exit 0 ;;
		--) shift && break ;;
		*) die "unknown option '$1'; see --help" ;;
		esac
		shift
	done
	command=("$@")
	if [ -n "$suite" ]; then
		kernel=$suite/${kernel:-newest}
	fi
	: "${kernel:=${SERIES[0]}}"
	[ -n "$shell" ] || [ ${#command[@]} -gt 0 ] || die "no command given; see --help"
}

write_command() {
	local directory=$TOP build
	case $PWD in "$TOP" | "$TOP"/*) directory=$PWD ;; esac
	{
		compgen -e SVT_ | while read -r name; do
			[ "$name" = SVT_RESULTS ] || printf 'export %s=%q\n' "$name" "${!name}"
		done
		# Which build it is: BUILD/SVT_KERNEL has the modules
		build=$(build_of "$version")
		printf 'export BUILD=%q SVT_KERNEL=%q\n' "$build" "${version#"${build#"$BUILD"/}"/}"
		printf 'cd %q\n' "$directory"
		printf '%q ' "${command[@]}"
		echo
	} >"$run/command"
}

# Copies the guest's reports until it says how it ended, and lets it power off then.
read_reports() {
	local line
	while read -r line; do
		case $line in
		"exit "*)
			echo "${line#exit }" >"$run/status"
			echo ok >"$run/ctl.in"
			return
			;;
		alive) touch "$run/alive" ;;
		*) echo "$line" >>"$results" ;;
		esac
	done <"$run/ctl.out"
}

SPLAT='WARNING|BUG|Oops|panic|Call Trace|RIP:|general protection|svt initramfs'

died() {
	{
		echo "run.sh: kernel $version: $2"
		grep -a 'svt test: ' "$console" | tail -n 1 || :
		grep -aE "$SPLAT" "$console" | head -n 5 || :
		echo "run.sh: last lines of the console ($console):"
		tail -n 60 "$console" | tr -d '\r'
		cat "$run/machine.err"
	} >&2
	keep=1
	exit "$1"
}

take_files() {
	mkdir -p "$files"
	[ ! -s "$run/files.tar" ] || tar -xf "$run/files.tar" -C "$files"
}

# What the kernel gets on its command line, whichever way it is booted
boot_words() {
	local words
	words="panic=-1 panic_on_warn=1 oops=panic watchdog_thresh=30 softlockup_panic=1 loglevel=5"
	# Memory of memfd_secret(), which 6.1 has only when told
	words+=" secretmem.enable=y"
	# A report of a race is no end: there may be others. Few accesses are ours: look at many
	[ "$version" != kcsan ] || words+=" panic_on_warn=0 kcsan.skip_watch=100"
	words+=" vm_top=$TOP vm_init=tests/vm/guest-init.sh vm_run=$run vm_limit=$seconds"
	words+=" vm_hung=$(scaled 90)"
	[ -z "$wires" ] || words+=" vm_side=${wires##*:}"
	echo "$words $append"
}

# Runs the machine; sets status to how it ended
boot() {
	local watch=
	touch "$run/alive"
	if [ "$seconds" = 0 ]; then
		"${machine}_start" "${vm[@]}" &
	else
		# The guest has its own limit; this one is for a guest that cannot keep it.
		"${machine}_start" timeout --foreground -k 5 $((seconds + $(scaled 90))) "${vm[@]}" &
	fi
	started=$!
	trap 'kill "$started"; exit 130' INT TERM HUP
	[ "$seconds" != 0 ] || { watch_life "$started" 120 "$run/alive" & watch=$!; }
	status=0
	wait "$started" || status=$?
	[ -z "$watch" ] || kill "$watch" 2>/dev/null || :
	trap - INT TERM HUP
}

# What failed before there was a machine has a status of its own
clean_up() {
	local status=$?
	[ -z "${run:-}" ] || [ -n "$keep" ] || rm -rf "$run"
	[ -n "$begun" ] || [ "$status" = 0 ] || exit 99
}

main() {
	local begin status=0
	trap clean_up EXIT
	parse "$@"
	version=$(kernel_version "$kernel" image)
	find_kernel "$version"
	if is_made "$version"; then
		: "${mem:=4096}"
		# All but the plain one look at each access
		[ "$version" = um ] || SVT_TIME_SCALE=$(scaled 5)
	fi
	# Of another architecture it is emulated, whatever this machine can do
	[[ $version != *-*/* ]] || SVT_TIME_SCALE=$(scaled 3)
	: "${mem:=2048}"
	machine=qemu
	! is_uml "$version" || machine=uml
	layer=$("$TOP/tests/vm/layer.sh" "$version" $bare)
	seconds=$(scaled "$limit")
	mkdir -p "$BUILD/vm"
	run=$(mktemp -d "$BUILD/vm/run.XXXXXX")
	: "${console:=$run/console.log}"
	: >"$console"

	[ -z "$share" ] || printf '%s\n' "$share" >"$run/share"

	${machine}_machine
	begun=1
	if [ -n "$shell" ]; then
		"${vm[@]}"
		exit
	fi
	write_command
	read_reports &
	reader=$!
	begin=$SECONDS
	boot
	[ -e "$run/ctl.out" ] && { : <>"$run/ctl.out"; }
	kill "$reader" 2>/dev/null || :
	wait "$reader" 2>/dev/null || :
	if [ -e "$run/status" ]; then
		status=$(<"$run/status")
		[ -z "$files" ] || take_files
		[ "$status" != 124 ] || died 98 "the command did not end within $seconds s"
		exit "$status"
	fi
	case $status in
	124 | 137 | 143) died 98 "the machine hung: no answer within $((SECONDS - begin)) s" ;;
	0 | 134) died 97 "the machine died (see the console) after $((SECONDS - begin)) s" ;;
	*) died 99 "the machine ended with status $status" ;;
	esac
}

main "$@"
