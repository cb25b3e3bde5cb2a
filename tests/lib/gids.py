#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Who may use a GID, and what comes to it.

Usage: gids.py use|outlive|listen|send DEVICE GID_INDEX [PEER_GID [QPN]]
       gids.py hold DEVICE PREFIX PEER_GID

use: tells what becomes of an address handle and of an RC queue pair with it: "0 0", or errnos.
outlive: connects an RC queue pair, and makes a UD one; then leaves its network namespace for that of
process 1, which it tells, and waits until both queue pairs are in error.
listen: tells the number of a UD queue pair, and then of each message to it.
send: sends one there, three times.
hold: makes an address handle from each GID that begins with PREFIX, tells how many, and keeps them.
"""

import ctypes
import errno
import pathlib
import sys
import time

from pyverbs.addr import AH
from pyverbs.enums import IBV_QPS_ERR, IBV_QPT_UD, IBV_QP_STATE
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr
from pyverbs.wr import RecvWR, SGE, SendWR

from endpoint import Endpoint

QKEY = 0x1234
RECEIVES = 16
GRH = 40
CLONE_NEWNET = 0x40000000
NO_QP = 0x123456


class End(Endpoint):
    """What may become of a GID"""

    def handle(self):
        return AH(self.pd, attr=self.path())

    def connected(self):
        """An RC QP to one that is not there"""
        return self.connect(self.path(), NO_QP)

    def datagrams(self):
        """A UD QP that has receives"""
        qp = self.create(IBV_QPT_UD, RECEIVES)
        state = QPAttr(port_num=1)
        state.qkey = QKEY
        qp.to_rts(state)
        sge = SGE(self.mr.buf, GRH + 16, self.mr.lkey)
        for _ in range(RECEIVES):
            qp.post_recv(RecvWR(num_sge=1, sg=[sge]))
        return qp


def error_of(function):
    """Return: 0, or the errno that it fails with"""
    try:
        function().close()
    except PyverbsRDMAError as error:
        return error.error_code
    return 0


def use(*where):
    end = End(*where)
    print(error_of(end.handle), error_of(end.connected))


def in_error(qp):
    return qp.query(IBV_QP_STATE)[0].qp_state == IBV_QPS_ERR


def outlive(*where):
    end = End(*where)
    qps = end.connected(), end.datagrams()
    with open('/proc/1/ns/net') as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET):
            sys.exit('setns: ' + errno.errorcode[ctypes.get_errno()])
    print('left', flush=True)
    while not all(in_error(qp) for qp in qps):
        time.sleep(0.1)
    print('in error', flush=True)
    for qp in qps:
        qp.close()


def listen(*where):
    end = End(*where)
    qp = end.datagrams()
    print(qp.qp_num, flush=True)
    while True:
        count, completions = end.cq.poll(1)
        if not count:
            time.sleep(0.05)
        for completion in completions:
            print('got one, status', completion.status, flush=True)


def send(device, index, peer, number):
    end = End(device, index, peer)
    qp = end.datagrams()
    handle = end.handle()
    for _ in range(3):
        request = SendWR(num_sge=1, sg=[SGE(end.mr.buf, 16, end.mr.lkey)])
        request.set_wr_ud(handle, int(number), QKEY)
        qp.post_send(request)
    time.sleep(0.2)
    qp.close()


def hold(device, prefix, peer):
    held = []
    for index in range(256):
        try:
            gid = pathlib.Path(f'/sys/class/infiniband/{device}/ports/1/gids/{index}').read_text()
        except OSError:  # none is there
            continue
        if gid.startswith(prefix):
            end = End(device, index, peer)
            held.append((end, end.handle()))
    print(len(held), flush=True)
    time.sleep(1000)


globals()[sys.argv[1]](*sys.argv[2:])
