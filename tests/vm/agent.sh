#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the second of two VMs runs: it does what the first asks (in_peer of tests/lib/hosts.sh), any
# number of commands at a time. Usage there: agent.sh. `agent.sh end` in the first makes it end.
#
# A connection is a command: a line, quoted for the shell, comes in; what it prints goes out, and
# last MARK and its status. All that commands start is in one cgroup, so that it can be killed.

ADDRESS=10.9.0.2 PORT=7000
MARK=$'\x1e'
JOBS=/sys/fs/cgroup/jobs
END=/run/svt/end

# What is killed need not be told to the VM's output: the status says it
serve() {
	local line
	exec 2>/dev/null
	IFS= read -r line
	(
		echo "$BASHPID" >$JOBS/cgroup.procs
		eval "$line"
	) </dev/null 2>&1
	echo "$MARK$?"
}

listen() {
	local why
	mkdir -p $JOBS
	mkfifo $END
	{
		socat "TCP-LISTEN:$PORT,bind=$ADDRESS,reuseaddr,fork" "EXEC:$0 serve"
		echo "socat ended" >$END
	} &
	read -r why <$END
	echo "agent.sh: $why"
	[ "$why" = "asked to end" ]
}

case ${1:-listen} in
listen) listen ;;
serve) serve ;;
end) timeout 20 bash -c "exec 3<>/dev/tcp/$ADDRESS/$PORT
	echo 'echo asked to end >$END' >&3
	read -r <&3" ;;
esac
