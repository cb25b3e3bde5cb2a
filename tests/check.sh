#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Everything that must pass before a commit lands, in stages.
# Usage: check.sh [--full|--kcsan] [--list] [--only PATTERN]
#
# Other stages instead: with --full the long ones, with --kcsan those in a kernel that looks for data
# races. --list runs nothing, and prints the cases: CASE, KERNEL and STAGE, with tabs between.
# PATTERN is an extended regular expression for names of stages (see `stages` below) or of
# end-to-end tests. A file of these runs in the first stage that has it; STAGE/FILE is for another.
# Logs and the results as KTAP, check.ktap, are kept in build/check. A stage that cannot run counts as
# a failure. The last line is "N passed, N failed".
#
# There is no limit on the whole, nor on a stage: those on tests end what hangs, and grow with the time
# that this machine takes for a given piece of work.

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
cd "$TOP"
. tests/stages.sh
. tests/lib/pattern.sh

LOGS=$BUILD/check
KTAP=$LOGS/check.ktap
# The results of the last run of each stage
MATRIX=$BUILD/matrix
# Stages at a time, those of WAITING not counted: a VM may take 4 GB and two processors
MOST=2
passed=0 failed=0 ran=0
failures=() verdict= named=
declare -A started=() begun=() seconds=() taken=()

which= only= list=
case ${1:-} in
--full | --kcsan)
	which=${1#--}_
	shift
	;;
esac
if [ "${1:-}" = --list ]; then
	list=1
	shift
fi
if [ "${1:-}" = --only ]; then
	only=${2:?check.sh: --only needs a pattern}
	[[ "" =~ $only ]] || [ $? = 1 ] || die "'$only' is not an extended regular expression"
fi

clock() {
	printf '%3d:%02d' $((SECONDS / 60)) $((SECONDS % 60))
}

# add_ktap STAGE FAILED: its log, where that is KTAP, as part of all results
add_ktap() {
	local result=ok
	[ "$2" = 0 ] || result="not ok"
	if grep -q '^KTAP version 1' "$LOGS/$1.log"; then
		echo "    KTAP version 1"
		echo "    # Subtest: $1"
		sed -nE '/^KTAP version 1/,${/^ *(ok|not ok|#|1\.\.|KTAP version 1$)/s/^/    /p}' \
			"$LOGS/$1.log" | sed 1d
	fi
	echo "$result $ran $1 # ${seconds[$1]} s"
} >>"$KTAP"

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
	ran=$((ran + 1))
	seconds[$1]=$((SECONDS - begun[$1]))
	[ ! -e "$LOGS/$1.results" ] || cp "$LOGS/$1.results" "$MATRIX/"
	add_ktap "$1" "$f"
	if [ "$f" = 0 ]; then
		echo "[$(clock)] $1: ok ($p passed, ${seconds[$1]} s)"
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

# busy: how many stages run, but for those that mostly wait
busy() {
	local name count=0
	for name in "${started[@]}"; do
		[[ " ${WAITING[*]} " == *" $name "* ]] || count=$((count + 1))
	done
	echo "$count"
}

# begin NAME FUNCTION COMMAND...: if the stage is wanted, FUNCTION runs the command in the background
# as soon as fewer than MOST stages are busy; finish waits for all.
begin() {
	[[ $1 =~ $only ]] || return 0
	[ -z "$only" ] || named=1
	while [ "$(busy)" -ge "$MOST" ]; do
		finish_one
	done
	echo "[$(clock)] $1 ..."
	begun[$1]=$SECONDS
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
	if [ -n "$list" ]; then
		list_stage "$1"
		return
	fi
	begin "$1" quietly "${@:2}"
}

# long_stage NAME COMMAND...: shows the output as it grows
long_stage() {
	if [ -n "$list" ]; then
		list_stage "$1"
		return
	fi
	begin "$1" loudly "${@:2}"
}

no_warnings() {
	local log
	log=$("$@" 2>&1) || { echo "$log"; return 1; }
	echo "$log"
	! grep -q 'warning:' <<<"$log"
}

# make_programs KERNEL: of its root, if it has one: the provider, and, of another architecture, the test
# programs. Stages that run at a time may want the same ones.
make_programs() {
	local root=${1%%/*} targets=(provider)
	[[ $1 == */* ]] || return 0
	[[ $root != *-* ]] || targets+=(tools)
	flock "$LOGS/$root.lock" make -s "${targets[@]}" ROOT="$root"
}

# with_modules KERNEL COMMAND...: once the modules for the kernel are there, which may have to be made
# itself, and the programs of its root. Stages of their own build them where all stages run.
with_modules() {
	scripts/build-modules.sh --strict --lean "$1" && make_programs "$1" || return
	"${@:2}"
}

# with_selftests KERNEL COMMAND...: once the tests that came with that kernel are in build/selftests
with_selftests() {
	scripts/selftests.sh "${1%%/*}" || return
	"${@:2}"
}

# with_image COMMAND...: once the image for containers is in build/container
with_image() {
	scripts/install-deps.sh full && tests/containers/image.sh || return
	"$@"
}

# stage_e2e NAME KERNEL PROCESSORS|icount|peer=KERNEL|pmem=MB FILE...: a long stage of end-to-end tests
stage_e2e() {
	local name=$1 kernel=$2 smp=1 pattern file options=(--name "$1") built=(with_modules "$2")
	case $3 in
	icount) options+=(--icount) ;;
	pmem=*) options+=(--pmem "${3#pmem=}") ;;
	peer=*)
		options+=(--peer "${3#peer=}")
		built+=(with_modules "${3#peer=}")
		;;
	*) smp=$3 ;;
	esac
	shift 3
	[[ $1 != tests/selftests/* ]] || built+=(with_selftests "$kernel")
	[[ $1 != tests/containers/* ]] || built+=(with_image)
	if [[ $name =~ $only ]]; then
		pattern=
	else
		pattern=$(pattern_for "$name") || return 0
		mapfile -t files < <(wanted_files "$pattern" "$@")
		[ ${#files[@]} -gt 0 ] || return 0
		set -- "${files[@]}"
	fi
	if [ -n "$list" ]; then
		only='' list_e2e "$name" "$kernel" "$smp" ${pattern:+--only "$pattern"} "$@"
		return
	fi
	[ -z "$pattern" ] || for file; do
		taken[$file]=$name
	done
	only='' begin "$name" loudly "${built[@]}" tests/e2e.sh --kernel "$kernel" --smp "$smp" \
		"${options[@]}" ${pattern:+--only "$pattern"} "$@"
}

# list_e2e STAGE KERNEL PROCESSORS FILE...: what its tests are called. User-Mode Linux is asked, which
# is there in a second, and answers for the kernel.
list_e2e() {
	local log=$LOGS/list-$1
	SVT_LIST=$2 SVT_LIST_SMP=$3 tests/e2e.sh --kernel um --name "list-$1" "${@:4}" >"$log.log" 2>&1 || :
	sed -n "s|^case \([^:]*\): \(.*\)|\1: \2\t$2\t$1|p" "$log.results"
}

# list_stage NAME: the cases of a stage that is no e2e one
list_stage() {
	[[ $1 =~ $only ]] || return 0
	cases_of "$1" | sed "s/\$/\t$1/"
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

# show_times: of each stage, and of each file in a VM. More than tests/budgets allows is marked; it
# fails nothing. Then what each ran on.
show_times() {
	local name
	for name in "${!seconds[@]}"; do
		echo "$name ${seconds[$name]}"
	done | sort >"$LOGS/seconds"
	python3 tests/times.py --scale "$SVT_TIME_SCALE" "$LOGS" | tee "$LOGS/times"
	python3 tests/matrix.py "$LOGS"
}

# A machine that is slower than the one that the limits are for gets longer ones
follow_speed() {
	local factor
	factor=$(scripts/machine-speed.sh)
	say "[$(clock)] a piece of work takes this machine $factor times as long as the one that limits are for"
	SVT_TIME_SCALE=$(awk -v f="$factor" -v s="$SVT_TIME_SCALE" 'BEGIN { print s * (f < 1 ? 1 : f) }')
	export SVT_TIME_SCALE
}

mkdir -p "$LOGS" "$MATRIX"
if [ -n "$list" ]; then
	${which}stages
	exit
fi
trap early_end EXIT
rm -f "$LOGS"/*.log "$LOGS"/*.results
echo "KTAP version 1" >"$KTAP"
echo "[$(clock)] packages ..."
scripts/install-deps.sh check
follow_speed
if [ -n "$only$which" ]; then
	echo "[$(clock)] build what the tests need ..."
	make provider tools >"$LOGS/make.log" 2>&1 ||
		{ tail -n 40 "$LOGS/make.log" && die "the build failed"; }
fi
${which}stages
[ "$ran" -gt 0 ] || die "nothing matches '$only'"
show_times
[ ${#failures[@]} = 0 ] || echo "failed stages: ${failures[*]}"
for name in "${failures[@]}"; do
	show_failure "$name"
done
echo "[$(clock)] done"
echo "$passed passed, $failed failed"
verdict=1
[ "$failed" = 0 ]
