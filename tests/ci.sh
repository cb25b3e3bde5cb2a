#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The jobs of Documentation/ci, as people copy them: their scripts run in what a container of Debian's image
# has, a root of scripts/root.sh under an overlay, with the capabilities that containers have. This tree
# stands for the repository that they clone; packages come from the network. Runs on the host, as root.

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/debian.sh"

PROJECT=/builds/project
# Those of a container that is not privileged
CAPABILITIES=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service
CAPABILITIES+=,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap

# make_repository: of the files here, whether they are committed or not
make_repository() {
	local to=$WORK/repository
	mkdir "$to"
	list_files | tar -c -T - | tar -x -C "$to"
	git -C "$to" init -q
	git -C "$to" add -A
	git -C "$to" -c user.name=svt -c user.email=svt commit -q -m "as it is"
}

# new_container: with a project that has one test, and our repository at /svt.git
new_container() {
	if [ -n "${machine:-}" ]; then
		umount -l "$machine/proc" "$machine"
		rm -rf "$WORK/layer"
	fi
	set_up_machine bookworm-minimal
	cp /etc/resolv.conf /etc/hosts "$machine/etc"
	git clone -q --bare "$WORK/repository" "$machine/svt.git"
	mkdir -p "$machine$PROJECT"
	cp Documentation/ci/my-test.sh "$machine$PROJECT"
}

# run_step NAME: of the job's, in the container
run_step() {
	cp "$WORK/steps/$1.sh" "$machine/tmp/step"
	# shellcheck disable=SC2016 # for the shell there
	setpriv --bounding-set="$CAPABILITIES" chroot "$machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/tmp CI=true SVT_URL=file:///svt.git SVT_TIME_SCALE="$SVT_TIME_SCALE" \
		sh -c 'cd "$0" && exec /tmp/step' "$PROJECT"
}

# read_steps SERVICE: into WORK/steps
read_steps() {
	rm -rf "$WORK/steps"
	python3 tests/ci-steps.py "$1" "Documentation/ci/$1.yml" "$WORK/steps"
	[ "$(<"$WORK/steps/image")" = debian:bookworm ]
}

# steps: their numbers
steps() {
	local file
	for file in "$WORK"/steps/*.sh; do
		basename "$file" .sh
	done | sort -n
}

# job SERVICE: says what each step took, which is shown
job() {
	local step begin
	read_steps "$1"
	for step in $(steps); do
		begin=$SECONDS
		run_step "$step"
		echo "$1: $(<"$WORK/steps/$step.name"): $((SECONDS - begin)) s" | tee -a "$WORK/times"
	done
	grep '^1000 iters' "$machine$PROJECT/client.log"
	[ -e "$machine$PROJECT/kernel.log" ]
}

# In the container of the last job
failure_fails_the_job() {
	local status=0 step
	printf '%s\n' '#!/bin/sh' 'echo wrong | tee client.log' 'exit 3' >"$machine$PROJECT/my-test.sh"
	read_steps github
	step=$(steps | tail -n 1)
	run_step "$step" || status=$?
	[ "$status" = 3 ]
	[ "$(<"$machine$PROJECT/client.log")" = wrong ]
}

make_repository || exit
new_container
run_test "the job for GitHub, in a clean root" job github
new_container
run_test "the job for GitLab, in a clean root" job gitlab
run_test "a test that fails makes the job fail" failure_fails_the_job
sed 's/^/# /' "$WORK/times"
finish
