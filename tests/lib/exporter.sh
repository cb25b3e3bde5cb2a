# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Prometheus' node_exporter, for testlib.sh: what it tells of RDMA devices is in $WORK/metrics.

# scrape: what Prometheus would get
scrape() {
	python3 -c '
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=10).read().decode())
' >"$WORK/metrics" 2>"$WORK/error"
}

# export_metrics OPTION...: once, by these collectors. In the first namespace: ib_core shows no counters of
# a device in others, unless it is theirs alone
export_metrics() {
	local exporter
	prometheus-node-exporter --collector.disable-defaults "$@" --web.listen-address=127.0.0.1:9100 \
		>"$WORK/exporter" 2>&1 &
	exporter=$!
	until_true 20 scrape || die "$(cat "$WORK/exporter" "$WORK/error")"
	kill "$exporter"
}

# metric NAME LABELS: its value in decimals, for it may come as 1.2345e+06
metric() {
	awk -v name="$1{$2}" '$1 == name { printf "%d\n", $2; found = 1 } END { exit !found }' "$WORK/metrics"
}
