#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make bench-host` between two namespaces, in a VM: every measurement gives a figure, and what is
# asked wrongly is refused in one line.

. "$(dirname "$0")/../lib/testlib.sh"

HOST=$(dirname "$0")/../bench-host.sh
TEST_LIMIT=600 PAIR_LIMIT=580

between_two_hosts() {
	local server gid
	gid=$(gid_index svta v4)
	in_a "$HOST" --server --dev svta --gid "$gid" --seconds 1 --out "$WORK/a" &
	server=$!
	in_b "$HOST" --dev svtb --gid "$(gid_index svtb v4)" --seconds 1 --out "$WORK/b" 10.0.0.1 |
		tee "$WORK/table"
	wait $server
	grep -q ' passed, 0 failed$' "$WORK/table"
	grep -q '^send  *65536 ' "$WORK/table"
	[ -s "$WORK/b/table.png" ]
}

# refused MESSAGE [ARGUMENT...]
refused() {
	local message=$1 said
	shift
	! said=$(in_a "$HOST" "$@" 2>&1)
	echo "$said"
	[ "$(wc -l <<<"$said")" = 1 ]
	[[ $said == *"$message"* ]]
}

wrong_arguments() {
	refused "no device 'nosuch'" --dev nosuch 10.0.0.1
	refused "name the server" --dev svta
	refused "--dev is needed" 10.0.0.1
	refused "unknown option" --dev svta --fast 10.0.0.1
	refused "--seconds needs a number" --dev svta --seconds long 10.0.0.1
	refused "--system is svt or rxe" --dev svta --system siw 10.0.0.1
}

setup_pair
run_test "wrong arguments are refused" wrong_arguments
run_test "between two hosts" between_two_hosts
run_test "teardown leaves nothing" teardown_pair
finish
