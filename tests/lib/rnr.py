#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A SEND between two QPs of one device, to a peer that posts no receive before the sender had to wait.
Usage: rnr.py DEVICE GID-INDEX RNR_RETRY; prints what came of it in libibverbs's words."""

import ctypes
import sys
import time

from pyverbs.enums import IBV_QPT_RC
from pyverbs.wr import RecvWR, SendWR, SGE

from endpoint import Endpoint

LATE = 0.3  # seconds, in which there are many tries
LIMIT = 60


def words(status):
    library = ctypes.CDLL("libibverbs.so.1")
    library.ibv_wc_status_str.restype = ctypes.c_char_p
    return library.ibv_wc_status_str(status).decode()


def completion(end):
    """The next one, None if there is none for long"""
    for _ in range(LIMIT * 100):
        count, found = end.cq.poll()
        if count:
            return found[0]
        time.sleep(0.01)
    return None


def main():
    device, index, retries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    end = Endpoint(device, index)
    end.peer = end.context.query_gid(1, index)
    sender, receiver = end.create(IBV_QPT_RC), end.create(IBV_QPT_RC)
    end.ready(sender, end.path(), receiver.qp_num, retries)
    end.ready(receiver, end.path(), sender.qp_num)
    sender.post_send(SendWR(1, num_sge=1, sg=[SGE(end.mr.buf, 64, end.mr.lkey)]))
    time.sleep(LATE)
    receiver.post_recv(RecvWR(2, num_sge=1, sg=[SGE(end.mr.buf + 64, 64, end.mr.lkey)]))
    for _ in range(2):
        found = completion(end)
        if found and found.wr_id == 1:
            print(words(found.status))
            return
    sys.exit("the send did not complete")


if __name__ == "__main__":
    main()
