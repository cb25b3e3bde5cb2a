#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Prints the locks of the kernel modules: "FILE:LINE: NAME", where NAME is STRUCT.FIELD, or that of a lock that
# is in no struct. With --check it prints those that Documentation/locking.rst does not name:
# "FILE:LINE: TYPE: what is wrong".

set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$TOP"

page=Documentation/locking.rst
kinds='spinlock_t|raw_spinlock_t|rwlock_t|local_lock_t|seqlock_t|seqcount_t|struct mutex|struct rw_semaphore'

locks() {
	find drivers -name '*.[ch]' ! -path '*/tests/*' ! -path '*/compat/*' ! -path 'drivers/svt_test/*' \
		! -name '*.mod.c' | sort | xargs awk -v kinds="$kinds" '
		/^(static )?struct [a-z_]+ \{/ {
			name = $0
			sub(/^(static )?struct /, "", name)
			sub(/ .*/, "", name)
		}
		/^}/ { name = "" }
		$0 ~ "^\t(" kinds ") [a-z_, ]+;" {
			line = $0
			sub("^\t(" kinds ") ", "", line)
			sub(/;.*/, "", line)
			count = split(line, fields, /, /)
			for (i = 1; i <= count; i++)
				print FILENAME ":" FNR ": " name "." fields[i]
		}
		/^(static )?DEFINE_(SPINLOCK|MUTEX|RWLOCK|STATIC_SRCU|SEQLOCK)\(/ {
			line = $0
			gsub(/^[^(]*\(|\).*/, "", line)
			print FILENAME ":" FNR ": " line
		}'
}

case ${1:-} in
'') locks ;;
--check)
	locks | while read -r where lock; do
		grep -qF "\`\`$lock\`\`" "$page" || echo "$where LOCKS: $page does not name $lock"
	done
	;;
*) die "usage: locks.sh [--check]" ;;
esac
