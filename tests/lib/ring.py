#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sends bytes round a ring of MPI processes, by each protocol that MPI has for their size, and sums.

Each process compares what it gets with what its neighbour has to have sent, and says so at the end.
"""

import random

from mpi4py import MPI

SIZES = 1, 100, 5000, 70000, 1000000
ROUNDS = 3


def data(rank, size):
    """What a process sends"""
    return random.Random(rank * 1000003 + size).randbytes(size)


def main():
    world = MPI.COMM_WORLD
    rank, count = world.Get_rank(), world.Get_size()
    after, before = (rank + 1) % count, (rank - 1) % count
    for size in SIZES * ROUNDS:
        got = bytearray(size)
        world.Sendrecv([data(rank, size), MPI.BYTE], dest=after, recvbuf=[got, MPI.BYTE],
                       source=before)
        if got != data(before, size):
            raise SystemExit(f"{rank} got something else of {size} bytes")
        if world.allreduce(rank + size) != count * size + sum(range(count)):
            raise SystemExit(f"{rank} has another sum")
    print(f"{rank} of {count}: all is right")


main()
