#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Prints svt's version, of the file VERSION. The modules, `make install` and the packages have it from
# there. With --check it prints what disagrees, "FILE:LINE: TYPE: what is wrong": what people write by
# hand, the newest section of NEWS.md and of debian/changelog, and a tag of the commit that is checked out.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$TOP"

# expect FILE PATTERN: the first line that matches, an extended regular expression whose group is a version
expect() {
	local line
	line=$(grep -nEm 1 "$2" "$1") || { echo "$1:1: VERSION: it tells no version"; return; }
	[[ ${line#*:} =~ $2 ]]
	[ "${BASH_REMATCH[1]}" = "$version" ] ||
		echo "$1:${line%%:*}: VERSION: ${BASH_REMATCH[1]} here, $version in the file VERSION"
}

check() {
	local tag
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
		echo "VERSION:1: VERSION: '$version' is not of the form 1.2.3"
	expect NEWS.md '^## ([0-9.]+)'
	expect debian/changelog '^svt \(([^)]*)\)'
	for tag in $(git tag --points-at HEAD 'v[0-9]*' 2>/dev/null || :); do
		[ "$tag" = "v$version" ] || echo "VERSION:1: VERSION: $version, but the tag is $tag"
	done
}

version=$(<VERSION)
case ${1:-} in
'') echo "$version" ;;
--check) check ;;
*) die "usage: version.sh [--check]" ;;
esac
