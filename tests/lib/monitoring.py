#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What is in Documentation/monitoring, for the tests. Usage: monitoring.py names FILE...: the metrics that
they use; panels FILE: what a dashboard lacks; rules FILE: its expressions, as rules for promtool; cases: the
alerts that there are cases for; case [ALERT]: input for `promtool test rules`, where ALERT is to fire, or none.
"""

import json
import re
import sys

METRIC = re.compile(r"\b(?:svt_[a-z0-9_]+_total|svt_objects|node_(?:infiniband|textfile)_[a-z_]+)\b")
# What Grafana puts in
VARIABLES = {"$__rate_interval": "5m", "$instance": ".*", "$device": ".*"}

LABELS = '{instance="host",device="svt0",port="1"}'
MINUTES = 40
# By the minute: 100 packets a second each way, a few of them lost, and all is well
QUIET = {
    "svt_objects": "5x40",
    "svt_tx_packets_total": "0+6000x40",
    "svt_rx_packets_total": "0+6000x40",
    "svt_packet_seq_err_total": "0+1x40",
    "svt_out_of_buffer_total": "0+6x40",
    "svt_rnr_nak_retry_err_total": "0+6x40",
    "svt_rx_dropped_no_qp_total": "0+6x40",
    "svt_rx_dropped_backend_total": "0+6x40",
    "node_infiniband_state_id": "4x40",
    "node_textfile_mtime_seconds": "0+60x40",
}
# Of each alert a series by which it fires, and it alone
CASES = {
    "SvtPortDown": {"node_infiniband_state_id": "1x40"},
    "SvtDeviceGone": {"svt_objects": "5x20 _x20"},
    "SvtMetricsOld": {"node_textfile_mtime_seconds": "0x40"},
    "SvtPeerLost": {"svt_retry_exceeded_total": "0+1x40"},
    "SvtLoss": {"svt_packet_seq_err_total": "0+30x40"},
    "SvtNoReceives": {"svt_out_of_buffer_total": "0+120x40"},
    "SvtPeerNoReceives": {"svt_rnr_nak_retry_err_total": "0+120x40"},
    "SvtOverloaded": {"svt_rx_dropped_backlog_total": "0+120x40"},
    "SvtCorruption": {"svt_rx_dropped_backend_total": "0+120x40"},
    "SvtStrangers": {"svt_rx_dropped_address_total": "0+1200x40"},
    "SvtForgery": {"svt_tx_forged_total": "0+1x40"},
    "SvtRequestsFail": {"svt_req_cqe_error_total": "0+1x40"},
    "SvtCqOverrun": {"svt_cq_overruns_total": "0+1x40"},
}


def names(paths):
    found = set()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found.update(METRIC.findall(file.read()))
    return sorted(found)


def read_dashboard(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def charts(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def has_source(thing):
    return thing.get("datasource", {}).get("uid") == "${datasource}"


def panels(dashboard):
    """Lines of what is wrong."""
    variables = [variable["name"] for variable in dashboard["templating"]["list"]]
    if "datasource" not in variables:
        yield "no variable for the data source"
    if len({panel["id"] for panel in dashboard["panels"]}) < len(dashboard["panels"]):
        yield "two panels have one id"
    for panel in charts(dashboard):
        title = panel.get("title") or f"panel {panel['id']}"
        if not panel.get("title"):
            yield f"{title}: no title"
        if not panel["fieldConfig"]["defaults"].get("unit"):
            yield f"{title}: no unit"
        if not has_source(panel) or not all(map(has_source, panel["targets"])):
            yield f"{title}: a data source that is no variable"
        if not panel["targets"]:
            yield f"{title}: nothing to show"
        for target in panel["targets"]:
            for name in re.findall(r"\$(\w+)", target["expr"]):
                if name not in variables and name != "__rate_interval":
                    yield f"{title}: no variable {name}"


def rules(dashboard):
    found = []
    for panel in charts(dashboard):
        for target in panel["targets"]:
            expr = target["expr"]
            for name, value in VARIABLES.items():
                expr = expr.replace(name, value)
            found.append({"record": f"panel:{panel['id']}:{target['refId'].lower()}", "expr": expr})
    return {"groups": [{"name": "dashboard", "rules": found}]}


def series(name, values):
    labels = LABELS
    if name == "node_textfile_mtime_seconds":
        labels = '{instance="host",file="/var/lib/prometheus/node-exporter/svt.prom"}'
    return {"series": name + labels, "values": values}


def case(alert, alerts_file):
    """At the 30th minute, a sample each minute. What is not said is zero."""
    values = {name: "0x40" for name in names([alerts_file])}
    values.update(QUIET)
    values.update(CASES[alert] if alert else {})
    inputs = [series(name, value) for name, value in values.items() if not name.endswith("_info")]
    inputs.append({"series": 'node_infiniband_info{instance="host",device="svt0",hca_type="svt"}',
                   "values": f"1x{MINUTES}"})
    fire = [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else []
    test = {"interval": "1m", "input_series": inputs, "promql_expr_test": [{
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": "30m",
        "exp_samples": fire}]}
    return {"rule_files": [alerts_file], "evaluation_interval": "1m", "tests": [test]}


def main(command, *arguments):
    if command == "names":
        print("\n".join(names(arguments)))
    elif command == "panels":
        wrong = list(panels(read_dashboard(*arguments)))
        print("\n".join(wrong))
        sys.exit(bool(wrong))
    elif command == "rules":
        print(json.dumps(rules(read_dashboard(*arguments))))
    elif command == "cases":
        print("\n".join(CASES))
    elif command == "case":
        print(json.dumps(case(arguments[1] if len(arguments) > 1 else None, arguments[0])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
