# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# What a container has that is made of Debian's image, for root.sh, which calls choose and fill: the packages
# that each Debian has, and apt.

# choose: sets what root.sh reads: pockets, beside the suite itself, and recipe
choose() {
	pockets=(updates security)
	recipe=minbase
}

fill() {
	bootstrap minbase "$new"
	in_new apt-get clean
}
