# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What a figure of `make bench` is misleading about, beside it in the table.

Instructions are time there. Below are the words of the notes and what they mean.
"""

import re

LEGEND = {
    "copies": "their part of svt's instructions, where a profile tells. 64 KiB are 25000 of "
              "them, hardly more with the ICRC. On a processor a copy within its cache costs less "
              "than that, and the ICRC as much as the copy or several times that: make bench-copy",
    "polls": "a program that polls has one processor in common with the kernel's threads",
}

POLLS = re.compile(r"\b(write|fetch and add)\b|^same host ")
COPIES = ("copy of the sender and ICRCs", "receiver's copy")


def share(counts):
    """Of copies in the instructions of a profile, in percent"""
    return 100 * sum(counts.get(layer, 0) for layer in COPIES) / sum(counts.values())


def note(key, layers):
    measure, size, unit = key
    words = []
    if unit in ("MB/s", "1/s") and size >= 4096:
        counts = layers.get(f"svt {measure} {size}")
        words.append(f"copies {share(counts):.0f} %" if counts else "copies")
    if unit in ("MB/s", "1/s", "us") and POLLS.search(measure):
        words.append("polls")
    return ", ".join(words)
