#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The table of `make bench`, for one kernel.

Reads what tests/bench/guest.sh wrote, values.csv ("MEASURE,SIZE,UNIT,SYSTEM,VALUE"), layers.csv
("MEASURE,LAYER,INSTRUCTIONS") and tasks.csv ("MEASURE,TASK,INSTRUCTIONS") of a directory. Prints a
table with the ratios of svt to the others and how svt changed against the table that was kept,
where the instructions go, who runs them, and which targets are met. Keeps this table: KEPT.csv,
KEPT-layers.csv, KEPT-tasks.csv and, drawn, KEPT.png. A VALUE that is no number
says why there is none: the table has "none" there, and the reason below.
"""

import argparse
import csv
import pathlib
import shutil

from notes import LEGEND, note
from targets import Table, show, targets

SYSTEMS = ["svt", "rxe", "tcp"]
NONE = "none"


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def read_values(path):
    """{(measure, size, unit): {system: value}}, in the order of the first mention, and
    {(measure, size, unit): {system: reason}} for what has no value. The last line of each counts"""
    rows, reasons = {}, {}
    with open(path, newline="") as file:
        for measure, size, unit, system, text in csv.reader(file):
            key, value = (measure, int(size), unit), number(text)
            rows.setdefault(key, {}).pop(system, None)
            reasons.setdefault(key, {}).pop(system, None)
            if value is None:
                reasons[key][system] = text
            else:
                rows[key][system] = value
    return rows, {key: found for key, found in reasons.items() if found}


def read_layers(path):
    """{measure: {layer or task: instructions}}"""
    layers = {}
    if path.exists():
        with open(path, newline="") as file:
            for measure, layer, count in csv.reader(file):
                layers.setdefault(measure, {})[layer] = float(count)
    return layers


def add_bounds(rows, tasks):
    """A row for each measure with tasks: the rate at which the busiest of them is never idle"""
    for measure, counts in tasks.items():
        system, name, size = measure.split(" ")
        busiest, size = max(counts.values()), int(size)
        unit, rate = ("MB/s", size / 2**20) if size >= 4096 else ("1/s", 1)
        key = (f"{name}, a processor each", size, unit)
        rows.setdefault(key, {})[system] = rate * 1e9 / busiest


def beside_their_twins(rows):
    """The same rows; one that is called "NIC X" comes behind the one called X, if there is one"""
    def place(key):
        measure, size, unit = key
        twin = (measure.removeprefix("NIC "), size, unit)
        return order.get(twin, order[key]), order[key]

    order = {key: index for index, key in enumerate(rows)}
    return {key: rows[key] for key in sorted(rows, key=place)}


def print_layers(layers, what):
    for measure, counts in layers.items():
        print(f"\n{measure}, by {what}: {sum(counts.values()):.0f} instructions")
        for layer, count in sorted(counts.items(), key=lambda item: -item[1])[:12]:
            print(f"  {count:8.0f}  {layer}")


def read_kept(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {(row["measure"], int(row["bytes"]), row["unit"]):
                {system: float(row[system]) for system in SYSTEMS
                 if row[system] and row[system] != NONE}
                for row in csv.DictReader(file)}


def cells(values, reasons):
    """Of a row, for each system"""
    return [NONE if system in reasons else short(values.get(system)) for system in SYSTEMS]


def keep(rows, reasons, notes, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", "bytes", "unit", *SYSTEMS, "note"])
        for key, values in rows.items():
            writer.writerow([*key, *cells(values, reasons.get(key, {})), notes.get(key, "")])


def short(value):
    """Three digits say all that can be repeated"""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio(values, system):
    if "svt" not in values or not values.get(system):
        return ""
    return f"{values['svt'] / values[system]:.2f}"


def change(values, before):
    if "svt" not in values or not before.get("svt"):
        return ""
    percent = 100 * (values["svt"] / before["svt"] - 1)
    return f"{percent:+.0f} %" if abs(percent) >= 1.5 else "="


def print_legend(notes):
    for word, meaning in LEGEND.items():
        if any(word in text for text in notes.values()):
            print(f"{word}: {meaning}")


def print_reasons(reasons):
    for (measure, size, _), found in reasons.items():
        for system, reason in found.items():
            print(f"none: {measure} of {size} bytes, {system}: {reason}")


def print_table(rows, reasons, notes, kept, kernel):
    heads = ["measure", "bytes", "unit", "svt", "rxe", "TCP", "svt/rxe", "svt/TCP", "change",
             "note"]
    lines = [[*map(str, key), *cells(values, reasons.get(key, {})),
              ratio(values, "rxe"), ratio(values, "tcp"), change(values, kept.get(key, {})),
              notes.get(key, "")]
             for key, values in rows.items()]
    widths = [max(map(len, column)) for column in zip(heads, *lines)]
    print(f"kernel {kernel}; MB are 2^20 bytes")
    for line in [heads, *lines]:
        print("  ".join(word.ljust(width) if column in (0, 2, 9) else word.rjust(width)
                        for column, (word, width) in enumerate(zip(line, widths))).rstrip())
    print_reasons(reasons)
    print_legend(notes)


def draw(rows, kernel, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    units = [("MB/s", "MB a second"), ("1/s", "operations a second"), ("us", "µs one way")]
    units = [(unit, title) for unit, title in units if any(key[2] == unit for key in rows)]
    counts = [sum(key[2] == unit for key in rows) for unit, _ in units]
    figure, axes = pyplot.subplots(len(units), 1, figsize=(9, 2 + 0.42 * sum(counts)),
                                   height_ratios=counts, squeeze=False)
    for axis, (unit, title) in zip(axes[:, 0], units):
        keys = [key for key in rows if key[2] == unit]
        for place, system in enumerate(SYSTEMS):
            found = [(y, rows[key][system]) for y, key in enumerate(keys) if system in rows[key]]
            axis.barh([y + 0.27 * (place - 1) for y, _ in found], [value for _, value in found],
                      0.27, label=system.upper() if system == "tcp" else system)
        axis.set_yticks(range(len(keys)),
                        [f"{name}, {size} bytes" if size else name for name, size, _ in keys])
        axis.invert_yaxis()
        axis.set_xlabel(title)
        axis.grid(axis="x", alpha=0.4)
        if unit != "us":
            axis.set_xscale("log")
    axes[0, 0].legend()
    axes[0, 0].set_title(f"Linux {kernel}")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", required=True)
    parser.add_argument("found", type=pathlib.Path, help="directory of values.csv and layers.csv")
    parser.add_argument("kept", type=pathlib.Path, help="without .csv")
    parser.add_argument("--no-targets", action="store_true", help="the figures are of a machine")
    arguments = parser.parse_args()
    rows, reasons = read_values(arguments.found / "values.csv")
    rows = beside_their_twins(rows)
    layers = read_layers(arguments.found / "layers.csv")
    tasks = read_layers(arguments.found / "tasks.csv")
    add_bounds(rows, tasks)
    table = arguments.kept.with_name(arguments.kept.name + ".csv")
    # What misleads in a count of instructions, a machine's clock does not
    notes = {} if arguments.no_targets else {key: note(key, layers) for key in rows}
    print_table(rows, reasons, notes, read_kept(table), arguments.kernel)
    print_layers(layers, "layer")
    print_layers(tasks, "task")
    if not arguments.no_targets:
        print()
        met, wanted = show(targets(Table(rows, layers), arguments.kept.name))
        print(f"{met} of {wanted} targets met")
    keep(rows, reasons, notes, table)
    for name in ("layers", "tasks"):
        if (arguments.found / f"{name}.csv").exists():
            shutil.copyfile(arguments.found / f"{name}.csv",
                            table.with_name(f"{arguments.kept.name}-{name}.csv"))
    draw(rows, arguments.kernel, table.with_suffix(".png"))


if __name__ == "__main__":
    main()
