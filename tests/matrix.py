#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The matrix of kernels and libraries: what each stage that runs in a VM ran on, and what came of it,
by its .results, which tests/check.sh keeps of the last run of each stage.

Tests are those of the files of tests/e2e and its like; cases are those of the programs that some of
these run. What is skipped can not run on that kernel: it is neither passed nor failed.
"""

import argparse
import datetime
import pathlib

HEAD = ("stage", "kernel", "machine", "pages", "libibverbs1", "perftest", "passed", "failed",
        "skipped", "cases", "skipped", "ended")


def count_cases(rows):
    """(passed, skipped) of rows "cases FILE PASSED SKIPPED" """
    return [sum(int(row[i]) for row in rows) for i in (-2, -1)]


def read_cell(path):
    """The row of a stage, or None of one that told nothing of its machine"""
    rows = [line.split() for line in path.read_text().splitlines()]
    of_kind = {kind: [row for row in rows if row[:1] == [kind]]
               for kind in ("machine", "pass", "fail", "skip", "cases")}
    if not of_kind["machine"]:
        return None
    ended = datetime.datetime.fromtimestamp(path.stat().st_mtime)
    counts = [len(of_kind[kind]) for kind in ("pass", "fail", "skip")]
    return [path.stem, *of_kind["machine"][0][1:6], *counts, *count_cases(of_kind["cases"]),
            ended.strftime("%m-%d %H:%M")]


def show(rows):
    rows = [[str(word) for word in row] for row in [HEAD, *rows]]
    widths = [max(len(word) for word in column) for column in zip(*rows)]
    for row in rows:
        print("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("directory", type=pathlib.Path, help="of STAGE.results")
    cells = map(read_cell, sorted(parser.parse_args().directory.glob("*.results")))
    rows = [cell for cell in cells if cell]
    if rows:
        print()
        show(rows)


if __name__ == "__main__":
    main()
