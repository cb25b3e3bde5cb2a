#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Looks for each test that Documentation/rxe.rst names. What is not there is printed as
# "FILE:LINE: TYPE: what is wrong", and so is a row that names none; the status is 1 then.

# shellcheck source-path=SCRIPTDIR
set -euo pipefail

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TOP"

page=Documentation/rxe.rst

# Of each row of the page's tables the line where it begins and the text of its last cell
rows() {
	awk '
		function end_row() {
			if (cells == 3)
				print line "\t" cell
			cells = 0
		}
		/^   \* - / { end_row(); line = FNR }
		/^(   \*|    ) - / { cells++; cell = substr($0, 8); next }
		/^       / { cell = cell " " substr($0, 8); next }
		{ end_row() }
		END { end_row() }
	' "$page" | grep -v -P '\twhat svt does'
}

names() {
	# shellcheck disable=SC2016
	grep -o '``[^`]*``' <<<"$1" | tr -d '`' || true
}

# has FOLDER TEXT [INCLUDE]: a file below says so
has() {
	grep -rqF --include="${3:-*.c}" -- "$2" "$1"
}

has_kunit_case() {
	local file

	file=$(grep -lF ".name = \"${1%%.*}\"," drivers/*/tests/*_test.c) || return 1
	grep -qE "KUNIT_CASE[A-Z_]*\(${1#*.}[,)]" "$file"
}

# Of a test in a shell file
has_title() {
	grep -qF -e "run_test \"$2\"" -e "run_on_each \"$2\"" "tests/$1.sh"
}

# The kernel's words for what must not happen
has_assertion() {
	[[ $2 =~ ^(WARN_ON|BUILD_BUG_ON|lockdep_assert) ]] && grep -qF "$2(" "$1"
}

is_there() {
	local where=${1%%: *} what=${1#*: }

	case $1 in
	svt_verify:*|svt_errnos:*|svt_rings:*) has "tests/tools/${where#svt_}" "{ \"$what\"," ;;
	svt_sweep:*) has tests/tools/sweep/steps ".name = \"$what\"," ;;
	svt_test:*) has drivers/svt_test "{ \"$what\"," ;;
	svt-conform:*) has Documentation "| $what:" conformance.rst ;;
	drivers/*:*) has_assertion "$where" "$what" ;;
	e2e/*:*|hostile/*:*|hosts/*:*) has_title "$where" "$what" ;;
	svt[-_]*.*) has_kunit_case "$1" ;;
	*) false ;;
	esac 2>/dev/null
}

check_row() {
	local line=$1 found name

	found=$(names "$2")
	if [[ ! $found ]]; then
		echo "$page:$line: RXE_HISTORY: this row names no test"
		return
	fi
	while read -r name; do
		is_there "$name" || echo "$page:$line: RXE_HISTORY: there is no $name"
	done <<<"$found"
}

table=$(rows) || die "$page has no rows"
missing=$(while IFS=$'\t' read -r line cell; do
	check_row "$line" "$cell"
done <<<"$table")
[[ $missing ]] || exit 0
echo "$missing"
exit 1
