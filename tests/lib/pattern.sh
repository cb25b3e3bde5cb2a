# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154 # what is used is of check.sh
# What the pattern that check.sh was given means; to be sourced. It uses of check.sh: $only, the
# pattern, $named, set if the pattern has named a stage, ${taken[FILE]}, set for files that run already.

# wanted_files PATTERN FILE...: those that it may mean, by their names, or, unless it is for other
# stages, by a name of a test in them. e2e/NAME is a file there, and no test.
wanted_files() {
	local pattern=$1 test=${1##*/} file
	[[ $1 != e2e/* || $1 == e2e/*/* ]] || test=
	for file in "${@:2}"; do
		[ -z "${taken[$file]:-}" ] || continue
		[[ $only != e2e/* || $file == tests/e2e/* ]] || continue
		[[ "e2e/$(basename "$file" .sh)" =~ $pattern ]] ||
			{ [ -z "$named" ] && [ -n "$test" ] && grep -qE -- "$test" "$file"; } || continue
		echo "$file"
	done 2>/dev/null
}

# pattern_for STAGE: what the pattern means for its tests; it fails where the pattern begins with
# another stage's name
pattern_for() {
	local stage=${only%%/*}
	case $only in
	"$1"/*) echo "e2e/${only#*/}" ;;
	*/*) [[ $stage = e2e || ! $stage =~ ^[a-z0-9.-]+$ ]] && echo "$only" ;;
	*) echo "$only" ;;
	esac
}
