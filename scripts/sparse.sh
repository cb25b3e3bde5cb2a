#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# sparse, for kbuild's CHECK, without the option that it ends at on RISC-V. Usage: as sparse

for argument; do
	shift
	case $argument in
	-march=*) ;;
	*) set -- "$@" "$argument" ;;
	esac
done
exec sparse "$@"
