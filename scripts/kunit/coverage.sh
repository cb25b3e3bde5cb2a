# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# From the counters that the guest left to a table of lines and branches per file.
# Sourced by scripts/kunit.sh.

# report_coverage: a table on standard output, and a page for each file. gcov runs in the kernel's
# tree, where it finds the headers that were compiled in.
report_coverage() {
	# Without counters the guest did not come so far, and the verdict says why
	[[ -d $run/gcov ]] || return 0
	find "$build/drivers" -name '*.gcda' -delete
	cp -r "$run/gcov/." "$build"
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
