# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# From the counters that the guest left to a table of lines and branches per file.
# Sourced by scripts/kunit.sh.

# Without any, the guest did not come so far, and the verdict says why.
place_counters() {
	[[ -d $run/gcov ]] || return
	find "$build/drivers" -name '*.gcda' -delete
	(cd "$run/gcov" && find . -name '*.gcda' -print0 | tar --null -cf - -T -) | tar -xf - -C "$build"
}

# report_coverage: a table on standard output, and a page for each file. gcov runs in the kernel's
# tree, where it finds the headers that were compiled in.
report_coverage() {
	place_counters || return 0
	rm -rf "$build/html"
	mkdir "$build/html"
	gcovr --root "$build" --object-directory "$kernel" --filter "$build/drivers/" \
		--exclude '.*/tests/.*' --exclude '.*/svt_test/.*' --txt "$build/lines.txt" \
		--html-details "$build/html/index.html" --print-summary "$build" \
		>"$build/summary.txt" || die "gcovr failed"
	cut -c1-100 "$build/lines.txt"
	grep -E '^(lines|branches)' "$build/summary.txt"
	say "kunit: all lines are in $build/html/index.html"
}
