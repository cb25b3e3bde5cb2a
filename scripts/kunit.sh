#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs the KUnit suites of the modules in a kernel that scripts/kernel.sh makes: User-Mode
# Linux with KASAN, lockdep and the other checkers, or one of another architecture in QEMU.
# The modules are in build/KERNEL then, the results in build/KERNEL/kunit.

# shellcheck source-path=SCRIPTDIR
set -euo pipefail

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
helpers=$TOP/scripts/kunit
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"

usage() {
	cat <<-END
	Usage: scripts/kunit.sh [OPTION]...
	  --kernel NAME     um-debug, which is the default, um-debug-newest, trixie-arm64/kunit,
	                    trixie-arm64/kunit-64k, bookworm-s390x/kunit
	  --filter GLOB     run the suites (or suite.case) that match
	  --module NAME     load this one only, of ours (may be given again)
	  --source DIR      take drivers/ and include/ from DIR instead of this tree
	  --coverage        count the lines that the suites run, for scripts/coverage.sh
	  --strict          a warning of the compiler (W=1) is an error
	  --timeout SEC     limit for the guest (default 240, or 900 if it is emulated; times
	                    SVT_TIME_SCALE)
	  --self-test       show that failures and bugs of each kind are reported

	The last line is "N passed, N failed" (cases; a splat or a missing result counts
	as one that failed).  Environment: SVT_TIME_SCALE multiplies the time limit,
	XDG_CACHE_HOME says where the kernel is kept.
	END
}

# Whatever ends this script before there is a verdict is a failure; the guest ends with it.
leave() {
	[[ -z $guest ]] || kill "$guest" 2>/dev/null || true
	[[ $verdict = yes ]] || echo "0 passed, 1 failed"
}

parse_arguments() {
	kernel=um-debug
	coverage=
	filter=
	only=()
	limit=
	flags=()
	while (($#)); do
		case $1 in
		--kernel|--filter|--module|--source|--timeout)
			(($# > 1)) || die "$1 needs a value"
			;;&
		--kernel) kernel=$2; shift ;;
		--filter) filter=$2; shift ;;
		--module) only+=("$2"); shift ;;
		--source) flags+=(--source "$2"); shift ;;
		--timeout) limit=$2; shift ;;
		--strict) flags+=(--strict) ;;
		--coverage)
			coverage=yes
			flags+=(--coverage)
			;;
		--self-test) exec "$helpers/selftest.sh" ;;
		--help|-h) verdict=yes; usage; exit ;;
		*) usage >&2; die "unknown argument $1" ;;
		esac
		shift
	done
	has_kunit "$kernel" || die "no kernel for KUnit is called '$kernel'"
	[[ -z $coverage ]] || is_uml "$kernel" || die "no lines are counted in $kernel: it has no gcov"
	build=$BUILD/$kernel
	run=$build/kunit
	# An emulated processor takes ten times as long
	limit=${limit:-$(is_uml "$kernel" && echo 240 || echo 900)}
}

need_tools() {
	need perl perl
	need readelf binutils
	need modinfo kmod
	need taskset util-linux
}

# ---- the modules ---------------------------------------------------------------------

build_modules() {
	local start=$SECONDS

	"$TOP/scripts/build-modules.sh" "${flags[@]}" "$kernel" >"$output" 2>&1 ||
		{ grep -E -A8 'error:|warning:' "$output" | head -n 60; die "the modules do not build, see $output"; }
	say "kunit: modules built in $((SECONDS - start)) s"
}

selected() {
	local name

	((${#only[@]})) || return 0
	for name in "${only[@]}"; do
		[[ $1 != "$name" ]] || return 0
	done
	return 1
}

# suites_of MODULE: it has an array of pointers to them in a section of its own
suites_of() {
	local size

	size=$(readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 == ".kunit_test_suites" { print $5 }')
	echo $((16#${size:-0} / 8))
}

# Writes $run/load, what the guest loads in which order; sets $expected, the number of
# suites that the modules hold.
plan_load() {
	local objects=() object name dependency needed=()

	expected=0
	: >"$run/load"
	while read -r object; do
		name=$(basename "$object" .o)
		selected "$name" && objects+=("$build/drivers/${object%.o}.ko")
	done < <(sed "s|^$build/drivers/||" "$build/drivers/modules.order")
	((${#objects[@]})) || die "no module to load"
	for object in "${objects[@]}"; do
		for dependency in $(modinfo -F depends "$object" | tr , ' '); do
			[[ " ${objects[*]} " = *"/$dependency.ko "* ]] ||
				needed+=("$dependency")
		done
		expected=$((expected + $(suites_of "$object")))
	done
	if ((${#needed[@]})); then
		printf 'modprobe %s\n' "${needed[@]}" | sort -u >>"$run/load"
	fi
	printf 'insmod %s\n' "${objects[@]}" >>"$run/load"
}

# ---- the run -------------------------------------------------------------------------

# boot_uml: sets status to how it ended
boot_uml() {
	local release seconds
	local arguments=(mem=1G root=/dev/root rootfstype=hostfs rootflags=/ ro
		"init=$helpers/init.sh" con=null "con0=null,fd:1" ignore_loglevel
		panic=1 kasan_multi_shot "${kunit_words[@]}"
		"SVT_RUN=$run" "SVT_NONCE=$nonce")

	release=$(<"$kernel_dir/.kernelrelease")
	arguments+=("SVT_MODULES=$kernel_dir/lib/modules")
	[[ -d /lib/modules ]] || die "no /lib/modules here: apt-get install linux-headers-amd64"
	[[ -d $kernel_dir/lib/modules/$release ]] || die "remove $kernel_dir: it is not complete"
	[[ -z $coverage ]] || arguments+=("SVT_COVERED=$build")
	seconds=$(scaled "$limit")
	hold_processor
	ulimit -c 0
	timeout -k 5 "$seconds" taskset -c "$processor" "$kernel_dir/linux" "${arguments[@]}" \
		>"$run/console.log" 2>&1 </dev/null &
	guest=$!
	wait "$guest" || status=$?
	guest=
	if ((status == 124 || status == 137)); then
		status="timeout after $seconds s"
	fi
}

# boot_qemu: sets status to how it ended
boot_qemu() {
	export SVT_NONCE=$nonce SVT_LOAD=$run/load
	"$TOP/tests/vm/run.sh" --kernel "$kernel" --bare --smp 1 --mem 1024 --timeout "$limit" \
		--console "$run/console.log" --files "$run" --append "ignore_loglevel panic_on_warn=0 \
		${kunit_words[*]}" \
		-- "$helpers/suites.sh" /run/svt/files >"$run/vm.log" 2>&1 || status=$?
}

run_suites() {
	local start=$SECONDS nonce=$$-$RANDOM-$RANDOM status=0
	# Newer kernels run the suites of a module by themselves only when told
	local kunit_words=(kunit.enable=1 kunit.autorun=1 ${filter:+"kunit.filter_glob=$filter"})

	rm -rf "$run"
	mkdir -p "$run"
	plan_load
	if is_uml "$kernel"; then
		boot_uml
	else
		boot_qemu
	fi
	echo "$status" >"$run/status"
	status=0
	say "kunit: guest ran $((SECONDS - start)) s, its console is in $run/console.log"
	[[ -z $filter ]] || expected=any
	perl "$helpers/report.pl" "$run" "$expected" "$nonce" || status=$?
	((status > 1)) || verdict=yes
	return "$status"
}

verdict=no
guest=
trap leave EXIT
parse_arguments "$@"
need_tools
kernel_dir=$("$TOP/scripts/kernel.sh" "$kernel")
mkdir -p "$build"
hold_lock "$build/kunit.lock"
output=$build/kunit.log
build_modules
run_suites
