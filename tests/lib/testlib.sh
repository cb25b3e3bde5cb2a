# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The test harness of the guest: a file tests/e2e/NN-name.sh sources it, calls run_test for each of
# its tests and finish at its end. Namespaces, devices and pairs of programs are in pair.sh, programs
# that are suites of cases in ktap.sh, what the machine is in machine.sh; they come along. Results are
# KTAP, indented by KTAP_INDENT where they are part of others.
#
# A test is a function: it fails when a command in it fails, when it takes too long (TEST_LIMIT
# seconds, 150 unless set, times SVT_TIME_SCALE), or when the kernel complains meanwhile. Its output
# is shown when it failed, or with SVT_VERBOSE=1. WORK is a directory for its files, empty at its
# start.
#
# Nothing a test starts survives it; network namespaces, devices and modules do, so tests may share
# a setup_pair done before them. After a failed test all of it is torn down and the pair, if there
# was one, set up afresh.

set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/pair.sh"
. "$(dirname "${BASH_SOURCE[0]}")/ktap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/machine.sh"

SVT_RESULTS=${SVT_RESULTS:-/dev/null}
TEST_LIMIT=${TEST_LIMIT:-150}
TEST_FILE=$(basename "$0" .sh)
WORK=/run/svt/work
mkdir -p "$WORK"

# What the kernel never says when all is well. A warning or an oops ends the VM anyway: these are
# the rest.
SPLAT='WARNING:|BUG:|Oops|general protection|Call Trace|circular locking|inconsistent lock|'
SPLAT+='suspicious RCU|stall|refcount|leak|KASAN|UBSAN|blocked for more than|to become free|'
SPLAT+='page_counter|bad page|hung|infiniband.*Couldn'

# Who asks which tests there are wants nothing set up, and gets those of the kernel SVT_LIST with
# SVT_LIST_SMP processors, whatever this one is.
if [ -n "${SVT_LIST:-}" ]; then
	SVT_KERNEL=$SVT_LIST
	for command in ip rdma tc ethtool modprobe insmod sysctl setup_pair setup_net add_device until_true \
		gid_index; do
		eval "$command() { :; }"
	done
	uname() {
		if is_made "$SVT_LIST"; then
			echo "6.12.0-svt-$SVT_LIST"
		else
			echo "${SVT_LIST##*/}.0"
		fi
	}
	nproc() {
		echo "$SVT_LIST_SMP"
	}
fi

passed=0 failed=0 finished= number=0 tests_ms=0
KTAP_INDENT=${KTAP_INDENT:-}

# allow SECONDS: what run-files.sh waits for the next sign of a file's progress, times SVT_TIME_SCALE,
# and a minute more, for there is work behind a test that took its whole time
allow() {
	echo "$(scaled "$1") $EPOCHREALTIME" >"$PROGRESS"
}
PROGRESS=/run/svt/progress
BETWEEN_TESTS=300

# ktap LINE...: each a line of the results
ktap() {
	printf "$KTAP_INDENT%s\n" "$@"
}

# ktap_notes: what comes in, as remarks on the test that ends next
ktap_notes() {
	sed -u "s/^/$KTAP_INDENT# /"
}

# show_subtests: what the cases of the programs of a test came to
show_subtests() {
	[ -s "$SUBTESTS" ] || return
	sed "s/^/$KTAP_INDENT    /" "$SUBTESTS"
	echo "cases $TEST_FILE $(ktap_count)" >>"$SVT_RESULTS"
}

# milliseconds: of a clock that only tells how long something took
milliseconds() {
	local now=${EPOCHREALTIME/[.,]/}
	echo "${now%???}"
}

# in_seconds MILLISECONDS
in_seconds() {
	printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100))
}

# What the kernel said since the end of the last test, a file. Descriptor 9 stands behind what was
# read from the kernel's log, so each record is read once: programs are slow to start in this VM.
KMSG=/run/svt/kmsg
exec 9</dev/kmsg

read_dmesg() {
	dd iflag=nonblock bs=8k status=none <&9 >>"$KMSG" 2>/dev/null
}
read_dmesg
: >"$KMSG"

# What it said and should not have. Our own lines in the log name a test, and a name may have any
# word in it.
complaints() {
	local line
	while read -r line; do
		[[ $line == *"svt test: "* || ! $line =~ $SPLAT ]] || echo "kernel: ${line#*;}"
	done <"$KMSG"
}

show_dmesg() {
	sed -n 's/^[0-9]*,[^;]*;/kernel: /p' "$KMSG" | tail -n 40
}

# Runs "$@" as a job of its own process group, with a time limit; whatever is left of the group is
# killed. Not to be called in a condition: bash would ignore `set -e` in the job as well.
run_limited() {
	local log=$1 limit=$2 job watch status=0
	shift 2
	set -m
	( set -eu; "$@" ) >"$log" 2>&1 </dev/null 9<&- &
	job=$!
	(
		nap "$limit"
		echo "time limit of $limit s"
		kill -9 -- "-$job"
	) >>"$log" 2>&1 &
	watch=$!
	set +m
	wait "$job" 2>/dev/null || status=$?
	kill -9 -- "-$watch" "-$job" 2>/dev/null
	wait "$watch" 2>/dev/null
	return "$status"
}

# What a program calls a failure may be far above the end of its output.
report_failure() {
	{
		ktap_failures <(head -n -60 "$1") | head -n 40
		tail -n 60 "$1"
		show_dmesg
	} | ktap_notes
}

# The few lines that stand again at the end of all tests
record_failure() {
	echo "fail $TEST_FILE: $1" >>"$SVT_RESULTS"
	{
		ktap_failures "$2" | head -n 6
		complaints | head -n 2
		tail -n 3 "$2"
	} | sed 's/^ */why /' >>"$SVT_RESULTS"
}

# Kernels of scripts/kernel.sh look at every access, and are slow; those in an emulator slower still
is_checked() {
	[[ $(uname -r) == *-svt-*(um-)@(debug|kcsan) ]]
}

is_checked_emulated() {
	[[ $(uname -r) == *-svt-@(debug|kcsan) ]]
}

# choice SHORT FULL: in make check or in make check-full
choice() {
	[ -z "${SVT_FULL:-}" ] && echo "$1" || echo "$2"
}

# amount SHORT FULL: how much of it, likewise; where is_checked_emulated, a twentieth of FULL but
# SHORT at least
amount() {
	local full=$2
	! is_checked_emulated || full=$((full / 20 > $1 ? full / 20 : $1))
	choice "$1" "$full"
}

# fails COMMAND...: it has to fail. (`! COMMAND` would not end a test that runs under -e.)
fails() {
	! "$@" || die "this should have failed: $*"
}

# fails_with MESSAGE COMMAND...: it has to fail for that reason, an extended regular expression
fails_with() {
	! "${@:2}" >"$WORK/failure" 2>&1 || die "this should have failed: ${*:2}"
	cat "$WORK/failure"
	grep -qE "$1" "$WORK/failure"
}

# What a library has to do when a test has ended, and before what the kernel said is looked at
after_test() {
	:
}

# report_result NAME STARTED LOG [WHY]: of a test that began at STARTED, in milliseconds, and left LOG;
# with WHY it failed
report_result() {
	local time
	time=$(in_seconds $(($(milliseconds) - $2)))
	number=$((number + 1))
	if [ -z "${4:-}" ]; then
		[ -z "${SVT_VERBOSE:-}" ] || ktap_notes <"$3"
		show_subtests
		ktap "ok $number $1 # $time"
		passed=$((passed + 1))
		echo "pass $TEST_FILE: $1" >>"$SVT_RESULTS"
		return
	fi
	echo "failed: $4" >>"$3"
	report_failure "$3"
	show_subtests
	ktap "not ok $number $1 # $time"
	failed=$((failed + 1))
	record_failure "$1" "$3"
}

# is_wanted NAME: of a test. Who only asks which there are gets the name.
is_wanted() {
	[ -z "${SVT_EACH:-}" ] && [[ "e2e/$TEST_FILE/$1" =~ ${SVT_ONLY:-} ]] || return
	[ -n "${SVT_LIST:-}" ] || return 0
	echo "case $TEST_FILE: $1" >>"$SVT_RESULTS"
	return 1
}

# is_empty DIRECTORY: without starting a program
is_empty() {
	local file
	for file in "$1"/*; do
		[ ! -e "$file" ] || return
	done
}

# run_test NAME FUNCTION [ARGUMENT...]
run_test() {
	local name=$1 log=/run/svt/test.log started bad= status
	shift
	is_wanted "$name" || return 0
	is_empty "$WORK" || rm -rf "${WORK:?}"/*
	: >"$SUBTESTS"
	echo "svt test: $name" >/dev/kmsg
	started=$(milliseconds)
	allow "$TEST_LIMIT"
	run_limited "$log" "$(scaled "$TEST_LIMIT")" "$@"
	status=$?
	[ "$status" = 0 ] || bad="status $status"
	after_test
	read_dmesg
	if [ -n "$(complaints)" ]; then
		bad="$bad kernel complaint"
	fi
	report_result "$name" "$started" "$log" "$bad"
	tests_ms=$((tests_ms + $(milliseconds) - started))
	allow "$BETWEEN_TESTS"
	if [ -n "$bad" ]; then
		recover_pair
		read_dmesg
	fi
	: >"$KMSG"
}

# run_on_each NAME FUNCTION [ARGUMENT...]: a test of what depends on the kernel that svt is loaded
# into, or what such a test needs to have run. Where SVT_EACH is set, only these are run.
run_on_each() {
	SVT_EACH='' run_test "$@"
}

# skip_test NAME WHY: one that this kernel or machine can not run. It has neither passed nor failed
skip_test() {
	[ -z "${SVT_LIST:-}" ] && is_wanted "$1" || return 0
	number=$((number + 1))
	ktap "ok $number $1 # SKIP $2"
	echo "skip $TEST_FILE: $1: $2" >>"$SVT_RESULTS"
}

# skip_on_each NAME WHY: of those that are run_on_each where they can be run
skip_on_each() {
	SVT_EACH='' skip_test "$@"
}

finish() {
	finished=1
	echo "$tests_ms" >/run/svt/tests_ms
	echo "$TEST_FILE: $passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}

ended_early() {
	[ -z "$finished" ] || return
	ktap "not ok $((number + 1)) ended before its last test"
	echo "fail $TEST_FILE: ended before its last test" >>"$SVT_RESULTS"
	exit 1
}
trap ended_early EXIT
