#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the time of a run of tests/check.sh went: the seconds of each stage beside its budget, and
of each file that ran in a VM, by what its .results say.

A file's time is what its tests took, and the rest: what it sets up and takes down between them. Part
of either is waiting: the machine had nothing to do.
"""

import argparse
import pathlib

BUDGETS = pathlib.Path(__file__).with_name("budgets")


def read_pairs(path):
    """[(name, number)] of lines "NAME NUMBER", without remarks"""
    pairs = []
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            pairs.append((words[0], float(words[1])))
    return pairs


def show_stages(seconds, budgets, scale):
    print(f"{'stage':24} {'seconds':>8} {'budget':>8}")
    for name, took in seconds:
        budget = budgets.get(name)
        if budget is None:
            print(f"{name:24} {took:8.0f} {'none':>8}  not in tests/budgets")
            continue
        mark = "  beyond its budget" if took > budget * scale else ""
        print(f"{name:24} {took:8.0f} {budget * scale:8.0f}{mark}")


def read_files(path):
    """[(file, total, tests, waiting)] in seconds, the boots of the VM among them"""
    rows = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["time"] and len(words) == 5:
            rows.append((words[1], *(int(word) / 1000 for word in words[2:])))
    return rows


def show_files(logs):
    found = {path.stem: read_files(path) for path in sorted(logs.glob("*.results"))}
    if not any(found.values()):
        return
    print()
    print(f"{'stage':16} {'file':22} {'seconds':>8} {'tests':>8} {'set-up':>8} {'waiting':>8}")
    for stage, rows in found.items():
        for name, total, tests, waiting in rows:
            setup = "" if name == "boot" else f"{total - tests:8.1f}"
            print(f"{stage:16} {name:22} {total:8.1f} {tests:8.1f} {setup:>8} {waiting:8.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1, help="of the budgets, on a slow machine")
    parser.add_argument("logs", type=pathlib.Path, help="directory of `seconds` and *.results")
    arguments = parser.parse_args()
    print()
    show_stages(read_pairs(arguments.logs / "seconds"), dict(read_pairs(BUDGETS)),
                arguments.scale)
    show_files(arguments.logs)


if __name__ == "__main__":
    main()
