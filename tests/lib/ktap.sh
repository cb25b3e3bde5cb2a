# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Programs that are suites of cases (tests/tools/common/suite.h), for testlib.sh. A test that runs one
# by these functions fails when one of its cases does, when not all of them ran, and when one was
# skipped that $SKIPS does not know: an extended regular expression of "NAME # SKIP WHY", which is any
# skip where it is not set, and none where it is empty. What the cases came to is shown under the test,
# as its subtests.

# The KTAP of the programs of the test that runs
SUBTESTS=/run/svt/subtests
: >"$SUBTESTS"

# ktap_judge FILE: says what is wrong with what a program printed
ktap_judge() {
	ANY=${SKIPS-any} KNOWN=${SKIPS:-} awk '
		/^1\.\.[0-9]+$/ { planned = substr($0, 4) }
		!/^(not )?ok [0-9]+ / { next }
		{ results++ }
		/^not ok/ { failed++ }
		/ # SKIP/ && ENVIRON["ANY"] != "any" {
			sub(/^ok [0-9]+ /, "")
			if (ENVIRON["KNOWN"] == "" || $0 !~ ENVIRON["KNOWN"])
				unknown[++skips] = $0
		}
		END {
			if (failed)
				print "failed cases: " failed
			if (results != planned || !results)
				print "results: " results + 0 ", of cases: " planned + 0
			for (i = 1; i <= skips; i++)
				print "this may not be skipped: " unknown[i]
			exit failed || skips || results != planned || !results
		}' "$1"
}

# ktap_failures FILE: results that are failures, each behind the last remarks on it
ktap_failures() {
	awk '/^ *# / { remarks[++count] = $0; next }
		/^ *not ok/ || /FAIL/ {
			for (i = count > 8 ? count - 7 : 1; i <= count; i++)
				print remarks[i]
			print
		}
		{ count = 0 }' "$1"
}

# ktap_add NAME FILE RESULT: what a program printed, to the subtests
ktap_add() {
	local count
	[ -s "$SUBTESTS" ] || echo "KTAP version 1" >"$SUBTESTS"
	count=$(grep -cE '^(not )?ok ' "$SUBTESTS" || :)
	{
		sed -nE '/^(KTAP version 1$|1\.\.|ok |not ok )/s/^/    /p' "$2"
		echo "$3 $((count + 1)) $1"
	} >>"$SUBTESTS"
}

# ktap_count: how many cases of the subtests passed, and how many were skipped
ktap_count() {
	local line passed=0 skipped=0
	while IFS= read -r line; do
		case $line in
		"    ok "*" # SKIP"*) skipped=$((skipped + 1)) ;;
		"    ok "*) passed=$((passed + 1)) ;;
		esac
	done <"$SUBTESTS"
	echo "$passed $skipped"
}

# ktap_settle STATUS FILE COMMAND: it ended with STATUS, and left FILE
ktap_settle() {
	local status=$1 result=ok
	ktap_judge "$2" || status=1
	[ "$status" = 0 ] || result="not ok"
	ktap_add "${3#*/tools/}" "$2" "$result"
	return "$status"
}

# suite COMMAND...: such a program; its output is in $WORK/suite as well
suite() {
	local status=0
	"$@" 2>&1 | tee "$WORK/suite" || status=$?
	ktap_settle "$status" "$WORK/suite" "$*"
}

# suite_pair SERVER [ARGUMENT...] -- CLIENT [ARGUMENT...]: `pair` of them. They agree on the results
suite_pair() {
	local status=0 words=$*
	pair "$@" || status=$?
	ktap_settle "$status" "$WORK/client" "${words##* -- }"
}

# looked_at COMMAND...: while somebody shows all objects and statistics of svta and svtb, as anybody may
looked_at() {
	local looking status=0
	"$BUILD/tools/svt_storm" look -d svta -d svtb >"$WORK/look" 2>&1 &
	looking=$!
	"$@"
	kill "$looking" || die "nobody looks any more: $(<"$WORK/look")"
	wait "$looking" || status=$?
	cat "$WORK/look"
	ktap_settle "$status" "$WORK/look" "svt_storm look"
}

# verify KIND [OPTION...]: svt_verify between svta and svtb, over addresses of KIND
verify() {
	suite_pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta "$1")" "${@:2}" -- \
		"$BUILD/tools/svt_verify" -d svtb -g "$(gid_index svtb "$1")" "${@:2}" "$PAIR_HOST"
}
