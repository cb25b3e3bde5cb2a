#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Everything that must pass before a commit lands, in stages.
# Usage: check.sh [--full|--kcsan] [--only PATTERN]
#
# Other stages instead: with --full the long ones (all tests in the debug kernel, the hostile ones at
# length), with --kcsan those in a kernel that looks for data races.
# PATTERN is an extended regular expression for names of stages (see `stages` below) or of
# end-to-end tests. Logs are kept in build/check. A stage that cannot run counts as a failure. The
# last line is "N passed, N failed".

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
cd "$TOP"

LOGS=$BUILD/check
# Of the end-to-end tests in the debug kernel, what a few minutes suffice for: programs, what is
# copied without a packet, a client in the kernel that has each type of QP, packets that broke
# others. check-full runs them all.
DEBUG_SUBSET='10-pingpong/((rc|ud) pingpong|teardown.*)$|'
DEBUG_SUBSET+='36-[^/]*/(values|teardown)|'
DEBUG_SUBSET+='45-[^/]*/(the client|between two|a device|teardown)|'
DEBUG_SUBSET+='10-packets/(48|pad|ICRC|ATOMIC|iova|teardown)'
# Seconds after which no end-to-end test goes on: 84 minutes
LIMIT=$(scaled 5040)
# Stages at a time: a VM may take 4 GB and two processors
MOST=2
passed=0 failed=0 ran=0
failures=() verdict= named=
declare -A started=()

which= only=
case ${1:-} in
--full | --kcsan)
	which=${1#--}_
	shift
	;;
esac
if [ "${1:-}" = --only ]; then
	only=${2:?check.sh: --only needs a pattern}
	[[ "" =~ $only ]] || [ $? = 1 ] || die "'$only' is not an extended regular expression"
fi

clock() {
	printf '%3d:%02d' $((SECONDS / 60)) $((SECONDS % 60))
}

# add_result STAGE STATUS: a stage that ends with a line of counts counts as that, any other as one
# test.
add_result() {
	local line p=0 f=0
	line=$(tail -n 1 "$LOGS/$1.log")
	if [[ $line =~ ^([^:]*:\ )?([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		p=${BASH_REMATCH[2]} f=${BASH_REMATCH[3]}
		[ "$2" = 0 ] || [ "$f" != 0 ] || f=1
		[ $((p + f)) -gt 0 ] || f=1
	elif [ "$2" = 0 ]; then
		p=1
	else
		f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	if [ "$f" = 0 ]; then
		echo "[$(clock)] $1: ok ($p passed)"
	else
		echo "[$(clock)] $1: FAILED ($p passed, $f failed), log: $LOGS/$1.log"
		failures+=("$1")
	fi
}

# finish_one: the stage that ends next
finish_one() {
	local status=0 process
	wait -n -p process "${!started[@]}" || status=$?
	add_result "${started[$process]}" "$status"
	unset "started[$process]"
}

finish() {
	while [ ${#started[@]} -gt 0 ]; do
		finish_one
	done
}

# begin NAME FUNCTION COMMAND...: if the stage is wanted, FUNCTION runs the command in the background
# as soon as fewer than MOST stages run; finish waits for all.
begin() {
	[[ $1 =~ $only ]] || return 0
	[ -z "$only" ] || named=1
	while [ ${#started[@]} -ge "$MOST" ]; do
		finish_one
	done
	ran=$((ran + 1))
	echo "[$(clock)] $1 ..."
	"$2" "$1" "${@:3}" </dev/null &
	started[$!]=$1
}

quietly() {
	"${@:2}" >"$LOGS/$1.log" 2>&1 && return
	tail -n 40 "$LOGS/$1.log" | sed 's/^/        /'
	return 1
}

loudly() {
	"${@:2}" 2>&1 | tee "$LOGS/$1.log" | sed -u "s/^/        $1: /"
}

# stage NAME COMMAND...: shows the output when it failed
stage() {
	begin "$1" quietly "${@:2}"
}

# long_stage NAME COMMAND...: shows the output as it grows
long_stage() {
	begin "$1" loudly "${@:2}"
}

no_warnings() {
	local log
	log=$("$@" 2>&1) || { echo "$log"; return 1; }
	echo "$log"
	! grep -q 'warning:' <<<"$log"
}

# wanted_files FILE...: those that the pattern may mean, by their names, or, unless it is for other
# stages, by a name of a test in them.
wanted_files() {
	local file
	for file; do
		[[ "e2e/$(basename "$file" .sh)" =~ $only ]] ||
			{ [ -z "$named" ] && grep -qE -- "${only##*/}" "$file"; } || continue
		echo "$file"
	done 2>/dev/null
}

# built_e2e KERNEL OPTION...: its modules are built by no stage, as it may have to be made first
built_e2e() {
	local left status=0
	! is_made "$1" || scripts/build-modules.sh --strict "$1" || return
	left=$((LIMIT > SECONDS ? LIMIT - SECONDS : 1))
	timeout -k 30 "$left" tests/e2e.sh --kernel "$@" || status=$?
	[ "$status" != 124 ] || echo "stopped: check.sh may take $((LIMIT / 60)) minutes"
	return "$status"
}

# stage_e2e NAME KERNEL PROCESSORS|icount|peer=KERNEL FILE...: a long stage of end-to-end tests
stage_e2e() {
	local name=$1 pattern=$only options=("$2" --name "$1")
	case $3 in
	icount) options+=(--icount) ;;
	peer=*) options+=(--smp 1 --peer "${3#peer=}") ;;
	*) options+=(--smp "$3") ;;
	esac
	shift 3
	if [[ $name =~ $only ]]; then
		pattern=
	else
		mapfile -t files < <(wanted_files "$@")
		[ ${#files[@]} -gt 0 ] || return 0
		set -- "${files[@]}"
	fi
	only='' long_stage "$name" built_e2e "${options[@]}" ${pattern:+--only "$pattern"} "$@"
}

# show_failure STAGE: once more and briefly, as what is kept of a long output is its end. Stages of
# tests in a VM name at their end what failed.
show_failure() {
	local log=$LOGS/$1.log lines
	lines=$(sed -n '/^failed: /,$p' "$log")
	sed "s/^/$1: /" <<<"${lines:-$(tail -n 12 "$log")}" | head -n 30
}

# Whatever ends this script before its verdict is a failure.
early_end() {
	[ -n "$verdict" ] || echo "$passed passed, $((failed + 1)) failed"
}

stages() {
	local series
	stage layers scripts/check-layers.sh
	for series in "${SERIES[@]}"; do
		stage "build-$series" scripts/build-modules.sh --strict "$series"
	done
	stage provider no_warnings make provider
	stage tools no_warnings make tools
	finish
	for series in "${SERIES[@]}"; do
		stage "sparse-$series" scripts/build-modules.sh --strict --sparse "$series"
	done
	stage provider-check no_warnings make -C providers/svt BUILD="$BUILD/provider" check
	stage fuzz tests/fuzz.sh
	stage bench-tables python3 tests/bench/selftest.py
	long_stage kunit scripts/kunit.sh --strict
	long_stage style scripts/check-style.sh
	long_stage install tests/vm/run.sh --kernel 6.1 --smp 1 --timeout 900 --bare \
		-- tests/install.sh
	long_stage harness tests/vm/run.sh --kernel 6.1 --smp 1 --timeout 900 --bare \
		-- tests/lib/selftest.sh
	for series in "${SERIES[@]}"; do
		stage_e2e "icount-$series" "$series" icount tests/icount/[0-9]*.sh
	done
	# One processor finds other errors than two: who polls then keeps the others from running
	SVT_TURN=1 stage_e2e e2e-6.12 6.12 2 tests/e2e/[0-9]*.sh tests/hostile/20-*.sh
	SVT_TURN=0 stage_e2e e2e-6.1 6.1 1 tests/e2e/[0-9]*.sh
	stage_e2e hosts-6.12 6.12 peer=6.12 tests/hosts/[0-9]*.sh
	SVT_ONLY=$DEBUG_SUBSET stage_e2e e2e-debug debug 2 \
		tests/e2e/{10,36,45}-*.sh tests/hostile/10-*.sh
	finish
}

bench_host() {
	scripts/install-deps.sh bench
	tests/vm/run.sh --kernel 6.12 --timeout 900 -- tests/bench/host.sh
}

# The longest first, so that the last two end together. What the packets and operations of 6.12 did
# not find, a short run on 6.1 is for.
full_stages() {
	export SVT_FULL=1
	stage_e2e full-hostile-6.12 6.12 2 tests/hostile/[0-9]*.sh
	stage_e2e full-hostile-debug debug 2 tests/hostile/[0-9]*.sh
	stage_e2e full-debug-1 debug 2 tests/e2e/{10,15,20,30,32,33,35,37,38,40}-*.sh
	stage_e2e full-debug-2 debug 2 \
		tests/e2e/{36,45,50,55,60,65,71,72,73,74,76,78,80,85}-*.sh
	long_stage full-bench-host bench_host
	stage_e2e full-hosts-6.1 6.1 peer=6.1 tests/hosts/[0-9]*.sh
	stage_e2e full-hosts-6.12 6.12 peer=6.1 tests/hosts/[0-9]*.sh
	SVT_FULL='' stage_e2e full-hostile-6.1 6.1 2 tests/e2e/20-*.sh tests/hostile/[0-9]*.sh
	finish
}

kcsan_stages() {
	stage_e2e kcsan kcsan 2 tests/e2e/{10,35,36,40,50,55,72,80}-*.sh tests/hostile/[0-9]*.sh
	finish
}

trap early_end EXIT
mkdir -p "$LOGS"
rm -f "$LOGS"/*.log
echo "[$(clock)] packages ..."
scripts/install-deps.sh check
if [ -n "$only$which" ]; then
	echo "[$(clock)] build what the tests need ..."
	make all tools >"$LOGS/make.log" 2>&1 ||
		{ tail -n 40 "$LOGS/make.log" && die "the build failed"; }
fi
${which}stages
[ "$ran" -gt 0 ] || die "nothing matches '$only'"
[ ${#failures[@]} = 0 ] || echo "failed stages: ${failures[*]}"
for name in "${failures[@]}"; do
	show_failure "$name"
done
echo "[$(clock)] done"
echo "$passed passed, $failed failed"
verdict=1
[ "$failed" = 0 ]
