#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Checks that includes point down the list of rooms in scripts/layers only, that no files include each
# other in a circle, also inside a room. A header declares what its own .c file defines, so an arrow
# between headers is one between calls.
#
# A file includes headers of its own room, of lower ones, of include/ and of the kernel.
# A header at the top of drivers/svt (core.h, counters.h) counts as what it includes itself.
# Usage: check-layers.sh [--self-test] [--root DIR]

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Rooms of drivers/svt by their lines in scripts/layers. Tests see all.
declare -A rank=()

read_rooms() {
	local line room number=0

	while read -r line; do
		number=$((number + 1))
		for room in $line; do
			rank[$room]=$number
		done
	done < <(grep -vE '^(#|$)' "$(dirname "$self")/layers")
}

# Folders whose headers declare what several files define, and so may hide a circle
declare -A shared=(
	[drivers/svt/verbs]="the operations of ib_core, which do not call each other"
	[drivers/svt/queue]="wqe.h: the entries of both queues"
	[drivers/svt/mem]="keys.h: what a key stands for"
	[drivers/svt/wire]="packet.h: what an opcode has, and how it is read"
	[drivers/svt_test]="client.h: the steps of one program"
	[providers/svt]="operations of libibverbs"
)

passed=0
failed=0

# Says what is wrong with the file that is being checked.
wrong() {
	echo "# $file: $*"
	bad=1
}

# folder_of PATH: the room that a file of drivers/svt belongs to
folder_of() {
	local rest=${1#drivers/svt/}

	case $rest in
	*_test.[ch]|*/tests/*) echo tests ;;
	compat/*) echo compat ;;
	*/*) dirname "$rest" ;;
	*) echo top ;;
	esac
}

includes_of() {
	sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]+(["<][^">]+)[">].*/\1/p' "$1"
}

# resolve FILE INCLUDE: the path in the tree that it stands for; nothing for the kernel's or
# the C library's. A quoted include that is nowhere is returned as "?".
resolve() {
	local name=${2:1} dir candidate

	dir=$(dirname "$1")
	for candidate in "$dir" drivers/svt "${dir%%/*}/$(cut -d/ -f2 <<<"$dir")" include \
			include/uapi; do
		[[ ${2:0:1} = '"' || $candidate = include* ]] || continue
		if [[ -e $candidate/$name ]]; then
			realpath -m --relative-to=. "$candidate/$name"
			return
		fi
	done
	[[ ${2:0:1} = '<' ]] || echo '?'
}

# check_kernel_header FOLDER NAME VIA: headers of the kernel that a layer must not know
check_kernel_header() {
	local folder=$1 name=$2 via=$3

	((rank[$folder] < rank[verbs])) || return 0
	case $name in
	rdma/uverbs*|rdma/ib_umem*)
		wrong "includes <$name>$via; user memory and udata belong to drivers/svt/verbs" ;;
	linux/netdevice.h|linux/inetdevice.h|linux/if_*)
		wrong "includes <$name>$via; network devices belong to the backends" ;;
	esac
}

# core_include FOLDER TARGET VIA: may a file of FOLDER include TARGET, of drivers/svt?
core_include() {
	local folder=$1 target=$2 via=$3 to

	to=$(folder_of "$target")
	if [[ -z ${rank[$to]:-} ]]; then
		wrong "includes $target$via, and $to is no layer"
	elif [[ $to = top && $target = *.h ]]; then
		check_includes "$target" "$folder" " by way of $target"
	elif [[ $to = "$folder" ]] || ((rank[$to] < rank[$folder])); then
		return 0
	else
		wrong "includes $target$via; $folder must not know $to"
	fi
}

# check_includes PATH FOLDER VIA: what PATH includes, judged as if a file of FOLDER did
check_includes() {
	local path=$1 folder=$2 via=$3 include target

	[[ " $visited " != *" $path "* ]] || return 0
	visited+=" $path"
	while read -r include; do
		target=$(resolve "$path" "$include")
		case $target in
		'') check_kernel_header "$folder" "${include:1}" "$via" ;;
		'?') wrong "includes ${include:1}, which is nowhere" ;;
		drivers/svt/*) core_include "$folder" "$target" "$via" ;;
		drivers/*) wrong "includes $target$via; the core must not know a backend" ;;
		include/*) ;;
		*) wrong "includes $target$via, outside the kernel modules" ;;
		esac
	done < <(includes_of "$path")
}

check_core_file() {
	local folder

	folder=$(folder_of "$file")
	if [[ -z ${rank[$folder]:-} ]]; then
		wrong "the folder $folder has no place in the list of layers"
		return
	fi
	visited=
	check_includes "$file" "$folder" ""
}

# only_from PATTERN WHY: of what is ours, the file includes only what matches PATTERN
only_from() {
	local pattern=$1 why=$2 include target

	while read -r include; do
		target=$(resolve "$file" "$include")
		[[ -n $target ]] || continue
		[[ $target =~ ^($pattern) ]] || wrong "includes ${include:1}; $why"
	done < <(includes_of "$file")
}

check_file() {
	local own

	case $file in
	drivers/svt/compat/probes/*)
		only_from '$' "a probe asks about the kernel alone" ;;
	drivers/svt/*)
		check_core_file ;;
	drivers/*/tests/*)
		only_from "drivers/|include/" "tests see the kernel modules" ;;
	drivers/*)
		own=$(cut -d/ -f1,2 <<<"$file")
		only_from "$own/|include/" \
			"a backend knows include/rdma/svt.h and itself" ;;
	include/uapi/*)
		only_from "include/uapi/" "the user ABI stands alone" ;;
	include/*)
		only_from "include/" "the contract stands alone" ;;
	providers/*)
		own=$(cut -d/ -f1,2 <<<"$file")
		only_from "$own/|include/uapi/" "the provider shares the user ABI and nothing else" ;;
	esac
}

# unit_of PATH: a header and its .c file are one
unit_of() {
	echo "${1%.[ch]}"
}

# arrows TOP: "UNIT INCLUDED-UNIT" for the files below it that are no tests
arrows() {
	local path include target

	while read -r path; do
		while read -r include; do
			target=$(resolve "$path" "$include")
			[[ $target = "$1"/* && $(unit_of "$target") != "$(unit_of "$path")" ]] || continue
			echo "$(unit_of "$path") $(unit_of "$target")"
		done < <(includes_of "$path")
	done < <(find "$1" -type f -name '*.[ch]' ! -path '*/tests/*' ! -path '*/compat/*' ! -name '*.mod.c')
}

# check_circles TOP
check_circles() {
	local loop

	file=$1
	loop=$(arrows "$1" | { tsort 2>&1 >/dev/null || :; } | sed -n 's/^tsort: \([^-]\)/\1/p' |
		xargs)
	[[ -z $loop ]] || wrong "a circle of includes: $loop"
}

# declared HEADER: functions, without those that are defined there
declared() {
	sed -E 's,/\*.*\*/,,' "$1" | grep -E '^[a-z].*[ *][a-z_0-9]+\(' |
		grep -vE '^(static|typedef|extern)|\{|= ' | sed -E 's/^[^(]*[ *]([a-z_0-9]+)\(.*/\1/'
}

# check_declarations HEADER: they are of the .c file by its name
check_declarations() {
	local name source=${1%.h}.c

	[[ -z ${shared[$(dirname "$1")]:-} ]] || return 0
	while read -r name; do
		grep -qsE "^[a-z].*[ *]$name\(" "$source" ||
			wrong "declares $name(), which ${source##*/} does not define"
	done < <(declared "$1")
}

count_verdict() {
	if ((bad)); then
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) $1"
	else
		passed=$((passed + 1))
		echo "ok $((passed + failed)) $1"
	fi
}

check_tree() {
	echo "KTAP version 1"
	while read -r file; do
		bad=0
		check_file
		case $file in
		*/tests/*|*/compat/*|include/*) ;;
		*.h) check_declarations "$file" ;;
		esac
		count_verdict "$file"
	done < <(find drivers include providers -type f -name '*.[ch]' ! -name '*.mod.c' | sort)
	for top in drivers/* providers/*; do
		bad=0
		check_circles "$top"
		count_verdict "no circle in $top"
	done
	echo "$passed passed, $failed failed"
	((failed == 0))
}

# ---- self-test: a clean tree passes, each planted violation is reported -------------------

plant_clean_tree() {
	mkdir -p drivers/svt/{wire,queue,mem,transport/{qp,requester,responder},verbs,compat/probes} drivers/svt_loop/tests \
		include/rdma include/uapi/rdma providers/svt
	touch drivers/svt/{wire/psn.h,queue/ring.h,mem/keys.h,transport/qp/qp.h,verbs/verbs.h} \
		drivers/svt/compat/ops.h drivers/svt_loop/loop.h
	echo '#include <linux/types.h>' >include/uapi/rdma/svt-abi.h
	printf '#include <rdma/svt.h>\n#include "mem/keys.h"\n' >drivers/svt/core.h
	printf 'struct svt_backend_ops {\n\tint (*xmit)(void);\n};\n' >include/rdma/svt.h
	echo '#include <rdma/ib_umem.h>' >drivers/svt/compat/probes/hmm.c
	printf '#include <rdma/ib_umem.h>\n#include "../transport/qp/qp.h"\n' \
		>drivers/svt/verbs/mr.c
	printf '#include <rdma/svt-abi.h>\n#include "../../core.h"\n#include "../../wire/psn.h"\n' \
		>drivers/svt/transport/responder/responder.c
	echo 'void svt_half(int work);' >drivers/svt/transport/qp/half.h
	printf '#include "half.h"\nvoid svt_half(int work)\n{\n}\n' >drivers/svt/transport/qp/half.c
	printf '#include "half.h"\n#include "qp.h"\n' >drivers/svt/transport/qp/xrc.h
	printf '#include <linux/netdevice.h>\n#include <rdma/svt.h>\n#include "loop.h"\n' \
		>drivers/svt_loop/loop.c
	printf '#include "../../svt/core.h"\n#include "../loop.h"\n' \
		>drivers/svt_loop/tests/loop_test.c
	printf '#include <stdio.h>\n#include <rdma/svt-abi.h>\n' >providers/svt/qp.c
}

# plant FILE LINE PATTERN: with LINE at the end of FILE there must be a report with PATTERN
plant() {
	local file=$1 line=$2 pattern=$3 output what="${2%%$'\n'*} in $1"

	cp "$file" saved
	echo "$line" >>"$file"
	output=$("$self" --root . || true)
	if grep -q ": .*$pattern" <<<"$output" &&
	   [[ $(tail -n 1 <<<"$output") = *' passed, '[1-9]*' failed' ]]; then
		echo "ok: $what is reported"
		passed=$((passed + 1))
	else
		echo "FAILED: $what is not reported: $output"
		failed=$((failed + 1))
	fi
	cp saved "$file"
}

self_test() {
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	cd "$scratch"
	plant_clean_tree
	if "$self" --root . | grep -qx '[0-9]* passed, 0 failed'; then
		echo "ok: a clean tree passes"
		passed=1
	else
		echo "FAILED: a clean tree does not pass"
		failed=1
	fi
	plant drivers/svt/wire/psn.h '#include "../queue/ring.h"' 'wire must not know queue'
	plant drivers/svt/wire/psn.h '#include "../core.h"' 'wire must not know mem'
	plant drivers/svt/queue/ring.h '#include "../mem/keys.h"' 'queue must not know mem'
	plant drivers/svt/compat/probes/hmm.c '#include "../../mem/keys.h"' 'the kernel alone'
	plant drivers/svt/mem/keys.h '#include "queue/ring.h"' 'mem must not know queue'
	plant drivers/svt/transport/qp/qp.h '#include "../../verbs/verbs.h"' 'must not know verbs'
	plant drivers/svt/transport/qp/qp.h '#include "../requester/requester.h"' 'nowhere'
	touch drivers/svt/transport/requester/requester.h
	plant drivers/svt/transport/qp/qp.h '#include "../requester/requester.h"' \
		'transport/qp must not know transport/requester'
	plant drivers/svt/transport/responder/responder.c '#include "../requester/requester.h"' \
		'transport/responder must not know transport/requester'
	plant drivers/svt/transport/qp/half.c '#include "xrc.h"' 'a circle of includes: .*qp/half'
	plant drivers/svt/transport/qp/half.h 'int svt_xrc(void);' 'declares svt_xrc(), which half.c'
	plant drivers/svt/transport/qp/qp.h '#include <rdma/ib_umem.h>' 'user memory'
	plant drivers/svt/transport/qp/qp.h '#include <rdma/uverbs_ioctl.h>' 'user memory'
	plant drivers/svt/transport/qp/qp.h '# include <linux/netdevice.h>' 'network devices'
	plant drivers/svt/core.h '#include <rdma/ib_umem.h>' 'by way of drivers/svt/core.h; user'
	plant drivers/svt/verbs/mr.c '#include "../../svt_loop/loop.h"' 'know a backend'
	plant drivers/svt/verbs/mr.c '#include "gone.h"' 'nowhere'
	plant drivers/svt_loop/loop.c '#include "../svt/core.h"' 'a backend knows'
	plant drivers/svt_loop/tests/loop_test.c '#include "../../../providers/svt/qp.c"' 'tests see'
	plant include/rdma/svt.h '#include "../../drivers/svt/core.h"' 'stands alone'
	plant include/uapi/rdma/svt-abi.h '#include <rdma/svt.h>' 'stands alone'
	plant providers/svt/qp.c '#include <rdma/svt.h>' 'the provider'
	echo "$passed passed, $failed failed"
	((failed == 0))
}

self=$(realpath "$0")
where=$TOP
case ${1:-} in
'') ;;
--self-test)
	self_test
	exit ;;
--root)
	where=${2:?--root needs a directory} ;;
*)
	die "usage: check-layers.sh [--self-test] [--root DIR]" ;;
esac
read_rooms
cd "$where"
check_tree
