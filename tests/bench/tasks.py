#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Who runs the instructions of a message: each program, softirqs, the kernel's workers.

Usage: tasks.py MEASURE PERIOD SHORT LONG DIRECTORY. DIRECTORY has script.SHORT and script.LONG, of
two runs of so many messages (`perf script -F comm,pid,ip,sym` of samples with their callers, one
for each PERIOD instructions). The difference is that of LONG - SHORT messages. Writes lines
"MEASURE,TASK,INSTRUCTIONS". A softirq is one whoever was interrupted by it; those that receive, at
both ends, would be on another host's processor, or on another one of this, than those that send.
"""

import collections
import pathlib
import re
import sys

PROGRAM = re.compile(r"^(ib_|iperf3)")
SOFTIRQ = re.compile(r"^(__do_softirq|handle_softirqs|__softirqentry_text_start|run_ksoftirqd)$")
RECEIVE = re.compile(r"^(net_rx_action|process_backlog)$")
HEAD = re.compile(r"^(\S.*?)\s+(\d+)\s*$")


def read_samples(path):
    """[(comm, pid, [symbol, its caller, ...])]"""
    samples = []
    with open(path) as file:
        for line in file:
            head = HEAD.match(line)
            if head:
                samples.append((head[1], int(head[2]), []))
            elif line.strip() and samples:
                samples[-1][2].append(line.split()[1])
    return samples


def task_of(comm, pid, symbols, server):
    """None: nobody's work for the message"""
    if any(RECEIVE.match(symbol) for symbol in symbols):
        return "softirqs that receive"
    if comm.startswith("ksoftirqd") or any(SOFTIRQ.match(symbol) for symbol in symbols):
        return "softirqs that send"
    if PROGRAM.match(comm):
        return "server" if pid == server else "client"
    if comm.startswith("kworker"):
        return "workers"
    return None if comm == "swapper" or comm.startswith("perf") else "others"


def count(path):
    samples = read_samples(path)
    # It was started first
    server = min((pid for comm, pid, _ in samples if PROGRAM.match(comm)), default=None)
    return collections.Counter(task_of(*sample, server) for sample in samples)


def main():
    measure, period, short, long, directory = sys.argv[1:]
    directory = pathlib.Path(directory)
    tasks = count(directory / f"script.{long}")
    tasks.subtract(count(directory / f"script.{short}"))
    del tasks[None]
    scale = float(period) / (int(long) - int(short))
    if sum(tasks.values()) <= 0:
        sys.exit("tasks.py: no samples")
    for name, samples in tasks.most_common():
        if samples > 0:
            print(f"{measure},{name},{samples * scale:.0f}")


if __name__ == "__main__":
    main()
