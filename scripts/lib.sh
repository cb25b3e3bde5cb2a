# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the host-side scripts; to be sourced. Sets TOP and BUILD, defines messages, kernel
# lookup, time limits.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=${BUILD:-$TOP/build}
SVT_TIME_SCALE=${SVT_TIME_SCALE:-1}
export SVT_TIME_SCALE

# The kernel series of this machine, in the order in which they are built and tested. Debian 12 has two.
SERIES=(newest)
if grep -qs '^VERSION_CODENAME=bookworm$' /etc/os-release; then
	SERIES=(6.1 6.12)
fi

case $TOP$BUILD in
*[[:space:],=:]*)
	echo "svt: '$TOP' has a blank, comma, colon or equals sign in it: move it elsewhere" >&2
	exit 1
	;;
esac

say() {
	printf '%s\n' "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# need COMMAND PACKAGE: ends with one clear line when COMMAND is missing.
need() {
	command -v "$1" >/dev/null ||
		die "'$1' is missing: apt-get install $2 (or scripts/install-deps.sh check)"
}

# scaled SECONDS: the time limit after SVT_TIME_SCALE, which may be a fraction, in whole seconds.
scaled() {
	if [[ $SVT_TIME_SCALE =~ ^[0-9]+$ ]]; then
		echo $(($1 * SVT_TIME_SCALE))
		return
	fi
	awk -v s="$1" -v f="$SVT_TIME_SCALE" \
		'BEGIN { t = s * f; print int(t + 0.999) }'
}

# What names of Debian's kernels say of the architecture
MACHINES='(amd64|arm64|s390x|riscv64|powerpc64le|armmp-lpae)'

# version_pattern SERIES: an extended regular expression for versions of it. A series is 6.12, 6.12-rt
# or 6.12-16k for another flavour of Debian's, or `newest`, which is any, whatever its name.
version_pattern() {
	local number flavour
	[[ $1 =~ ^([0-9]+)\.([0-9]+)(-[0-9a-z]+)?$ ]] || { [ "$1" = newest ] && echo '[0-9].*'; return; }
	number="${BASH_REMATCH[1]}\\.${BASH_REMATCH[2]}\\.[0-9]+[^-]*(-[0-9]+)?"
	flavour=${BASH_REMATCH[3]}
	echo "$number($flavour-$MACHINES|-$MACHINES$flavour)"
}

# is_flavour VERSION: a kernel that is not for everybody
is_flavour() {
	[[ $1 =~ -(rt|cloud|16k|64k)(-|$) ]]
}

# find_root NAME: sets kernel_root. A kernel TRIXIE/6.12 is that of a root of another suite, which
# scripts/root.sh makes, TRIXIE-ARM64/6.12 of another architecture; others are those of this machine.
find_root() {
	kernel_root=
	[[ $1 != */* ]] || kernel_root=$("$TOP/scripts/root.sh" "${1%%/*}")
}

# image_of ROOT RELEASE: packages have it beside its modules, or below /boot
image_of() {
	local image=$1/lib/modules/$2/vmlinuz
	[ -e "$image" ] && echo "$image" || echo "$1/boot/vmlinuz-$2"
}

# has_kernel VERSION image|headers|both: whether that part of it is installed.
has_kernel() {
	local kernel_root release=${1##*/} build
	find_root "$1"
	build=/lib/modules/$release/build
	case $2 in
	image) [ -e "$(image_of "$kernel_root" "$release")" ] && [ -d "$kernel_root/lib/modules/$release/kernel" ] ;;
	headers)
		# An absolute link means a path in the root
		[[ $(readlink "$kernel_root$build") != /* ]] || build=$(readlink "$kernel_root$build")
		[ -e "$kernel_root$build/Makefile" ]
		;;
	both) has_kernel "$1" image && has_kernel "$1" headers ;;
	esac
}

# newest_kernel SERIES image|headers|both: the newest installed version of it, of this machine or, of
# SUITE/SERIES, of that root; fails when there is none.
newest_kernel() {
	local kernel_root pattern where version suite=
	pattern=$(version_pattern "${1##*/}") || return
	find_root "$1"
	[[ $1 != */* ]] || suite=${1%%/*}/
	for where in "$kernel_root"/lib/modules/*; do
		version=${where##*/}
		[ "${1##*/}" != newest ] || ! is_flavour "$version" || continue
		if [[ $version =~ ^$pattern$ ]] && has_kernel "$suite$version" "$2"; then
			echo "$suite$version"
		fi
	done | sort -V | tail -n 1 | grep .
}

# is_made NAME: whether scripts/kernel.sh makes it. Its version is its name.
is_made() {
	[[ $1 =~ ^(um|um-debug|um-debug-newest|debug|kcsan|[a-z]+-[a-z0-9]+/kunit(-64k)?)$ ]]
}

# is_uml NAME: whether it is User-Mode Linux, which runs as a program of the host
is_uml() {
	[[ $1 = um* ]]
}

# has_kunit NAME: whether it is made to run the suites of KUnit
has_kunit() {
	is_made "$1" && [[ ${1##*/} =~ ^(um-debug|kunit) ]]
}

# kernel_version NAME image|headers: NAME is a series (6.1, 6.12), a full version, either of a root
# (trixie/6.12), or one that is made. Ends when it is not installed. Of a series, a version that has
# both image and headers is preferred: what is built is what is booted then.
kernel_version() {
	local kernel_root
	if is_made "$1"; then
		echo "$1"
		return
	fi
	find_root "$1"
	if version_pattern "${1##*/}" >/dev/null; then
		newest_kernel "$1" both || newest_kernel "$1" "$2" ||
			die "no $1 kernel $2 here: $(how_to_get "$1" "$2")"
	elif has_kernel "$1" "$2"; then
		echo "$1"
	else
		die "no kernel $2 for '$1' here: $(which_kernels)"
	fi
}

which_kernels() {
	echo "give ${SERIES[*]}, um, um-debug, debug, kcsan or an installed version"
}

# how_to_get NAME image|headers: of those of this machine, if it is one of them
how_to_get() {
	if [ -n "$kernel_root" ]; then
		echo "remove $kernel_root, so that it is made anew"
	elif [[ " ${SERIES[*]} " != *" $1 "* ]]; then
		which_kernels
	elif command -v apt-get >/dev/null; then
		echo "apt-get install linux-$2-$(package_suffix "$1")"
	else
		echo "scripts/install-deps.sh build names its package"
	fi
}

# find_kernel VERSION: sets kernel_image, kernel_tree (what modules are built against, in kernel_root)
# and kernel_modules (a directory); kernel_release is what uname says in it.
find_kernel() {
	find_root "$1"
	kernel_release=${1##*/}
	kernel_image=$(image_of "$kernel_root" "$kernel_release")
	kernel_modules=$kernel_root/lib/modules/$kernel_release
	kernel_tree=/lib/modules/$kernel_release/build
	if is_made "$1"; then
		kernel_tree=$("$TOP/scripts/kernel.sh" "$1")
		for kernel_image in "$kernel_tree"/{linux,Image,bzImage}; do
			[ ! -e "$kernel_image" ] || break
		done
		kernel_release=$(<"$kernel_tree/.kernelrelease")
		kernel_modules=$kernel_tree/lib/modules/$kernel_release
	fi
}

# in_root_of VERSION COMMAND...: where that kernel's compiler is
in_root_of() {
	case $1 in
	*/*) "$TOP/scripts/in-root.sh" "${1%%/*}" "${@:2}" ;;
	*) "${@:2}" ;;
	esac
}

# libibverbs_here: the library that programs of this machine load. awk reads to the end, for ldconfig would
# end by SIGPIPE.
libibverbs_here() {
	/sbin/ldconfig -p | awk '$1 == "libibverbs.so.1" && !found++ { print $NF }'
}

# with_mounts COMMAND...: what it mounts nobody else sees. But in a chroot, whose / is no mount that could
# be made private: so it has to unmount it as well.
with_mounts() {
	# shellcheck disable=SC2016 # for the shell there
	unshare -m --propagation unchanged \
		sh -c 'mount --make-rprivate / 2>/dev/null; exec "$@"' - "$@"
}

# guest_root VERSION: the root of what runs with that kernel, in kernel_root, where it is not this one:
# of another architecture the programs are apart from those that compile
guest_root() {
	case $1 in
	*-*/*) echo "$kernel_root/guest" ;;
	*) echo "$kernel_root" ;;
	esac
}

# build_of VERSION: where the programs are built that run with that kernel
build_of() {
	case $1 in
	*-*/*) echo "$BUILD/${1%%/*}" ;;
	*) echo "$BUILD" ;;
	esac
}

# provider_of VERSION: where the provider is built for what runs with that kernel
provider_of() {
	case $1 in
	*/*) echo "$BUILD/${1%%/*}/provider" ;;
	*) echo "$BUILD/provider" ;;
	esac
}

# buildable_kernels: the versions that `make` builds for: of each series the one that the tests boot, and
# the running kernel. Where there is neither, all that have headers.
buildable_kernels() {
	local series version found
	found=$({
		for series in "${SERIES[@]}"; do
			newest_kernel "$series" both || newest_kernel "$series" headers || :
		done
		! has_kernel "$(uname -r)" headers || uname -r
	} | sort -Vu)
	[ -z "$found" ] || { echo "$found" && return; }
	for version in /lib/modules/*; do
		! has_kernel "${version##*/}" headers || echo "${version##*/}"
	done
}

# package_suffix SERIES: of the packages linux-image-SUFFIX and linux-headers-SUFFIX. Debian 12 has a
# second kernel under a name of its own
package_suffix() {
	case $1 in
	6.12) echo "$1-amd64" ;;
	*) echo amd64 ;;
	esac
}

# made_for DIR KERNEL: what was built in DIR for another one goes, as it would pass for up to date
made_for() {
	if [ "$(cat "$1/made-for" 2>/dev/null)" != "$2" ]; then
		rm -rf "$1/drivers" "$1/include"
		mkdir -p "$1"
		echo "$2" >"$1/made-for"
	fi
}

# allowed_processors: those that this process may use, a line each
allowed_processors() {
	local range
	for range in $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , ' '); do
		seq "${range%-*}" "${range#*-}"
	done
}

# hold_processor: sets `processor` to the one for a User-Mode Linux, whose system calls and page faults
# are five times faster when it stays on one. It is none that another has, if there is one, as long as
# this shell and what it starts live.
hold_processor() {
	local lock
	for processor in $(allowed_processors); do
		exec {lock}>>"${TMPDIR:-/tmp}/svt-processor-$processor" || continue
		! flock -n "$lock" || return 0
		exec {lock}>&-
	done
}

# list_files: of the tree, without what is built
list_files() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -co --exclude-standard
	else
		find . -path ./build -prune -o \( -type f -o -type l \) -printf '%P\n'
	fi | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done | sort
}
