#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs a program in a virtual machine with svt: see usage below, and Documentation/ci.rst.

# shellcheck source-path=SCRIPTDIR
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# Not in the PATH of all users
PATH=$PATH:/usr/sbin:/sbin

usage() {
	cat <<-END
	Usage: vm.sh [OPTION...] [--] COMMAND [ARGUMENT...]

	Runs COMMAND, as root, in a virtual machine with two hosts that are joined by svt. It needs neither
	RDMA hardware nor root here, and takes KVM if there is one. Programs and files are those of this machine:
	all can be read, and what is written is gone at the end, but for DIR.
	  --share DIR     DIR is the current directory of COMMAND, which may change it; default: the current
	                  directory, unchanged
	  --hosts N       1 or 2; default: SVT_HOSTS, or 2
	  --kernel NAME   6.1, 6.12, a full version, or those of tests/vm/run.sh; default ${SERIES[0]}
	  --timeout S     limit in seconds for COMMAND, times SVT_TIME_SCALE; default 300. 0: none
	  --mem M         memory in MB; default 2048
	  --smp N         processors; default 2
	  --console FILE  where the messages of the kernel go

	COMMAND runs in host a, with these in its environment:
	  SVT_DEVICE, SVT_GID_INDEX, SVT_NETDEV, SVT_ADDRESS   of this host
	  SVT_PEER                                             the address of the other
	and 'on-peer COMMAND...' runs a command in the other host, with its own. SVT_ variables that are set here are
	passed on, with PATH and HOME.

	The status is that of COMMAND, but 97: the machine died; 98: COMMAND took longer than its limit; 99: it was not
	started, for the reason that is told.
	END
}

share='' hosts=${SVT_HOSTS:-2} kernel=${SERIES[0]}
options=()

# take_number OPTION VALUE LEAST
take_number() {
	[[ $2 =~ ^(0|[1-9][0-9]{0,5})$ && $2 -ge $3 ]] || die "$1 needs a number from $3 on, not '$2'"
	options+=("$1" "$2")
}

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--share | --hosts | --kernel | --timeout | --mem | --smp | --console)
			[ $# -ge 2 ] || die "$1 needs a value; see --help"
			;;&
		--share) share=$2 && shift ;;
		--hosts) hosts=$2 && shift ;;
		--kernel) kernel=$2 && shift ;;
		--console) options+=("$1" "$(realpath "$2")") && shift ;;
		--timeout) take_number "$1" "$2" 0 && shift ;;
		--mem) take_number "$1" "$2" 256 && shift ;;
		--smp) take_number "$1" "$2" 1 && shift ;;
		--help | -h) usage && exit ;;
		--) shift && break ;;
		-*) die "unknown option '$1'; see --help" ;;
		*) break ;;
		esac
		shift
	done
	command=("$@")
	[ ${#command[@]} -gt 0 ] || die "no command given; see --help"
	[[ $hosts == [12] ]] || die "there are 1 or 2 hosts, not '$hosts'"
}

# take_share: the directory is at its own place in the VM, which has some of these itself
take_share() {
	directory=$PWD
	[ -n "$share" ] || return 0
	[ -d "$share" ] || die "no directory '$share' to share"
	directory=$(realpath "$share")
	case $directory/ in
	/ | // | /dev/* | /proc/* | /sys/*) die "'$directory' cannot be shared: take a directory in it" ;;
	*$'\n'*) die "'$share' has a line break in its name: it cannot be shared" ;;
	esac
	options+=(--share "$directory")
}

# is_built VERSION
is_built() {
	[ -e "$BUILD/$1/drivers/svt/svt.ko" ] && compgen -G "$(provider_of "$1")/libsvt-rdmav*.so" >/dev/null
}

# need_build: of the kernel that is to be booted, and programs that are found here if its root is this one
need_build() {
	local version how=''
	version=$(kernel_version "$kernel" image)
	if [[ $version == */* ]]; then
		how=" ROOT=${version%%/*}"
	else
		need ip iproute2
		need sysctl procps
	fi
	is_built "$version" || die "svt is not built for kernel $version: make KERNEL=$kernel$how"
	options+=(--kernel "$version")
}

# What comes from here is not the status of COMMAND
not_started() {
	[ $? = 0 ] || exit 99
}

trap not_started EXIT
parse "$@"
take_share
need_build
export SVT_HOSTS=$hosts
exec "$TOP/tests/vm/run.sh" "${options[@]}" -- \
	env "PATH=$TOP/tests/vm/bin:$PATH" "HOME=${HOME:-/}" \
	"$TOP/tests/vm/session.sh" "$directory" "${command[@]}"
