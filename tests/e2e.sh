#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the end-to-end tests in a VM. Usage: e2e.sh [--kernel 6.1|6.12|VERSION|debug|kcsan|um]
# [--smp N | --icount] [--pmem MB] [--peer KERNEL] [--only PATTERN] [--name NAME] [--files DIR]
# [FILE...] Without files all of tests/e2e/*.sh run, in one VM; where one kills the machine the rest
# goes on in a new one. --pmem is persistent memory that the VM has. --peer is for files of tests/hosts:
# they run in the first of two VMs, and KERNEL is that of the other. --only takes an extended regular
# expression for "e2e/FILE/TEST NAME". The logs are build/check/NAME.*, and DIR takes the counters of
# executed lines. The output is KTAP; its last line is "N passed, N failed".

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"

kernel=6.1 only= smp=2 log= options=() run=("$TOP/tests/vm/run.sh")
while [[ ${1:-} == --* ]]; do
	if [ "$1" = --icount ]; then
		options+=(--icount)
		shift
		continue
	fi
	[ $# -ge 2 ] || die "$1 needs a value"
	case $1 in
	--kernel) kernel=$2 ;;
	--only) only=$2 ;;
	--smp) smp=$2 ;;
	--peer) run=("$TOP/tests/vm/run-two.sh" "$2") ;;
	--pmem) options+=(--pmem "$2") ;;
	--name) log=$BUILD/check/$2 ;;
	--files) options+=(--files "$2") SVT_COVERED=$BUILD ;;
	*) die "unknown option '$1'" ;;
	esac
	shift 2
done
files=("$@")
[ ${#files[@]} -gt 0 ] || files=("$TOP"/tests/e2e/[0-9]*.sh)
[ -e "${files[0]}" ] || die "no test file ${files[0]}"
[ -z "${SVT_COVERED:-}" ] || export SVT_COVERED
export SVT_ONLY=${only:-${SVT_ONLY:-}}

mkdir -p "$BUILD/check"
log=${log:-$BUILD/check/e2e-${kernel//\//-}}
rm -f "$log".{results,console}*
: >"$log.results"

# The file that was running when the machine died: begun, never ended.
unfinished() {
	awk '$1 == "begin" { name = $2 }
		$1 == "end" { name = "" }
		END { print name }' "$log.results"
}

# The files that come after the one named $1.
rest_after() {
	local file found=
	for file in "${files[@]}"; do
		[ -z "$found" ] || printf '%s\n' "$file"
		[ "$(basename "$file" .sh)" != "$1" ] || found=1
	done
}

boot=0
while [ ${#files[@]} -gt 0 ]; do
	boot=$((boot + 1))
	status=0
	"${run[@]}" --kernel "$kernel" --smp "$smp" --timeout 0 \
		"${options[@]}" --results "$log.results" --console "$log.console$boot" \
		-- "$TOP/tests/lib/run-files.sh" "${files[@]}" 2>&1 || status=$?
	case $status in 97 | 98 | 99) ;; *) break ;; esac
	name=$(unfinished)
	echo "not ok 0 ${name:-the VM}: the machine did not survive it"
	echo "fail ${name:-the VM}: the machine did not survive it" >>"$log.results"
	[ -n "$name" ] || break
	mapfile -t files < <(rest_after "$name")
	echo "end $name" >>"$log.results"
done

passed=$(grep -c '^pass ' "$log.results" || :)
failed=$(grep -c '^fail ' "$log.results" || :)
[ $((passed + failed)) -gt 0 ] || failed=1
# Who is killed reports nothing
[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
[ "$failed" = 0 ] || sed -n 's/^fail /failed: /p; s/^why /    /p' "$log.results"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
