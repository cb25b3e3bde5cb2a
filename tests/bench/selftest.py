#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The tables of `make bench` from figures that are known. Results are KTAP; the last line is
"N passed, N failed"."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile

import layers
import notes
import picture
import report
import targets
import tasks

KALLSYMS = """\
ffffffff81000000 T memcpy_orig
ffffffff81000100 T default_idle
ffffffffc0000000 t svt_responder_run [svt]
ffffffffc0000100 t put_packet [svt_roce]
"""

# Samples of 100 and of 300 messages: 10 more of each but for what both did once, and for idle time
REPORT = """\
# Samples: 1K of event 'cpu-clock'
    {copy}  [kernel.vmlinux]   [k] memcpy_orig             -      -
    {run}  [kernel.vmlinux]   [k] svt_responder_run       -      -
    {run}  [kernel.vmlinux]   [k] put_packet              -      -
    {idle}  [kernel.vmlinux]   [k] default_idle            -      -
    50  ib_send_bw         [.] 0x0000000000012345      -      -
"""

VALUES = """\
send,65536,MB/s,svt,800
send,65536,MB/s,rxe,200
send,65536,MB/s,tcp,1600
send latency,64,us,svt,20
send latency,64,us,tcp,10
99 % latency beside nothing,64,us,svt,20
99 % latency beside a flood,64,us,svt,50
write 1 QP,64,1/s,svt,300
write 64 QP,64,1/s,svt,200
"""


def output_of(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


def table_of(directory, layers_found):
    (directory / "values.csv").write_text(VALUES)
    rows, _ = report.read_values(directory / "values.csv")
    return targets.Table(rows, layers_found)


def a_layer_is_what_the_longer_run_has_more(directory):
    (directory / "kallsyms").write_text(KALLSYMS)
    (directory / "report.100").write_text(REPORT.format(copy=5, run=1, idle=90))
    (directory / "report.300").write_text(REPORT.format(copy=25, run=11, idle=10))
    sys.argv = ["layers.py", "x", "1000", "100", "300", str(directory)]
    assert output_of(layers.main).splitlines() == [
        "x,receiver's copy,100", "x,responder,50", "x,copy of the sender and ICRCs,50"]


def a_sample_is_of_the_task_that_ran_but_a_softirq_is_its_own(directory):
    client = "ib_send_bw  80 \n\tffffffff81000000 {}\n\tffffffff81000100 do_syscall_64\n\n"
    lines = [client.format("memcpy_orig"), client.format("handle_softirqs"),
             client.replace("80", "70").format("svt_poll"),
             "swapper  0 \n\tffffffff81000100 default_idle\n\n",
             "swapper  0 \n\tffffffff81000000 net_rx_action\n\tffffffff81000000 _start\n\n",
             "kworker/0:1-events 9 \n\tffffffffc0000000 svt_requester_run\n\n",
             "perf  81 \n\tffffffff81000000 memcpy_orig\n\n"]
    (directory / "script.1").write_text("".join(lines))
    (directory / "script.3").write_text(3 * "".join(lines))
    sys.argv = ["tasks.py", "x", "1000", "1", "3", str(directory)]
    assert sorted(output_of(tasks.main).splitlines()) == [
        "x,client,1000", "x,server,1000", "x,softirqs that receive,1000",
        "x,softirqs that send,1000", "x,workers,1000"]


def the_busiest_task_bounds_the_rate(_):
    rows = {}
    report.add_bounds(rows, {"svt send 65536": {"client": 1e4, "softirqs": 62500},
                             "svt send 64": {"client": 1e3}})
    assert rows == {("send, a processor each", 65536, "MB/s"): {"svt": 1000.0},
                    ("send, a processor each", 64, "1/s"): {"svt": 1e6}}


def every_symbol_has_a_layer(_):
    for text in ("[kernel] some_function", "[unknown] x", "perl x", "[svt] x"):
        assert layers.layer_of(text)


def a_target_is_met_missed_or_not_measured(directory):
    found = {name: targets.verdict(figure, least, most)
             for name, figure, least, most in targets.targets(table_of(directory, {}), "6.12")}
    assert found["send of 64 KiB, times rxe"] == "met"
    assert found["latency of 64 bytes, part of TCP's"] == "NOT MET"
    assert found["cost of a WRITE, 64 QPs to 1"] == "NOT MET"
    assert found["99 % latency beside a flood, times alone"] == "met"
    assert found["write of 64 KiB, times rxe"] == "not measured"


def the_kernel_says_how_many_times_rxe(directory):
    table = table_of(directory, {})
    for kernel, least in (("6.1", 3.5), ("6.12", 4.0)):
        assert targets.targets(table, kernel)[0][2] == least


def the_icrc_is_what_the_sender_has_beyond_a_copy(directory):
    message = 65536 / (800 * 2**20) * 1e9
    table = table_of(directory, {"svt send 65536": {"copy of the sender and ICRCs": message / 2,
                                                    "receiver's copy": message / 4}})
    assert abs(table.without_icrc(65536) - 800 / 0.75 / 1600) < 1e-6


def a_write_on_one_host_counts_what_the_kernel_does(directory):
    table = table_of(directory, {targets.SAME_HOST: {
        "program": 1e6, "libibverbs and provider": 1e6, "receiver's copy": 100, "responder": 40}})
    assert table.same_host() == 1.4


def a_change_shows_against_the_table_that_was_kept(directory):
    (directory / "values.csv").write_text(VALUES)
    rows, _ = report.read_values(directory / "values.csv")
    report.keep(rows, {}, {}, directory / "kept.csv")
    rows[("send", 65536, "MB/s")]["svt"] = 880
    kept = report.read_kept(directory / "kept.csv")
    shown = output_of(report.print_table, rows, {}, {}, kept, "x")
    line = next(line for line in shown.splitlines() if line.startswith("send  "))
    assert line.split() == ["send", "65536", "MB/s", "880", "200", "1600", "4.40", "0.55",
                            "+10", "%"]


def a_row_without_proof_has_no_figure_but_a_reason(directory):
    (directory / "values.csv").write_text(
        "send,65536,MB/s,svt,it did not end\nsend,65536,MB/s,svt,800\n"
        "send,65536,MB/s,rxe,200\nsend,65536,MB/s,rxe,the server did nothing\n")
    rows, reasons = report.read_values(directory / "values.csv")
    report.keep(rows, reasons, {}, directory / "kept.csv")
    shown = output_of(report.print_table, rows, reasons, {}, {}, "x").splitlines()
    assert shown[2].split() == ["send", "65536", "MB/s", "800", "none"]
    assert shown[3] == "none: send of 65536 bytes, rxe: the server did nothing"
    assert report.read_kept(directory / "kept.csv") == {("send", 65536, "MB/s"): {"svt": 800.0}}
    figure = targets.Table(rows, {}).ratio("send", 65536, "rxe")
    assert targets.verdict(figure, 4, None) == "not measured"


def a_figure_says_what_instructions_mislead_about(directory):
    profile = {"copy of the sender and ICRCs": 300, "receiver's copy": 200, "requester": 500}
    for key, found, text in (
            (("send", 65536, "MB/s"), {"svt send 65536": profile}, "copies 50 %"),
            (("write", 65536, "MB/s"), {}, "copies, polls"),
            (("same host send", 65536, "MB/s"), {}, "copies, polls"),
            (("read rate", 4096, "1/s"), {}, "copies"),
            (("send 1 QP", 64, "1/s"), {}, ""),
            (("write 1 QP", 64, "1/s"), {}, "polls"),
            (("send latency", 4096, "us"), {}, ""),
            (("calls per post of WRITE", 65536, "calls"), {}, "")):
        assert notes.note(key, found) == text, (key, notes.note(key, found))
    table_of(directory, {})
    rows, _ = report.read_values(directory / "values.csv")
    said = {key: notes.note(key, {}) for key in rows}
    shown = output_of(report.print_table, rows, {}, said, {}, "x").splitlines()
    assert shown[2].endswith("  copies")
    assert any(line.startswith("copies: ") for line in shown)


def the_picture_of_the_readme_is_that_of_the_table_kept(_):
    kept = pathlib.Path(__file__).parents[2] / "Documentation/bench"
    drawn = picture.drawing(report.read_kept(kept / "6.12.csv"))
    assert drawn.count("<rect") > 25, "the table lacks rows of the picture"
    assert drawn == (kept / "overview.svg").read_text(encoding="utf-8"), (
        "tests/bench/picture.py Documentation/bench/6.12.csv >Documentation/bench/overview.svg")


def a_picture_has_no_bar_of_what_is_not_there(_):
    drawn = picture.drawing({("send", 65536, "MB/s"): {"svt": 800.0, "rxe": 200.0}})
    widths = [line.split('width="')[1].split('"')[0] for line in drawn.splitlines()
              if line.startswith("<rect x") and f'height="{picture.BAR - 1}"' in line]
    assert widths == [str(picture.LONGEST), str(round(picture.LONGEST / 4))], widths


def what_a_nic_carries_stands_beside_the_same_on_a_veth(_):
    keys = [(name, 64, "1/s") for name in ("send", "read", "NIC send", "NIC merged")]
    assert [key[0] for key in report.beside_their_twins(dict.fromkeys(keys))] == [
        "send", "NIC send", "read", "NIC merged"]


# What both ends counted: END COUNTER BEFORE AFTER, for did_* of evidence.sh
SENDS = """\
client wire tx_bytes 5 66000
server wire rx_bytes 5 66000
client hw_counters/tx_packets 0 16
client hw_counters/tx_bytes 100 65700
server hw_counters/rx_packets 0 16
server hw_counters/rx_bytes 0 65700
client hw_counters/retry_exceeded 1 1
server hw_counters/remote_errors 0 0
"""
CONNECTIONS = """\
client cm_tx_msgs/req 0 200
server cm_rx_msgs/req 0 200
server cm_tx_msgs/rep 0 200
client cm_rx_msgs/rep 0 200
client cm_tx_msgs/rtu 0 200
server cm_rx_msgs/rtu 0 200
client cm_rx_msgs/rej 3 3
client cm_tx_msgs/rej 0 0
server cm_rx_msgs/rej 0 0
server cm_tx_msgs/rej 3 3
"""
FIGURES = " #bytes     #iterations    BW peak[MB/sec]\n 65536      1                800.00\n"
WAYS = ["client wire tx", "server wire rx", "client hw_counters/tx", "server hw_counters/rx"]


def verdict_of(directory, counted, check, client=FIGURES, server=""):
    """What evidence.sh says of ends that counted this, and printed that"""
    (directory / "client").write_text(client)
    (directory / "server").write_text(server)
    lines = [". figures.sh", ". evidence.sh", "CLIENT=1 SERVER=2",
             "unproven() { echo \"$1\"; exit 1; }"]
    for line in counted.splitlines():
        end, *counter, before, after = line.split()
        key = f'"{end} {" ".join(counter)}"'
        lines.append(f"BEFORE[{key}]={before} AFTER[{key}]={after}")
    lines.append(f"WORK={directory}; {check}")
    return subprocess.run(["bash", "-uc", "\n".join(lines)], cwd=pathlib.Path(__file__).parent,
                          text=True, capture_output=True).stdout.strip()


def a_message_that_both_ends_counted_is_proven(directory):
    assert verdict_of(directory, SENDS, "did_perftest ib_send_bw 1 65536") == ""


def bytes_that_one_end_did_not_count_are_no_proof(directory):
    for way in WAYS:
        counted = "\n".join(line.rsplit(" ", 1)[0] + " 60000" if line.startswith(way + "_bytes")
                            else line for line in SENDS.splitlines())
        said = verdict_of(directory, counted, "did_perftest ib_send_bw 1 65536")
        assert "_bytes of the " in said and " where 65536 were due" in said, (way, said)


def an_end_without_a_counter_is_no_proof(directory):
    for way in WAYS:
        counted = "\n".join(line for line in SENDS.splitlines() if not line.startswith(way))
        said = verdict_of(directory, counted, "did_perftest ib_send_bw 1 65536")
        assert said.startswith("nothing counts "), (way, said)


def a_read_is_carried_the_other_way(directory):
    said = verdict_of(directory, SENDS, "did_perftest ib_read_bw 1 65536")
    assert said.startswith("nothing counts wire tx_bytes of the server"), said


def a_counter_of_failures_that_moved_is_no_proof(directory):
    said = verdict_of(directory, SENDS.replace("retry_exceeded 1 1", "retry_exceeded 1 2"),
                      "did_perftest ib_send_bw 1 65536")
    assert said == "hw_counters/retry_exceeded of the client went up by 1", said


def what_a_program_says_counts_at_both_ends(directory):
    check = "did_perftest ib_send_bw 1 65536"
    said = verdict_of(directory, SENDS, check, server="Completion with error at server\n")
    assert said == "the server says: Completion with error at server", said
    assert "prints no figures" in verdict_of(directory, SENDS, check, client="")
    said = verdict_of(directory, SENDS, check, server=FIGURES.replace(" 1 ", " 7 "))
    assert said == "the server did 7 messages of 1", said


def iperf_has_its_bytes_at_both_ends(directory):
    counted = "client wire tx_bytes 0 1000000\nserver wire rx_bytes 0 {}\n"
    says = '{{"end": {{"sum_received": {{"bytes": {}}}}}}}'
    for client, server, wire, said in (
            (950000, 950000, 1000000, ""),
            (950000, 800000, 1000000, "the server of iperf3 says 800000 bytes of 1000000"),
            (950000, 950000, 800000, "wire rx_bytes of the server went up by 800000"
                                     " where 900000 were due")):
        found = verdict_of(directory, counted.format(wire), "did_iperf 1000000",
                           says.format(client), says.format(server))
        assert found == said, found


def a_connection_has_three_messages_at_both_ends(directory):
    assert verdict_of(directory, CONNECTIONS, "did_connect 200", client="") == ""
    for message in ("req", "rep", "rtu"):
        for way in ("rx", "tx"):
            name = f"cm_{way}_msgs/{message}"
            counted = CONNECTIONS.replace(f"{name} 0 200", f"{name} 0 199")
            said = verdict_of(directory, counted, "did_connect 200", client="")
            assert said.startswith(f"{name} of the ") and "199 where 200" in said, said


def a_refusal_is_no_connection(directory):
    counted = CONNECTIONS.replace("server cm_tx_msgs/rej 3 3", "server cm_tx_msgs/rej 3 203")
    said = verdict_of(directory, counted, "did_connect 200", client="")
    assert said == "cm_tx_msgs/rej of the server went up by 200", said


def main():
    passed = failed = 0
    print("KTAP version 1")
    for name, test in list(globals().items()):
        if not callable(test) or name in ("main", "output_of", "table_of", "verdict_of"):
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(pathlib.Path(directory))
                passed += 1
                print("ok", passed + failed, name.replace("_", " "))
            except (Exception, SystemExit) as error:
                failed += 1
                print("#", repr(error))
                print("not ok", passed + failed, name.replace("_", " "))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
