#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Holds a gcovr report (JSON) against what the tests have to reach.

In each of FOLDERS at least LEAST percent of the lines have to run, and scripts/coverage/reasons
has to say of each function with lines that do not why they are left: "FILE FUNCTION: reason". The
last line is "N passed, N failed": a test for each folder, one for the reasons.
"""

import json
import pathlib
import re
import sys

LEAST = 90.0
FOLDERS = ["transport", "wire", "mem", "queue"]
TOP = pathlib.Path(__file__).resolve().parents[2]
REASONS = TOP / "scripts/coverage/reasons"


def read_reasons():
    reasons = {}
    for line in REASONS.read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, reason = line.partition(": ")
            reasons[tuple(place.split())] = reason.strip()
    return reasons


def functions_of(source):
    """The name of the function that each line is in, by kernel style: braces at column 0."""
    names = ["?"] * (len(source) + 1)
    head = None
    for number, line in enumerate(source, 1):
        if line[:1].isalpha() and not (head and "(" in source[head - 1]):
            head = number
        if line.startswith("{") and head:
            signature = " ".join(source[head - 1:number - 1])
            found = re.search(r"(\w+)\s*\(", signature)
            end = source.index("}", number) + 1
            names[head:end + 1] = [found.group(1) if found else "?"] * (end + 1 - head)
        if line.startswith("}") or line.endswith(";") and not line[:1].isspace():
            head = None
    return names


def missed_functions(file, lines):
    names = functions_of((TOP / file).read_text().splitlines())
    missed = {}
    for line in lines:
        if line["count"] == 0:
            number = line["line_number"]
            missed.setdefault((file, names[number]), []).append(number)
    return missed


def main():
    report = json.load(open(sys.argv[1]))
    totals = {folder: [0, 0] for folder in FOLDERS}
    missed = {}
    for entry in report["files"]:
        file = entry["file"]
        folder = pathlib.Path(file).parent.name
        if not file.startswith("drivers/svt/") or folder not in totals:
            continue
        lines = [line for line in entry["lines"] if not line.get("gcovr/noncode")]
        totals[folder][0] += sum(line["count"] > 0 for line in lines)
        totals[folder][1] += len(lines)
        missed.update(missed_functions(file, lines))

    passed = failed = 0
    for folder, (run, total) in totals.items():
        percent = 100 * run / total if total else 0
        good = percent >= LEAST
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok' if good else 'FAIL'} drivers/svt/{folder}: {run} of {total} lines run,"
              f" {percent:.1f} %, at least {LEAST:.0f} %")

    reasons = read_reasons()
    unexplained = sorted(set(missed) - set(reasons))
    for file, function in unexplained:
        numbers = ", ".join(map(str, missed[(file, function)]))
        print(f"FAIL {file} {function}: no reason in {REASONS.relative_to(TOP)}: lines {numbers}")
    for file, function in sorted(set(reasons) - set(missed)):
        print(f"note: {file} {function} is reached now: its reason can go")
    passed, failed = passed + (not unexplained), failed + len(unexplained)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
