#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints, as SVG, what README.md shows of a table that `make bench` kept. Usage: picture.py TABLE.csv

Without a library for drawing, so that the same table gives the same bytes wherever it is checked."""

import pathlib
import sys

from report import SYSTEMS, read_kept, short

# Panels: a title, what the figures are divided by, and rows: (measure, bytes, unit) with a name
PANELS = [
    ("MB a second", 1, {
        ("send", 65536, "MB/s"): "SEND, 64 KiB",
        ("read", 65536, "MB/s"): "READ, 64 KiB",
        ("NIC send", 65536, "MB/s"): "SEND, as NICs send",
        ("send 1 % lost", 65536, "MB/s"): "SEND, 1 % lost",
        ("send 5 % lost", 65536, "MB/s"): "SEND, 5 % lost",
    }),
    ("thousand operations a second", 1000, {
        ("send 1 QP", 64, "1/s"): "SEND, 64 bytes",
        ("write 1 QP", 64, "1/s"): "WRITE, 64 bytes",
        ("read rate", 4096, "1/s"): "READ, 4 KiB",
        ("fetch and add", 8, "1/s"): "FETCH AND ADD",
        ("UD send", 64, "1/s"): "UD SEND, 64 bytes",
    }),
    ("µs one way: less is better", 1, {
        ("send latency", 64, "us"): "SEND, 64 bytes",
        ("send latency", 4096, "us"): "SEND, 4 KiB",
        ("latency beside a flood", 64, "us"): "beside a flood",
        ("99 % latency beside a flood", 64, "us"): "beside it, 99 %",
    }),
]
NAMES = {"svt": "svt", "rxe": "rxe", "tcp": "TCP"}
COLORS = {"svt": "#1f77b4", "rxe": "#ff7f0e", "tcp": "#2ca02c"}
# In pixels: a panel with its names on the left, the longest bar, a row of three bars
PANEL, LEFT, LONGEST, ROW, BAR, TOP = 330, 120, 165, 48, 13, 50


def text(x, y, words, **more):
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x}" y="{y}"{attributes}>{words}</text>'


def bar(x, y, system, value, most):
    width = max(1, round(LONGEST * value / most))
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{BAR - 1}" fill="{COLORS[system]}"/>',
            text(x + width + 4, y + BAR - 3, short(value))]


def panel(rows, number):
    """Its lines; a row or a system that the table lacks has no bar"""
    title, unit, names = PANELS[number]
    found = {key: {system: value / unit for system, value in rows.get(key, {}).items()}
             for key in names}
    most = max((value for values in found.values() for value in values.values()), default=1)
    left = number * PANEL + LEFT
    lines = [text(left, TOP - 12, title, font_weight="bold")]
    for line, (key, values) in enumerate(found.items()):
        y = TOP + line * ROW
        lines.append(text(left - 8, y + BAR * 3 // 2 + 4, names[key], text_anchor="end"))
        for place, system in enumerate(SYSTEMS):
            if system in values:
                lines += bar(left, y + place * BAR, system, values[system], most)
    return lines


def legend():
    lines = []
    for place, system in enumerate(SYSTEMS):
        x = LEFT + place * 70
        lines += [f'<rect x="{x}" y="8" width="10" height="10" fill="{COLORS[system]}"/>',
                  text(x + 15, 18, NAMES[system])]
    return lines


def drawing(rows):
    width = PANEL * len(PANELS) + 20
    height = TOP + ROW * max(len(names) for _, _, names in PANELS)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             "<!-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB -->",
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>', *legend()]
    for number in range(len(PANELS)):
        lines += panel(rows, number)
    return "\n".join([*lines, "</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: picture.py TABLE.csv")
    sys.stdout.write(drawing(read_kept(pathlib.Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
