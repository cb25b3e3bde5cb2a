#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What monitors get: packaging/svt-metrics has each counter, node_exporter takes it, and the dashboard, the
# alerts and the page of Documentation name nothing else.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/exporter.sh"

METRICS=$TOP/packaging/svt-metrics
MONITORING=$TOP/tests/lib/monitoring.py
PAGE=$TOP/Documentation/monitoring.rst
DASHBOARD=$TOP/Documentation/monitoring/dashboard.json
ALERTS=$TOP/Documentation/monitoring/alerts.yml

# counters_of DEVICE: their names
counters_of() {
	find "/sys/class/infiniband/$1/ports/1/hw_counters" -type f ! -name lifespan -printf '%f\n' | sort
}

# has_counters DEVICE: each in $WORK/metrics, with its value
has_counters() {
	local name
	for name in $(counters_of "$1"); do
		[ "$(metric "svt_${name}_total" "device=\"$1\",port=\"1\"")" = \
			"$(<"/sys/class/infiniband/$1/ports/1/hw_counters/$name")" ] || die "$1 has another $name"
	done
}

# Those of the first namespace's view, where both devices are seen; nothing is under way
metrics_have_each_counter() {
	pair ibv_rc_pingpong -d svta -g "$(gid_index svta v4)" -n 100 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.0.1
	nap 0.5
	"$METRICS" >"$WORK/metrics"
	has_counters svta
	has_counters svtb
	[ "$(metric svt_tx_packets_total 'device="svta",port="1"')" -ge 100 ]
	[ "$(metric svt_objects 'device="svta",type="qp"')" = 1 ]
}

# The kernel has more than one software device
metrics_are_of_svt_alone() {
	beside_rxe "$METRICS" >"$WORK/metrics"
	fails grep rxe0 "$WORK/metrics"
	grep svtb "$WORK/metrics"
}

metrics_replace_a_file() {
	mkdir "$WORK/textfile"
	echo old >"$WORK/textfile/svt.prom"
	"$METRICS" "$WORK/textfile/svt.prom"
	grep -qx '# TYPE svt_tx_packets_total counter' "$WORK/textfile/svt.prom"
	[ "$(stat -c %a "$WORK/textfile/svt.prom")" = 644 ]
	[ "$(ls "$WORK/textfile")" = svt.prom ]
}

# without_rdma COMMAND...: where there is no such program
without_rdma() {
	unshare -m sh -c 'mount --bind /dev/null "$(command -v rdma)" && exec "$@"' - "$@"
}

metrics_errors_are_lines() {
	mkdir "$WORK/textfile"
	echo old >"$WORK/textfile/svt.prom"
	fails_with '^svt-metrics: usage: svt-metrics \[FILE\]$' "$METRICS" a.prom b.prom
	fails_with "^svt-metrics: '.*/svt.txt' does not end with .prom, so nobody would read it$" \
		"$METRICS" "$WORK/svt.txt"
	fails_with "^svt-metrics: cannot write to /nowhere$" "$METRICS" /nowhere/svt.prom
	fails_with '^svt-metrics: (there is no rdma|rdma statistic show link: )' \
		without_rdma "$METRICS" "$WORK/textfile/svt.prom"
	[ "$(<"$WORK/textfile/svt.prom")" = old ]
	[ "$(ls "$WORK/textfile")" = svt.prom ]
}

# export_all: as the page says, to $WORK/metrics
export_all() {
	mkdir "$WORK/textfile"
	"$METRICS" "$WORK/textfile/svt.prom"
	export_metrics --collector.infiniband --collector.textfile \
		--collector.textfile.directory="$WORK/textfile"
	[ "$(awk '$1 == "node_textfile_scrape_error" { print $2 }' "$WORK/metrics")" = 0 ]
}

exporter_takes_them() {
	local name
	export_all
	for name in $(counters_of svta); do
		grep "^svt_${name}_total{device=\"svta\",port=\"1\"} " "$WORK/metrics"
	done
	grep '^node_textfile_mtime_seconds{file=".*svt.prom"} ' "$WORK/metrics"
}

# all_exist FILE...: the metrics that they use are among those of $WORK/metrics
all_exist() {
	sed -nE 's/^([a-z][a-z0-9_]*)[{ ].*/\1/p' "$WORK/metrics" | sort -u >"$WORK/there"
	"$MONITORING" names "$@" | sort >"$WORK/used"
	[ -s "$WORK/used" ]
	comm -23 "$WORK/used" "$WORK/there" | tee "$WORK/unknown"
	[ ! -s "$WORK/unknown" ]
}

what_is_named_exists() {
	export_all
	all_exist "$DASHBOARD" "$ALERTS" "$PAGE"
	sed 's/svt_naks_sent_total/svt_nacks_sent_total/' "$DASHBOARD" >"$WORK/spoiled.json"
	fails all_exist "$WORK/spoiled.json"
	grep -x svt_nacks_sent_total "$WORK/unknown"
}

page_has_each_counter() {
	local name missing=
	for name in $(counters_of svta); do
		grep -q "\`\`$name\`\`" "$PAGE" || missing+=" $name"
	done
	[ -z "$missing" ] || die "the page says nothing of$missing"
}

# spoiled SED-SCRIPT WHAT: that is noticed
spoiled() {
	sed "$1" "$DASHBOARD" >"$WORK/spoiled.json"
	fails cmp "$DASHBOARD" "$WORK/spoiled.json"
	fails_with "$2" "$MONITORING" panels "$WORK/spoiled.json"
}

dashboard_is_whole() {
	"$MONITORING" panels "$DASHBOARD"
	spoiled 's/"title": "Bytes",//' 'panel [0-9]*: no title'
	spoiled 's/"unit": "Bps"/"decimals": 1/' 'Bytes: no unit'
	spoiled 's/\${datasource}/prometheus/' 'Bytes: a data source that is no variable'
	spoiled 's/\$device/$devise/' 'no variable devise'
}

setup_pair
run_test "svt-metrics has each counter, with its value" metrics_have_each_counter
run_test "svt-metrics tells of devices of svt alone" metrics_are_of_svt_alone
run_test "svt-metrics replaces a file" metrics_replace_a_file
run_test "what svt-metrics can not do it says in a line" metrics_errors_are_lines
run_test "node_exporter takes what svt-metrics wrote" exporter_takes_them
run_test "dashboard, alerts and page name metrics that exist" what_is_named_exists
run_test "the page tells of each counter" page_has_each_counter
run_test "each panel of the dashboard has a title, a unit and a source" dashboard_is_whole
run_test "teardown leaves nothing" leave_pair
finish
