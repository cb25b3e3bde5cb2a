#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The harness tested with the kernel's own software device, rxe, both ends in the first namespace:
# that it passes what works, and fails what does not. Runs in the guest: tests/vm/run.sh --
# tests/lib/selftest.sh

. "$(dirname "$0")/testlib.sh"

ends_are_here

pingpong() {
	local gid
	gid=$(gid_index rxe0 v4)
	pair ibv_rc_pingpong -d rxe0 -g "$gid" -n 100 -- \
		ibv_rc_pingpong -d rxe0 -g "$gid" -n 100 10.0.0.1
	grep -q '100 iters' "$WORK/client"
}

bandwidth() {
	pair ib_write_bw -d rxe0 -F -n 200 -- ib_write_bw -d rxe0 -F -n 200 10.0.0.1
}

cm_pingpong() {
	pair rping -s -C 10 -a 10.0.0.1 -v -- rping -c -C 10 -a 10.0.0.1 -v
}

# With real namespaces: the client starts as soon as the server listens there, not later.
in_namespaces() {
	. "$TOP/tests/lib/pair.sh"
	setup_net
	# A server without input ends the connection, before the client has said anything if it is slow
	pair sh -c "exec busybox nc -l -p 7000 <>$NAP" -- \
		sh -c 'echo hello | busybox nc 10.0.0.1 7000' >"$WORK/log"
	cat "$WORK/log"
	grep -q hello "$WORK/server"
	fails grep 'not seen to listen' "$WORK/log"
	ip netns delete a
	ip netns delete b
}

is_failure() {
	echo "$1"
	[[ $1 == *"not ok "* ]]
}
quiet_server() {
	PAIR_READY=true pair sleep 1 -- true
}
slow_client() {
	PAIR_READY=true PAIR_LIMIT=1 pair sleep 30 -- sleep 30
}
wrong_status() {
	pair true -- false
}
too_long() {
	sleep 30
}
kernel_complaint() {
	echo "BUG: not really" >/dev/kmsg
}
failing_middle() {
	false
	true
}

# prints LINE...: as a suite of two cases
prints() {
	suite printf '%s\n' "KTAP version 1" "1..2" "$@"
}
case_fails() {
	prints "ok 1 one" "# file.c:3: wrong" "not ok 2 two"
}
case_is_missing() {
	prints "ok 1 one"
}
case_is_skipped() {
	SKIPS='^two # SKIP later' prints "ok 1 one" "ok 2 two # SKIP never"
}
program_fails() {
	suite "$BUILD/tools/svt_handover" -d nosuch
}
cases_pass() {
	prints "ok 1 one" "ok 2 two # SKIP any"
	SKIPS='^two # SKIP never' prints "ok 1 one" "ok 2 two # SKIP never"
	SKIPS='' prints "ok 1 one" "ok 2 two"
	[ "$(grep -c '^ok [123] ' "$SUBTESTS")" = 3 ]
}

# Each program lists names, and knows no others
names_of_cases() {
	local tool status
	for tool in svt_{verify,errnos,sweep,rings,packets,raw,limits,handover} svt-conform; do
		tool=$BUILD/tools/$tool
		"$tool" -l >"$WORK/names"
		"$tool" -ll >"$WORK/more"
		[ -s "$WORK/names" ]
		[ "$(wc -l <"$WORK/more")" = "$(wc -l <"$WORK/names")" ]
		[ "$(sort "$WORK/names" | uniq -d)" = "" ]
		status=0
		"$tool" -t nosuch || status=$?
		[ "$status" = 2 ]
	done
}

# Results of a program that was given two of its cases, of which none can work. What took a tenth of a
# second says so
results_of_cases() {
	local status=0
	"$BUILD/tools/svt_limits" -d nosuch -t qps,depth >"$WORK/results" || status=$?
	cat "$WORK/results"
	[ "$status" = 1 ]
	sed -E '/^# /d; s/ # [0-9.]+ s$//' "$WORK/results" | cmp - <(printf '%s\n' "KTAP version 1" 1..2 \
		"ok 1 qps # SKIP only with a second device" "not ok 2 depth")
	[ "$(tail -n 1 "$WORK/results")" = "# 0 passed, 1 failed, 1 skipped" ]
}

# Tests of these files have WORK
FILES=/run/svt/files-of-tests

# run_file LINE...: a file of tests with these lines, run as run-files.sh does, in a fiftieth of the time
run_file() {
	rm -rf "$FILES"
	mkdir "$FILES"
	printf '%s\n' ". $TOP/tests/lib/testlib.sh" "$@" >"$FILES/10-file.sh"
	SVT_TIME_SCALE=0.02 SVT_RESULTS=$FILES/results "$TOP/tests/lib/run-files.sh" \
		"$FILES/10-file.sh" >"$FILES/output" 2>&1 || :
	cat "$FILES/output" "$FILES/results"
}

# Between two tests, where no limit of a test holds
file_without_progress() {
	run_file 'while :; do nap 1; done' 'finish'
	grep -q '^fail 10-file: no progress' "$FILES/results"
	grep -q '^not ok 1 10-file ' "$FILES/output"
}

cases_are_listed() {
	SVT_LIST=6.1 run_file 'run_test "one" false' 'run_on_each "two" false' 'finish'
	[ "$(grep ^case "$FILES/results")" = "case 10-file: one"$'\n'"case 10-file: two" ]
	fails grep -qE '^(pass|fail)' "$FILES/results"
}

only_what_depends_on_the_kernel() {
	SVT_EACH=1 run_file 'run_test "one" true' 'run_on_each "two" true' 'finish'
	[ "$(grep -E '^(pass|fail)' "$FILES/results")" = "pass 10-file: two" ]
}

skipped_is_not_passed() {
	run_file 'run_test "one" true' 'skip_test "two" "no such thing"' 'SVT_EACH=1' \
		'skip_test "three" "not asked for"' 'skip_on_each "four" "no such thing"' 'finish'
	grep -E '^(pass|fail|skip)' "$FILES/results" | cmp - <(printf '%s\n' "pass 10-file: one" \
		"skip 10-file: two: no such thing" "skip 10-file: four: no such thing")
	grep -q '^    ok 2 two # SKIP no such thing$' "$FILES/output"
	grep -qE '^machine [^ ]+ [^ ]+ [0-9]+ [0-9][^ ]+ [0-9][^ ]+$' "$FILES/results"
	grep -q '^# Linux ' "$FILES/output"
}

# chosen STAGE PATTERN FILE...: files of that stage that `make check T=PATTERN` would take, on one line
chosen() {
	local only=$2 named='' pattern
	declare -A taken=()
	pattern=$(pattern_for "$1") || return 0
	wanted_files "$pattern" "${@:3}" | xargs
}

# Each of the two files names the other's number in a test
a_pattern_chooses_files() {
	local files=("$FILES"/tests/e2e/{10-one,20-two}.sh "$FILES/tests/hostile/10-three.sh")
	. "$TOP/tests/lib/pattern.sh"
	rm -rf "$FILES"
	mkdir -p "$FILES"/tests/{e2e,hostile}
	cd "$FILES"
	files=("${files[@]#"$FILES/"}")
	echo 'run_test "20 at a time" true' >"${files[0]}"
	echo 'run_test "10 at a time" true' >"${files[1]}"
	echo 'run_test "packets" true' >"${files[2]}"
	[ "$(chosen functions e2e/10 "${files[@]}")" = "${files[0]}" ]
	[ "$(chosen functions "e2e/.*two" "${files[@]}")" = "${files[1]}" ]
	[ "$(chosen functions "10 at" "${files[@]}")" = "${files[1]}" ]
	[ "$(chosen functions e2e/20/10.at "${files[@]}")" = "${files[1]}" ]
	[ "$(chosen functions functions/20 "${files[@]}")" = "${files[1]}" ]
	[ "$(chosen hostile functions/20 "${files[@]}")" = "" ]
	[ "$(chosen hostile packets "${files[@]}")" = "${files[2]}" ]
	[ "$(chosen functions nothing "${files[@]}")" = "" ]
}

stage_is_in_the_matrix() {
	printf '%s\n' "machine 6.1 x86_64 4096 44.0-2 4.5" "pass file: one" "pass file: two" "fail file: three" \
		"why it is wrong" "skip file: four: no such thing" "cases file 3 1" "cases file 2 0" \
		>"$WORK/stage.results"
	echo "pass file: one" >"$WORK/other.results"
	python3 "$TOP/tests/matrix.py" "$WORK" >"$WORK/table"
	cat "$WORK/table"
	grep -qE '^stage +6\.1 +x86_64 +4096 +44\.0-2 +4\.5 +2 +1 +1 +5 +1 ' "$WORK/table"
	fails grep -q ^other "$WORK/table"
}

ip link add veth0 type veth peer name veth1
ip link set veth1 up
ip link set veth0 up mtu 4200
ip addr add 10.0.0.1/24 dev veth0
modprobe rdma_rxe
rdma link add rxe0 type rxe netdev veth0

run_test "rc pingpong" pingpong
run_test "write bandwidth" bandwidth
run_test "rping" cm_pingpong
run_test "server without a listener" quiet_server
run_test "pair in two namespaces" in_namespaces
run_test "a suite passes when its cases do" cases_pass
run_test "names of cases" names_of_cases
run_test "results of cases" results_of_cases
run_test "a stage is in the matrix" stage_is_in_the_matrix
run_test "a pattern chooses files" a_pattern_chooses_files
# A failure of the harness to fail is a failure here.
for function in slow_client wrong_status too_long kernel_complaint failing_middle \
	case_fails case_is_missing case_is_skipped program_fails; do
	out=$(SVT_RESULTS=/dev/null TEST_LIMIT=6 run_test "$function" "$function")
	run_test "notices $function" is_failure "$out"
done
# These take down what is there
run_test "cases are listed" cases_are_listed
run_test "only tests of what depends on the kernel" only_what_depends_on_the_kernel
run_test "a skipped test has not passed, and the machine is told" skipped_is_not_passed
run_test "a file without progress is ended" file_without_progress
finish
