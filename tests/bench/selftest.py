#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The tables of `make bench` from figures that are known. Results are KTAP; the last line is
"N passed, N failed"."""

import contextlib
import io
import pathlib
import sys
import tempfile

import layers
import report
import targets

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
    return targets.Table(report.read_values(directory / "values.csv"), layers_found)


def a_layer_is_what_the_longer_run_has_more(directory):
    (directory / "kallsyms").write_text(KALLSYMS)
    (directory / "report.100").write_text(REPORT.format(copy=5, run=1, idle=90))
    (directory / "report.300").write_text(REPORT.format(copy=25, run=11, idle=10))
    sys.argv = ["layers.py", "x", "1000", "100", "300", str(directory)]
    assert output_of(layers.main).splitlines() == [
        "x,receiver's copy,100", "x,responder,50", "x,sender's copy and ICRC,50"]


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
    table = table_of(directory, {"svt send 65536": {"sender's copy and ICRC": message / 2,
                                                    "receiver's copy": message / 4}})
    assert abs(table.without_icrc(65536) - 800 / 0.75 / 1600) < 1e-6


def a_write_on_one_host_counts_what_the_kernel_does(directory):
    table = table_of(directory, {targets.SAME_HOST: {
        "program": 1e6, "libibverbs and provider": 1e6, "receiver's copy": 100, "responder": 40}})
    assert table.same_host() == 1.4


def a_change_shows_against_the_table_that_was_kept(directory):
    (directory / "values.csv").write_text(VALUES)
    rows = report.read_values(directory / "values.csv")
    report.keep(rows, directory / "kept.csv")
    rows[("send", 65536, "MB/s")]["svt"] = 880
    shown = output_of(report.print_table, rows, report.read_kept(directory / "kept.csv"), "x")
    line = next(line for line in shown.splitlines() if line.startswith("send  "))
    assert line.split() == ["send", "65536", "MB/s", "880", "200", "1600", "4.40", "0.55",
                            "+10", "%"]


def main():
    passed = failed = 0
    print("KTAP version 1")
    for name, test in list(globals().items()):
        if not callable(test) or name in ("main", "output_of", "table_of"):
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
