#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# scripts/vm.sh, as people use it. Runs on the host, as root; what a user does is done by one without rights,
# in a copy of this tree, with Debian's 6.1. What does not depend on the machine is done in User-Mode Linux.
# Usage: user-vm.sh [brief]
#   brief  only that

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/host.sh"
cd "$TOP" || exit

NOBODY=65534

# as_user COMMAND...: with what is written to the terminal of a CI job in `output`
as_user() {
	status=0
	setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups env -u BUILD HOME="$WORK/home" \
		SVT_CALLER="it is passed on" "$@" >"$WORK/output" 2>&1 || status=$?
	cat "$WORK/output"
}

# make_user: whose tree has what was built here for that kernel
make_user() {
	local version to
	version=$(kernel_version 6.1 image)
	to=$WORK/svt/build/$version
	mkdir -p "$to" "$WORK/home" "$share/sub"
	list_files | tar -c -T - | tar -x -C "$WORK/svt"
	cp -r "$BUILD/provider" "$WORK/svt/build"
	(cd "$BUILD/$version" && find drivers -name '*.ko' -o -name modules.order | tar -c -T -) | tar -x -C "$to"
	# It has whole paths
	sed -i "s,^$BUILD/$version/,$to/," "$to/drivers/modules.order"
	chmod 755 "$WORK"
	echo "from outside" >"$share/in"
	echo "it will go" >"$share/gone"
	chown -R "$NOBODY:$NOBODY" "$WORK/svt" "$WORK/home" "$share"
	hostname=$(</etc/hostname)
}

# The test that a user runs
write_test() {
	cat >"$1" <<-'END'
		#!/bin/bash
		set -euo pipefail
		say() {
			echo "$1: ${2-$(cat)}"
		}
		say input "$(<in)"
		say root "$(id -u)"
		say memlock "$(ulimit -l)"
		say passed "$SVT_CALLER"
		say here "$SVT_HOST $SVT_HOSTS $SVT_DEVICE $SVT_NETDEV $SVT_ADDRESS $SVT_PEER"
		on-peer bash -c 'echo "peer: $SVT_HOST $SVT_HOSTS $SVT_DEVICE $SVT_NETDEV $SVT_ADDRESS $SVT_PEER $PWD"'
		say back "$(on-peer on-peer printenv SVT_HOST)"
		say devices "$(ibv_devices | awk 'NR > 2 { print $1 }' | xargs) $(on-peer ibv_devices | awk 'NR > 2 { print $1 }' | xargs)"

		on-peer ibv_rc_pingpong -c -g "$SVT_GID_INDEX" >server &
		until on-peer ss -tlnH 'sport = 18515' | grep -q .; do sleep 0.2; done
		ibv_rc_pingpong -c -g "$SVT_GID_INDEX" "$SVT_PEER" >client
		wait $!

		echo "from inside" >out
		mkdir sub/new
		rm gone
		mv in sub/in
		ln -s /etc/hostname away
		echo other >away
		say away "$(</etc/hostname)"
		# Memory that is the file's
		python3 -c '
		import mmap
		with open("mapped", "w+b") as file:
		    file.truncate(8192)
		    memory = mmap.mmap(file.fileno(), 8192)
		    memory[4096:4100] = b"here"
		    memory.close()'
		echo nothing >../outside
		say outside "$(<../outside)"
		exit 42
	END
	chmod 755 "$1"
}

first_run() {
	write_test "$share/test.sh"
	chown "$NOBODY:$NOBODY" "$share/test.sh"
	as_user "$WORK/svt/scripts/vm.sh" --share "$share" -- ./test.sh "with a blank"
	echo "status $status"
}

# told NAME: what the test said of it
told() {
	sed -n "s/^$1: //p" "$WORK/output"
}

has_what_is_promised() {
	[ "$(told root)" = 0 ]
	[ "$(told memlock)" = unlimited ]
	[ "$(told passed)" = "it is passed on" ]
}

hosts_see_each_other() {
	[ "$(told here)" = "a 2 svta veth0 10.0.0.1 10.0.0.2" ]
	[ "$(told peer)" = "b 2 svtb veth0 10.0.0.2 10.0.0.1 $share" ]
	[ "$(told back)" = a ]
	[ "$(told devices)" = "svta svtb" ]
	grep '^1000 iters' "$share/client"
	grep '^1000 iters' "$share/server"
}

files_go_in_and_out() {
	[ "$(told input)" = "from outside" ]
	[ "$(<"$share/out")" = "from inside" ]
	[ "$(<"$share/sub/in")" = "from outside" ]
	[ -d "$share/sub/new" ]
	[ ! -e "$share/gone" ]
	[ "$(stat -c %s "$share/mapped")" = 8192 ]
	[ "$(dd if="$share/mapped" bs=4 skip=1024 count=1 status=none)" = here ]
	find "$share" -printf '%u %p\n'
	[ -z "$(find "$share" ! -user "$NOBODY")" ]
}

nothing_else_is_changed() {
	[ "$(told away)" = other ]
	[ "$(readlink "$share/away")" = /etc/hostname ]
	[ "$(</etc/hostname)" = "$hostname" ]
	[ "$(told outside)" = nothing ]
	[ ! -e "$WORK/outside" ]
}

# What was written before is there, and nothing hides that it died
machine_dies() {
	as_user "$WORK/svt/scripts/vm.sh" --share "$share" --console "$share/kernel.log" \
		bash -c 'echo one >before; exec 3>during; echo two >&3; echo c >/proc/sysrq-trigger'
	[ "$status" = 97 ]
	[ "$(cat "$share/before" "$share/during")" = one$'\n'two ]
	grep 'sysrq: Trigger a crash' "$share/kernel.log"
}

# um OPTION... COMMAND...: with what root built here
um() {
	status=0
	scripts/vm.sh --kernel um "$@" >"$WORK/output" 2>&1 || status=$?
	cat "$WORK/output"
}

time_limit() {
	um --timeout 2 sleep 1000
	[ "$status" = 98 ]
	grep "^run.sh: kernel um: the command did not end within $(scaled 2) s$" "$WORK/output"
}

no_such_command() {
	um ./nothing
	[ "$status" = 127 ]
	grep -F './nothing' "$WORK/output"
	um "$WORK"
	[ "$status" = 126 ]
}

one_host() {
	# shellcheck disable=SC2016 # for the shell there
	SVT_HOSTS=1 um bash -c 'echo "here: $SVT_HOST $SVT_HOSTS $SVT_DEVICE ${SVT_PEER-none}"
		ibv_rc_pingpong -c -n 20 -g "$SVT_GID_INDEX" &
		until ss -tlnH "sport = 18515" | grep -q .; do sleep 0.2; done
		ibv_rc_pingpong -c -n 20 -g "$SVT_GID_INDEX" "$SVT_ADDRESS"
		wait $!
		on-peer true'
	[ "$(told here)" = "a 1 svta none" ]
	[ "$(grep -c '^20 iters' "$WORK/output")" = 2 ]
	grep '^on-peer: there is no other host' "$WORK/output"
	[ "$status" = 125 ]
}

# The current directory is that of the command, with this machine's files in it
nothing_is_shared_unless_asked() {
	mkdir "$WORK/quiet"
	cp /etc/hostname "$WORK/quiet"
	(cd "$WORK/quiet" && "$TOP/scripts/vm.sh" --kernel um bash -c 'cat hostname; pwd; echo >new') |
		cmp - <(cat /etc/hostname; echo "$WORK/quiet")
	[ "$(ls "$WORK/quiet")" = hostname ]
	um --share "$WORK/quiet" -- touch new
	[ "$(stat -c %s "$WORK/quiet/new")" = 0 ]
}

# refuses PATTERN ARGUMENT...
refuses() {
	says 99 "$1" scripts/vm.sh "${@:2}"
}

bad_options() {
	refuses "vm.sh: unknown option '--sharing'; see --help" --sharing . true
	refuses "vm.sh: --share needs a value; see --help" --share
	refuses "vm.sh: no command given; see --help" --share .
	refuses "vm.sh: there are 1 or 2 hosts, not '3'" --hosts 3 true
	refuses "vm.sh: --timeout needs a number from 0 on, not 'soon'" --timeout soon true
	refuses "vm.sh: --smp needs a number from 1 on, not '0'" --smp 0 true
	scripts/vm.sh --help | grep '^Usage: vm.sh'
}

bad_directories() {
	refuses "vm.sh: no directory '$WORK/none' to share" --share "$WORK/none" true
	refuses "vm.sh: no directory '/etc/hostname' to share" --share /etc/hostname true
	refuses "vm.sh: '/' cannot be shared: take a directory in it" --share / true
	refuses "vm.sh: '/proc/[0-9]+' cannot be shared: .*" --share /proc/self/. true
}

# without COMMAND...: on a machine that lacks QEMU
without_qemu() {
	mkdir -p "$WORK/bin"
	find /usr/bin /bin/ -maxdepth 1 ! -name 'qemu*' -exec ln -sft "$WORK/bin" {} +
	PATH=$WORK/bin "$@"
}

what_is_missing() {
	refuses "vm.sh: no 9.9 kernel image here: .*" --kernel 9.9 true
	says 99 "vm.sh: svt is not built for kernel 6\.1\.[^ ]*: make KERNEL=6.1" \
		env BUILD="$WORK/nothing" scripts/vm.sh --kernel 6.1 true
	says 99 ".*: 'qemu-system-x86_64' is missing: apt-get install qemu-system-x86 .*" \
		without_qemu scripts/vm.sh --kernel 6.1 true
}

run_test "bad options: one line, status 99" bad_options
run_test "directories that cannot be shared" bad_directories
run_test "no kernel, no build, no QEMU: one line says what to do" what_is_missing
if [ "${1:-}" != brief ]; then
	# A name that neither a shell nor QEMU takes as it is
	share="$WORK/my share, one"
	make_user || exit
	run_test "a user without rights runs a program in 6.1" first_run
	status_of_it=$(sed -n 's/^status //p' "$WORK/log")
	run_test "its status is that of vm.sh" [ "$status_of_it" = 42 ]
	run_test "it is root, and locks memory as it likes" has_what_is_promised
	run_test "two hosts, with a device each, reach each other" hosts_see_each_other
	run_test "files go in and out, and are the user's" files_go_in_and_out
	run_test "what else it writes is gone, through symbolic links too" nothing_else_is_changed
	run_test "a machine that dies: status 97, what was written is there" machine_dies
fi
run_test "the time limit: status 98" time_limit
run_test "no such command: status 127, no program: 126" no_such_command
run_test "one host" one_host
run_test "nothing is shared unless asked for" nothing_is_shared_unless_asked
finish
