#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes HTML of the pages of Documentation, in build/docs. A warning of Sphinx is an error. So is a link
# of a page in Markdown to no file, and the name of a test, in the pages of $NAMERS, that is none.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$TOP"

NAMERS=(Documentation/{features,troubleshooting}.rst)

# links FILE...: "FILE TARGET" for each that is not elsewhere
links() {
	local file target
	for file; do
		grep -oE '\]\([^)#]+' "$file" | cut -c3- | while read -r target; do
			[[ $target == *://* ]] || echo "$file $target"
		done
	done
}

dead_links() {
	local file target
	links ./*.md | while read -r file target; do
		[ -e "$target" ] || echo "$file: it links to '$target', which is not there"
	done
}

# Files of tests/e2e go by their names, others with their folders
lost_tests() {
	local file name
	for file in "${NAMERS[@]}"; do
		grep -oE '\b([a-z0-9]+/)*[0-9]{2}-[a-z][a-z0-9-]*[a-z]' "$file" | sort -u | while read -r name; do
			[ -e "tests/e2e/$name.sh" ] || [ -e "tests/$name.sh" ] || [ -e "$name.sh" ] ||
				echo "$file: there is no test '$name'"
		done
	done
}

# What Sphinx remembers of a page it does not complain of again: so it begins anew
build_pages() {
	sphinx-build -E -W --keep-going -n -q -b html -d "$BUILD/docs/.doctrees" Documentation "$BUILD/docs"
}

need sphinx-build python3-sphinx
wrong=$(dead_links && lost_tests)
[ -z "$wrong" ] || printf '%s\n' "$wrong" >&2
build_pages || die "Sphinx complains"
[ -z "$wrong" ] || exit 1
say "$BUILD/docs/index.html"
