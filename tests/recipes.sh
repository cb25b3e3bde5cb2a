#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What administrators copy, where nothing has to be booted to look at it. The rules for Prometheus in
# Documentation/monitoring, by its promtool: each alert fires when it is to, and it alone, and none when all is
# well; and each expression of the dashboard is one. The manifests for Kubernetes: they can be read, and agree.

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/host.sh"
cd "$TOP" || exit
need promtool prometheus

ALERTS=$TOP/Documentation/monitoring/alerts.yml
DASHBOARD=$TOP/Documentation/monitoring/dashboard.json
MONITORING=$TOP/tests/lib/monitoring.py

rules_are_valid() {
	promtool check rules "$ALERTS"
}

each_has_a_case() {
	diff <(sed -n 's/^ *- alert: //p' "$ALERTS") <("$MONITORING" cases)
}

# fires FILE [ALERT]: that one of the file, and no other
fires() {
	"$MONITORING" case "$@" >"$WORK/case.json"
	promtool test rules "$WORK/case.json"
}

# With another threshold the case does not pass
threshold_counts() {
	sed 's/> 0.001/> 0.1/' "$ALERTS" >"$WORK/alerts.yml"
	fails cmp "$ALERTS" "$WORK/alerts.yml"
	fails fires "$WORK/alerts.yml" SvtLoss
}

expressions_are_valid() {
	"$MONITORING" rules "$DASHBOARD" >"$WORK/rules.json"
	promtool check rules "$WORK/rules.json"
	sed 's/rate(/rate((/' "$WORK/rules.json" >"$WORK/spoiled.json"
	fails promtool check rules "$WORK/spoiled.json"
}

manifests_agree() {
	local manifests=("$TOP"/packaging/kubernetes/*.yaml)
	tests/lib/manifests.py "${manifests[@]}"
	sed 's,rdma/svt:,rdma/svd:,; s/networks: rdma-macvlan$/networks: rdma-macvlam/' \
		packaging/kubernetes/pod.yaml >"$WORK/pod.yaml"
	tests/lib/manifests.py "${manifests[@]}" "$WORK/pod.yaml" >"$WORK/said" && return 1
	diff - "$WORK/said" <<-END
		rdma-shared: no network rdma-macvlam
		rdma-shared: nobody gives rdma/svd
	END
}

run_test "the rules are valid" rules_are_valid
run_test "each alert has a case" each_has_a_case
run_test "none fires when all is well" fires "$ALERTS"
while read -r alert; do
	run_test "$alert fires, and it alone" fires "$ALERTS" "$alert"
done < <("$MONITORING" cases)
run_test "with another threshold it does not" threshold_counts
run_test "each expression of the dashboard is valid" expressions_are_valid
run_test "manifests for Kubernetes can be read, and agree" manifests_agree
finish
