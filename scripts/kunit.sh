#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs the KUnit suites of the modules in a User-Mode Linux kernel that has KASAN,
# lockdep and the other checkers; scripts/kernel.sh makes it.  The modules are built in
# build/kunit/ from a copy of drivers/ and include/.

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
	  --filter GLOB     run the suites (or suite.case) that match
	  --module NAME     load this one only, of ours (may be given again)
	  --source DIR      take drivers/ and include/ from DIR instead of this tree
	  --build DIR       build and run there instead of in build/kunit
	  --coverage        count the lines that the suites run, for scripts/coverage.sh
	  --strict          a warning of the compiler (W=1) is an error
	  --timeout SEC     limit for the guest (default 240, times SVT_TIME_SCALE)
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
	source=$TOP
	build=
	coverage=
	filter=
	only=()
	limit=240
	flags=()
	while (($#)); do
		case $1 in
		--filter|--module|--source|--build|--timeout)
			(($# > 1)) || die "$1 needs a value"
			;;&
		--filter) filter=$2; shift ;;
		--module) only+=("$2"); shift ;;
		--source) source=$(realpath "$2"); shift ;;
		--build) build=$(realpath -m "$2"); shift ;;
		--timeout) limit=$2; shift ;;
		--strict) flags+=(W=1 KCFLAGS="-Werror -Wno-missing-include-dirs") ;;
		--coverage)
			coverage=yes
			flags+=(GCOV_PROFILE=y)
			;;
		--self-test) exec "$helpers/selftest.sh" ;;
		--help|-h) verdict=yes; usage; exit ;;
		*) usage >&2; die "unknown argument $1" ;;
		esac
		shift
	done
	build=${build:-$BUILD/kunit${coverage:+-coverage}}
	run=$build/run
}

need_tools() {
	need perl perl
	need readelf binutils
	need modinfo kmod
	need taskset util-linux
}

# ---- the modules ---------------------------------------------------------------------

list_sources() {
	local folders=(drivers)

	[[ ! -d $source/include ]] || folders+=(include)
	(cd "$source" && find "${folders[@]}" -type f \
		\( -name '*.[chS]' -o -name Kbuild -o -name Makefile -o -name Kconfig \) \
		! -name '*.mod.c' ! -name probed.h | sort)
}

# Copies what differs.  When a file has gone, everything made of the copy goes too:
# an object without its source would pass for up to date.
mirror_sources() {
	local file

	[[ -d $source/drivers ]] || die "no drivers/ in $source"
	mkdir -p "$build"
	list_sources >"$build/sources.new"
	if [[ -e $build/sources ]] &&
	   [[ -n $(comm -23 "$build/sources" "$build/sources.new") ]]; then
		rm -rf "$build/drivers" "$build/include"
	fi
	while read -r file; do
		cmp -s "$source/$file" "$build/$file" || {
			mkdir -p "$build/${file%/*}"
			cp "$source/$file" "$build/$file"
		}
	done <"$build/sources.new"
	mv "$build/sources.new" "$build/sources"
}

build_modules() {
	local start=$SECONDS log=$build/modules.log

	if ! make -C "$kernel" ARCH=um M="$build/drivers" CONFIG_SVT_KUNIT_TEST=y \
			-j"$(nproc)" "${flags[@]}" modules >"$log" 2>&1; then
		grep -E -A8 'error|warning:|undefined|No rule' "$log" | head -n 60 ||
			tail -n 30 "$log"
		die "the modules do not build, see $log"
	fi
	grep -E -A8 'warning:' "$log" | head -n 60 || true
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

# Leaves the guest's exit status in $run/status.
boot() {
	local status=0 release seconds
	local arguments=(mem=1G root=/dev/root rootfstype=hostfs rootflags=/ ro
		"init=$helpers/init.sh" con=null "con0=null,fd:1" ignore_loglevel
		panic=1 kasan_multi_shot kunit.enable=1
		"SVT_RUN=$run" "SVT_NONCE=$nonce")

	release=$(<"$kernel/.kernelrelease")
	arguments+=("SVT_MODULES=$kernel/lib/modules")
	[[ -d /lib/modules ]] || die "no /lib/modules here: apt-get install linux-headers-amd64"
	[[ -d $kernel/lib/modules/$release ]] || die "remove $kernel: it is not complete"
	[[ -z $filter ]] || arguments+=("kunit.filter_glob=$filter")
	[[ -z $coverage ]] || arguments+=("SVT_COVERED=$build")
	seconds=$(scaled "$limit")
	hold_processor
	ulimit -c 0
	timeout -k 5 "$seconds" taskset -c "$processor" "$kernel/linux" "${arguments[@]}" \
		>"$run/console.log" 2>&1 </dev/null &
	guest=$!
	wait "$guest" || status=$?
	guest=
	if ((status == 124 || status == 137)); then
		status="timeout after $seconds s"
	fi
	echo "$status" >"$run/status"
}

run_suites() {
	local start=$SECONDS nonce=$$-$RANDOM-$RANDOM status=0

	rm -rf "$run"
	mkdir -p "$run"
	plan_load
	boot
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
kernel=$("$TOP/scripts/kernel.sh" um-debug)
hold_lock "$build.lock"
made_for "$build" "$kernel"
mirror_sources
build_modules
run_suites
