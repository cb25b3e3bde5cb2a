# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The figure in what a program printed, from standard input; nothing when there is none.

# perftest_figure COLUMN: a word of the last line of figures
perftest_figure() {
	awk -v column="$1" '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { value = $column } END { print value }'
}

# Messages a second
perftest_rate() {
	perftest_figure 5 | awk '$1 { printf "%d", $1 * 1000000 }'
}

# MB a second, of iperf3 -J
iperf_figure() {
	python3 -c '
import json, sys
print(json.load(sys.stdin)["end"]["sum_received"]["bits_per_second"] / 8 / 2**20)' 2>/dev/null
}

# Bytes that the receiving side of iperf3 -J had
iperf_bytes() {
	python3 -c '
import json, sys
print(json.load(sys.stdin)["end"]["sum_received"]["bytes"])' 2>/dev/null
}

# sockperf_count Sent|Received: messages
sockperf_count() {
	sed -n "s/.*\[Valid Duration\].*$1Messages=\([0-9]*\).*/\1/p"
}

# Microseconds one way
sockperf_average() {
	sed -n 's/.*avg-latency=\([0-9.]*\).*/\1/p'
}

# sockperf_percentile N
sockperf_percentile() {
	sed -n "s/.*percentile $1\\.000 = *\\([0-9.]*\\).*/\\1/p"
}

# The same
qperf_figure() {
	awk '/latency +=/ { print $3 * ($4 == "ms" ? 1000 : $4 == "sec" ? 1000000 : 1) }'
}
