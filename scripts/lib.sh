# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the host-side scripts; to be sourced. Sets TOP and BUILD, defines messages, kernel
# lookup, time limits.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=${BUILD:-$TOP/build}
SVT_TIME_SCALE=${SVT_TIME_SCALE:-1}
export SVT_TIME_SCALE

# The kernel series that svt supports, in the order in which they are built and tested.
SERIES=(6.1 6.12)

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

# version_pattern SERIES: an extended regular expression for the stock Debian versions of a series.
version_pattern() {
	case $1 in
	6.1) echo '6\.1\.0-[0-9]+-amd64' ;;
	6.12) echo '6\.12\.[0-9]+\+deb12(\.[0-9]+)?-amd64' ;;
	*) return 1 ;;
	esac
}

# has_kernel VERSION image|headers|both: whether that part of it is installed.
has_kernel() {
	case $2 in
	image) [ -e "/boot/vmlinuz-$1" ] && [ -d "/lib/modules/$1/kernel" ] ;;
	headers) [ -e "/lib/modules/$1/build/Makefile" ] ;;
	both) has_kernel "$1" image && has_kernel "$1" headers ;;
	esac
}

# newest_kernel SERIES image|headers|both: the newest installed version of it; fails when there is
# none.
newest_kernel() {
	local pattern where version
	pattern=$(version_pattern "$1") || return 1
	for where in /lib/modules/*; do
		version=${where##*/}
		if [[ $version =~ ^$pattern$ ]] && has_kernel "$version" "$2"; then
			echo "$version"
		fi
	done | sort -V | tail -n 1 | grep .
}

# is_made NAME: whether scripts/kernel.sh makes it. Its version is its name.
is_made() {
	[[ $1 =~ ^(um|um-debug|debug|kcsan)$ ]]
}

# is_uml NAME: whether it is User-Mode Linux, which runs as a program of the host
is_uml() {
	[[ $1 = um* ]]
}

# kernel_version NAME image|headers: NAME is a series (6.1, 6.12), a full version, or one that is
# made. Ends when it is not installed. Of a series, a version that has both image and headers is
# preferred: what is built is what is booted then.
kernel_version() {
	if is_made "$1"; then
		echo "$1"
	elif version_pattern "$1" >/dev/null; then
		newest_kernel "$1" both || newest_kernel "$1" "$2" ||
			die "no $1 kernel $2 here: apt-get install linux-$2-$(package_suffix "$1")"
	elif has_kernel "$1" "$2"; then
		echo "$1"
	else
		die "no kernel $2 for '$1' here: give ${SERIES[*]}, um, um-debug, debug, kcsan or an installed version"
	fi
}

# find_kernel VERSION: sets kernel_image, kernel_tree (what modules are built against) and
# kernel_modules (a directory); kernel_release is what uname says in it.
find_kernel() {
	kernel_release=$1 kernel_image=/boot/vmlinuz-$1 kernel_tree=/lib/modules/$1/build
	if is_made "$1"; then
		kernel_tree=$("$TOP/scripts/kernel.sh" "$1")
		kernel_image=$kernel_tree/bzImage
		! is_uml "$1" || kernel_image=$kernel_tree/linux
		kernel_release=$(<"$kernel_tree/.kernelrelease")
		kernel_modules=$kernel_tree/lib/modules/$kernel_release
	else
		kernel_modules=/lib/modules/$1
	fi
}

# buildable_kernels: the versions that `make` builds for: of each series the one that the tests
# boot, and the running kernel.
buildable_kernels() {
	local series running
	running=$(uname -r)
	{
		for series in "${SERIES[@]}"; do
			newest_kernel "$series" both || newest_kernel "$series" headers || :
			[[ ! $running =~ ^$(version_pattern "$series")$ ]] ||
				! has_kernel "$running" headers || echo "$running"
		done
	} | sort -Vu
}

package_suffix() {
	case $1 in
	6.1) echo amd64 ;;
	*) echo "$1-amd64" ;;
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
