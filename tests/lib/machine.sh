# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What the tests ran on, for testlib.sh: a cell of the matrix (Documentation/testing.rst).

# version_of PACKAGE: as Debian calls it. A root of another architecture has the files of packages, and
# no list of them.
version_of() {
	local version
	version=$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null)
	[ -n "$version" ] || version=$(zcat "/usr/share/doc/$1/changelog.Debian.gz" 2>/dev/null |
		sed -n '1s/.*(\(.*\)).*/\1/p')
	echo "${version:-?}"
}

# tell_machine: in a line of the results, and as a remark in what is shown
tell_machine() {
	local line
	line="$(uname -r) $(uname -m) $(getconf PAGESIZE) $(version_of libibverbs1) $(version_of perftest)"
	echo "machine $line" >>"$SVT_RESULTS"
	# shellcheck disable=SC2086 # words
	printf "$KTAP_INDENT# Linux %s, %s, pages of %s bytes, libibverbs1 %s, perftest %s\n" $line
}
