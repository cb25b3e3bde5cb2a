#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Checks how the tree is written: checkpatch --strict and kernel-doc, both of the kernel
# source package; lengths of files and functions; licence lines; that nothing names the machine
# it was written on; that the documentation has each counter and each lock; that each test is there which it
# names for a fault of rxe; and that all agree on the version.  scripts/style-exceptions lists what is
# allowed, and why.
# Usage: check-style.sh [FILE...]

# shellcheck source-path=SCRIPTDIR
set -euo pipefail

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"
# shellcheck source=kernel/source.sh
. "$TOP/scripts/kernel/source.sh"

exceptions=$TOP/scripts/style-exceptions
most_file_lines=799
most_function_lines=80

# Sets $checkers, a directory with the kernel's scripts.
ensure_checkers() {
	checkers=$cache_root/checkers-$(kernel_package_version)
	[[ ! -d $checkers ]] || return 0
	(
		hold_lock "$checkers.lock"
		[[ ! -d $checkers ]] || exit 0
		say "unpacking checkpatch and kernel-doc of $kernel_package"
		rm -rf "$checkers.unpacking"
		unpack_kernel "$checkers.unpacking" '*/scripts/checkpatch.pl' \
			'*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch' \
			'*/scripts/kernel-doc'
		mv "$checkers.unpacking" "$checkers"
	)
}

is_source() {
	case ${1##*/} in
	*.[chS]|*.sh|*.py|*.pl|*.awk|*.mk|*.config|Makefile|Kbuild|Kconfig|CMakeLists.txt)
		return 0 ;;
	esac
	[[ $(head -c 2 "$1" | tr -d '\0') = '#!' ]]
}

# Every check prints "FILE:LINE: TYPE: what is wrong".

# checkpatch leaves a list of names in the directory where it runs.
run_checkpatch() {
	local status=0

	cd "$scratch"
	GIT_DIR=none perl "$checkers/scripts/checkpatch.pl" --no-tree --root=. --strict --terse \
		--show-types --no-summary --max-line-length=100 -f "${c_files[@]}" \
		>checkpatch.out 2>checkpatch.err || status=$?
	sed -nE 's/^([^:]+:[0-9]+): [A-Z]+:([A-Z_]+: )/\1: \2/p' checkpatch.out
	if ((status > 1)) || grep -q . checkpatch.err; then
		echo "${c_files[0]}:1: CHECKPATCH: it did not run: $(head -n 1 checkpatch.err)"
	fi
}

# Members that nobody described are one finding for each structure.
run_kernel_doc() {
	local files=()

	mapfile -t files < <(printf '%s\n' "${c_files[@]}" | grep -E '^(drivers|include)/' || true)
	((${#files[@]})) || return 0
	perl "$checkers/scripts/kernel-doc" -none -Wreturn "${files[@]}" 2>&1 |
		sed -nE 's/^([^:]+:[0-9]+): (warning|error): /\1: KERNEL_DOC: /p' |
		awk '
			/ member .* not described in / {
				split($0, quoted, "\047")
				key = $1 " KERNEL_DOC: " quoted[4] " does not describe "
				if (!(key in names))
					order[++count] = key
				names[key] = names[key] " " quoted[2]
				next
			}
			{ print }
			END {
				for (i = 1; i <= count; i++)
					print order[i] "its" names[order[i]]
			}'
}

check_file_lengths() {
	awk -v most="$most_file_lines" '
		FNR > longest { longest = FNR; where = FILENAME }
		FNR == most + 1 { print FILENAME ":" FNR ": FILE_LENGTH: over " most " lines" }
		END { print "longest file: " where ", " longest " lines" >"/dev/stderr" }
	' "${sources[@]}"
}

# A function opens with a brace in the first column (C), NAME() { (shell) or sub NAME (perl),
# and closes with a brace in the first column; one of Python ends where its indentation does.
check_function_lengths() {
	awk -v most="$most_function_lines" '
		function indent(line) {
			match(line, /^[ \t]*/)
			return RLENGTH
		}
		function close_function(last,   lines) {
			lines = last - start + 1
			if (lines > longest) {
				longest = lines
				where = path ": " name
			}
			if (lines > most)
				print path ":" start ": FUNCTION_LENGTH: " name " has " \
					lines " lines, at most " most
			start = 0
		}
		FNR == 1 {
			if (start)
				close_function(last_line)
			path = FILENAME
			is_c = path ~ /\.[ch]$/
			is_python = path ~ /\.py$/
		}
		start && is_python && NF && indent($0) <= depth { close_function(last_line) }
		NF { last_line = FNR }
		is_c && /^[A-Za-z_].*\(/ {
			candidate = $0
			sub(/\(.*/, "", candidate)
			sub(/.*[ *]/, "", candidate)
		}
		is_c && /^\{/ { start = FNR; name = candidate }
		!is_c && !is_python && /^([A-Za-z_0-9]+\(\) *[{(]|sub [A-Za-z_0-9]+)/ {
			start = FNR
			name = $1 == "sub" ? $2 : $1
		}
		is_python && !start && /^[ \t]*def / {
			start = FNR
			depth = indent($0)
			name = $2
		}
		start && !is_python && /^[})]/ { close_function(FNR) }
		END {
			if (start)
				close_function(last_line)
			print "longest function: " where ", " longest " lines" >"/dev/stderr"
		}
	' "${sources[@]}"
}

check_licences() {
	awk '
		FNR == 1 {
			due = /^#!/ ? 2 : 1
			mark = FILENAME ~ /\.c$/ ? "^//" : FILENAME ~ /\.[hS]$/ ? "^/[*]" : "^#"
		}
		FNR == due && $0 !~ mark " SPDX-License-Identifier: [A-Za-z(]" {
			print FILENAME ":" FNR ": SPDX: no SPDX-License-Identifier here"
		}
	' "${sources[@]}"
}

# What betrays a machine, as extended regular expressions (written so as not to match here).
check_names() {
	local start='(^|[^A-Za-z0-9_./$}*-])'
	local paths="$start/(wor[k]|roo[t]|home/[a-z]+)(/|[^A-Za-z0-9_-]|\$)"
	local hosts='pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.(org|com)|crate[s]\.io|proxy\.golan[g]'
	hosts+='|deb\.debia[n]\.org|snapshot\.debia[n]\.org|rubygem[s]\.org|docke[r]\.io|ghc[r]\.io'
	hosts+='|qua[y]\.io|repo\.mave[n]'

	grep -nHIE "$paths" "${files[@]}" |
		sed -E 's/^([^:]+:[0-9]+):/\1: LOCAL_PATH: names a path of one machine:/' || true
	grep -nHIiE "$hosts" "${files[@]}" |
		sed -E 's/^([^:]+:[0-9]+):/\1: REGISTRY_HOST: names a package registry:/' || true
}

# Takes out the findings that scripts/style-exceptions allows: TYPE, paths, text of the
# finding (a regular expression) and reason, separated by tabs.
without_exceptions() {
	awk -F '\t' '
		function to_regexp(glob) {
			gsub(/[.]/, "[.]", glob)
			gsub(/[*]/, ".*", glob)
			return "^" glob "$"
		}
		NR == FNR {
			if (/^#/ || !NF)
				next
			if (NF != 4 || $4 == "") {
				print FILENAME ":" FNR ": EXCEPTION: not four fields with a reason"
				next
			}
			type[++count] = $1
			path[count] = to_regexp($2)
			text[count] = $3
			next
		}
		{
			split($0, part, ": ")
			file = part[1]
			sub(/:[0-9]+$/, "", file)
			message = substr($0, length(part[1]) + length(part[2]) + 5)
			for (i = 1; i <= count; i++)
				if (type[i] == part[2] && file ~ path[i] && message ~ text[i])
					next
			print
		}
	' "$exceptions" -
}

all_checks() {
	(run_checkpatch)
	run_kernel_doc
	check_file_lengths
	check_function_lengths
	check_licences
	check_names
	scripts/counters.sh --check
	scripts/locks.sh --check
	scripts/version.sh --check
	scripts/rxe-history.sh || (($? == 1))
}

select_files() {
	if (($#)); then
		files=("$@")
	else
		mapfile -t files < <(list_files)
	fi
	sources=()
	c_files=()
	for file in "${files[@]}"; do
		if is_source "$file"; then
			sources+=("$file")
		fi
		if [[ $file = *.[ch] ]]; then
			c_files+=("$file")
		fi
	done
	((${#c_files[@]})) || die "nothing to check: give .c or .h files, or none for all"
}

# A directory in which the tree's top folders can be seen, for what must not write into it.
make_scratch() {
	local entry

	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	for entry in *; do
		ln -s "$TOP/$entry" "$scratch/$entry"
	done
}

cd "$TOP"
need_kernel_package
need perl perl
ensure_checkers
select_files "$@"
make_scratch
all_checks | without_exceptions | sort -t : -k 1,1 -k 2,2n >"$scratch/findings"
sed "s|^$TOP/||; s/^/# /" "$scratch/findings"
cut -d : -f 1 "$scratch/findings" | sort -u >"$scratch/failed"
printf '%s\n' "KTAP version 1" "1..${#files[@]}"
printf '%s\n' "${files[@]}" | awk 'NR == FNR { failed[$0] = 1; next }
	{ print (($0 in failed) ? "not ok" : "ok"), FNR, $0 }' "$scratch/failed" -
failed=$(wc -l <"$scratch/failed")
echo "$((${#files[@]} - failed)) passed, $failed failed"
((failed == 0))
