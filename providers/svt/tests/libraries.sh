#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# libraries.sh FOLDER [-l | PATTERN]: does the provider build for a libibverbs of each private ABI, and is one that it
# cannot be built for refused, in one line? The libraries are made here, in FOLDER: the headers that are installed,
# changed to what a release has; functions that do nothing; a table of operations. Prints TAP; -l lists the tests,
# PATTERN selects some.

# Tests are called by their names, and lists are lists of words.
# shellcheck disable=SC2046,SC2086,SC2317

set -euo pipefail

FOLDER=$1
SELECT=${2:-*}
PROVIDER=$(cd "$(dirname "$0")/.." && pwd -P)
CC=${CC:-cc}

# What was added to struct verbs_context_ops: operations of it are in the order of the alphabet
DMAH="alloc_dmah dealloc_dmah reg_mr_ex"
SPEED="dm_export_dmabuf_fd query_port_speed"
BUF="alloc_buf free_buf"
COUNTERS="create_comp_cntr destroy_comp_cntr inc_comp_cntr inc_err_comp_cntr qp_attach_comp_cntr query_comp_cntr_caps
	read_comp_cntr read_err_comp_cntr set_comp_cntr set_err_comp_cntr"

# first_operations: the names of those that private ABI 34 has.
first_operations() {
	echo "#define SVT_PRIVATE_ABI 34" >"$FOLDER/library-facts.h"
	$CC -E -P -I"$FOLDER" "$PROVIDER/ibverbs-private.h" |
		sed -n '/^struct verbs_context_ops {/,/^}/s/.*(\*\([a-z_]*\))(.*/\1/p'
}

# headers ROOT CALLS MEMBER...: those of a library with CALLS new pointers in struct verbs_context, and in struct
# ibv_qp_ex these members of wr_atomic_write and wr_flush, with the constants that belong to them.
headers() {
	local root=$1 calls=$2 from flush=""
	shift 2
	from=$(echo '#include <infiniband/verbs.h>' | $CC -E -x c - | sed -n 's,.*"\(.*\)/verbs\.h".*,\1,p' | sort -u)
	mkdir -p "$root/usr/include"
	rm -rf "$root/usr/include/infiniband"
	cp -r "$from" "$root/usr/include/infiniband"
	grep -q IBV_WR_FLUSH "$from/verbs.h" ||
		flush="WR_FLUSH 14,QP_EX_WITH_FLUSH (1 << 11),FLUSH_GLOBAL 1,FLUSH_PERSISTENT 2,FLUSH_RANGE 0,FLUSH_MR 1"
	awk -v calls="$calls" -v wanted="$*" -v flush="$flush" '
		/^struct ibv_qp_ex \{/ { qp_ex = 1 }
		wanted !~ /wr_atomic_write/ && /^\tIBV_.*ATOMIC_WRITE/ { next }
		wanted !~ /wr_flush/ && /^\tIBV_(WR|QP_EX_WITH)_FLUSH/ { next }
		wanted ~ /wr_flush/ && /^struct ibv_qp_ex \{/ {
			for (i = split(flush, constants, ","); i; i--)
				print "#define IBV_" constants[i]
		}
		/^static inline void ibv_wr_(atomic_write|flush)\(/ { skip = 1 }
		qp_ex && /\(\*wr_(atomic_write|flush)\)/ { member = 1 }
		qp_ex && /^\};/ {
			if (wanted ~ /wr_atomic_write/)
				print "void (*wr_atomic_write)(struct ibv_qp_ex *, uint32_t, uint64_t, const void *);"
			if (wanted ~ /wr_flush/)
				print "void (*wr_flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);"
			qp_ex = 0
		}
		context && /\(\*query_port\)\(/ { context = 0 }
		!skip && !member && !context { print }
		skip && /^}/ { skip = 0 }
		member && /;/ { member = 0 }
		/^struct verbs_context \{/ { context = 1; print "void (*added[" calls "])(void);" }
	' "$from/verbs.h" >"$root/usr/include/infiniband/verbs.h"
}

# library ROOT VERSION FUNCTION...: libibverbs.so with these functions and those of the installed one that do not differ.
library() {
	local root=$1 version=$2 file=$1/usr/lib/libibverbs.so.$2
	shift 2
	mkdir -p "$root/usr/lib/pkgconfig"
	{
		readelf --dyn-syms --wide "$($CC -print-file-name=libibverbs.so)" |
			awk '$4 == "FUNC" && $7 != "UND" { sub(/@.*/, "", $8); print $8 }' |
			grep -vxE 'verbs_register_driver_.*|ibv_cmd_query_port_speed' | sort -u
		printf '%s\n' "$@"
	} | sed -n 's/..*/void &(void) { }/p' |
		$CC -fno-builtin -w -shared -fPIC -Wl,-soname,libibverbs.so.1 -o "$file" -x c -
	ln -sf "libibverbs.so.$version" "$root/usr/lib/libibverbs.so"
	echo "Version: $version" >"$root/usr/lib/pkgconfig/libibverbs.pc"
}

# table ROOT RELEASE NAME...: libibverbs.a with a table of the operations NAME, in this order.
table() {
	local root=$1 release=$2
	shift 2
	{
		printf 'static void %s(void) { }\n' "$@"
		printf 'void (*const rdmacore%s_verbs_dummy_ops[])(void) = {\n' "$release"
		printf '%s,\n' "$@"
		echo '};'
	} | $CC -O0 -fPIC -c -o "$root/dummy_ops.c.o" -x c -
	rm -f "$root/usr/lib/libibverbs.a"
	ar rc "$root/usr/lib/libibverbs.a" "$root/dummy_ops.c.o"
}

# sorted NAME...: those of private ABI 34 and these, in order.
sorted() {
	{ first_operations; printf '%s\n' "$@"; } | LC_ALL=C sort | grep .
}

# make_provider BUILD: for the library below $root, whatever the make that this is run by was told.
make_provider() {
	env -u MAKEFLAGS -u MAKEOVERRIDES make -sC "$PROVIDER" BUILD="$1" VERBS="$root" CC="$CC" CFLAGS=-O0 all
}

# builds ABI RELEASE CALLS "MEMBER..." "FUNCTION..." OPERATION...: a whole library, and the provider for it.
builds() {
	local abi=$1 release=$2 calls=$3 members=$4 functions=$5 root=$FOLDER/root-$2 build=$FOLDER/provider-$2
	shift 5
	rm -rf "$root" "$build"
	headers "$root" "$calls" $members
	library "$root" "1.0.$release.0" "verbs_register_driver_$abi" $functions
	table "$root" "${release}_0" $(sorted "$@")
	make_provider "$build" >"$root/log" 2>&1 || cat "$root/log"
	grep -qx ".*/libsvt-rdmav$abi.so: private ABI $abi of libibverbs 1.0.$release.0" "$root/log" &&
		[[ $(readelf --dyn-syms --wide "$build/libsvt-rdmav$abi.so") = *" verbs_register_driver_$abi"* ]]
}

abi_34() { builds 34 39 0 "" ""; }
abi_34_atomic_write() { builds 34 44 0 wr_atomic_write ""; }
abi_34_flush() { builds 34 45 0 "wr_atomic_write wr_flush" ""; }
abi_57() { builds 57 57 0 "wr_atomic_write wr_flush" ""; }
abi_59() { builds 59 59 3 "wr_atomic_write wr_flush" "" $DMAH; }
abi_59_speed() { builds 59 62 4 "wr_atomic_write wr_flush" ibv_cmd_query_port_speed $DMAH $SPEED; }
abi_64() { builds 64 64 6 "wr_atomic_write wr_flush" ibv_cmd_query_port_speed $DMAH $SPEED $BUF; }
abi_65() { builds 65 65 6 "wr_atomic_write wr_flush" ibv_cmd_query_port_speed $DMAH $SPEED $BUF $COUNTERS; }

# good_root: sets $root, a new one whose library check-library.sh has nothing against.
good_root() {
	root=$FOLDER/root
	rm -rf "$root"
	headers "$root" 0 wr_atomic_write
	library "$root" 1.0.44.0 verbs_register_driver_34
	table "$root" 44_0 $(sorted)
}

# refused PATTERN: check-library.sh says this one line of $root and nothing else, and ends with status 2.
refused() {
	local status=0
	CC=$CC "$PROVIDER/check-library.sh" "$root" >"$FOLDER/out" 2>"$FOLDER/err" || status=$?
	cat "$FOLDER/err"
	[ "$status $(wc -l <"$FOLDER/err") $(wc -c <"$FOLDER/out")" = "2 1 0" ] && grep -qE "^svt provider: .*$1" "$FOLDER/err"
}

accepted() {
	CC=$CC "$PROVIDER/check-library.sh" "$root" >"$FOLDER/out"
}

good_is_accepted() {
	good_root
	accepted && grep -qx "#define SVT_OPERATIONS_SIZE 608" "$FOLDER/out"
}

no_static_twin() {
	good_root
	rm "$root/usr/lib/libibverbs.a"
	accepted && ! grep -q SVT_OPERATIONS_SIZE "$FOLDER/out"
}

no_library() {
	good_root
	rm -r "$root/usr/lib"
	refused 'libibverbs\.so is missing below .*: install libibverbs-dev'
}

no_headers() {
	good_root
	rm -r "$root/usr/include/infiniband"
	refused 'infiniband/verbs\.h is missing below .*: install libibverbs-dev'
}

no_private_abi() {
	good_root
	library "$root" 1.0.44.0
	refused 'is too old: install rdma-core'
}

old_private_abi() {
	good_root
	library "$root" 1.0.44.0 verbs_register_driver_33
	refused 'private ABI 33, it is too old: install rdma-core'
}

unknown_private_abi() {
	good_root
	library "$root" 1.0.44.0 verbs_register_driver_99
	refused 'private ABI 99, this works with 34 .*: take a later svt'
}

other_headers() {
	good_root
	echo "Version: 1.0.45.0" >"$root/usr/lib/pkgconfig/libibverbs.pc"
	refused 'version 1\.0\.44\.0, its headers 1\.0\.45\.0: reinstall'
}

other_static_twin() {
	good_root
	table "$root" 45_0 $(sorted)
	refused 'is of rdma-core 45\.0, .* is version 1\.0\.44\.0: reinstall'
}

swapped_operations() {
	good_root
	table "$root" 44_0 $(sorted | sed '/^post_recv$/d; s/^post_send$/post_send\npost_recv/')
	refused "has 'post_send', not 'post_recv', as operation [0-9]+:"
}

added_operation() {
	good_root
	table "$root" 44_0 $(sorted) zap
	refused 'has not the 76 operations'
}

# make says it as well, with its own status
make_fails() {
	no_private_abi || return 1
	! make_provider "$FOLDER/provider" >"$FOLDER/out" 2>&1 || return 1
	grep -q '^svt provider: .* too old' "$FOLDER/out" && [ "$(grep -c . "$FOLDER/out")" = 2 ]
}

# A structure of the headers that is not as large as the private ABI has it does not compile
other_layout() {
	good_root
	headers "$root" 1 wr_atomic_write
	! make_provider "$FOLDER/provider" >"$FOLDER/out" 2>&1 || return 1
	grep -q 'size of struct verbs_context' "$FOLDER/out"
}

TESTS="
abi_34			private ABI 34 builds
abi_34_atomic_write	private ABI 34 with ATOMIC_WRITE builds
abi_34_flush		private ABI 34 with FLUSH builds
abi_57			private ABI 57 builds
abi_59			private ABI 59 builds
abi_59_speed		private ABI 59 with the speed of a port builds
abi_64			private ABI 64 builds
abi_65			private ABI 65 builds
good_is_accepted	a whole one is accepted
no_static_twin		one without its static twin is accepted
no_library		one that is missing is refused
no_headers		one without headers is refused
no_private_abi		one without a private ABI is refused
old_private_abi		an old private ABI is refused
unknown_private_abi	an unknown private ABI is refused
other_headers		headers of another version are refused
other_static_twin	a static twin of another version is refused
swapped_operations	operations in another order are refused
added_operation		an operation more is refused
make_fails		make says why, and fails
other_layout		a structure of another size does not compile
"

# selected: the rows of TESTS that SELECT matches.
selected() {
	local function words
	while read -r function words; do
		# shellcheck disable=SC2053
		[ -z "$function" ] || [[ "libraries: $words" != $SELECT ]] || echo "$function $words"
	done <<<"$TESTS"
}

[ "$SELECT" != -l ] || { sed -n 's/^[a-z_0-9]*\t\t*/libraries: /p' <<<"$TESTS"; exit; }
mkdir -p "$FOLDER"
status=0 number=0
selected >"$FOLDER/selected"
echo "1..$(wc -l <"$FOLDER/selected")"
while read -r function words; do
	number=$((number + 1))
	if said=$("$function" 2>&1 </dev/null); then
		echo "ok $number - libraries: $words"
	else
		# shellcheck disable=SC2001
		sed 's/^/# /' <<<"$said"
		echo "not ok $number - libraries: $words"
		status=1
	fi
done <"$FOLDER/selected"
exit $status
