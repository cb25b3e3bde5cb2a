#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Who may use a GID, and what comes to it.

Usage: gids.py use|outlive|listen|send DEVICE GID_INDEX [PEER_GID [QPN]]

use: tells what becomes of an address handle and of an RC queue pair with it: "0 0", or errnos.
outlive: connects an RC queue pair, and makes a UD one; then leaves its network namespace for that of
process 1, which it tells, and waits until both queue pairs are in error.
listen: tells the number of a UD queue pair, and then of each message to it.
send: sends one there, three times.
"""

import ctypes
import errno
import sys
import time

from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import (IBV_ACCESS_LOCAL_WRITE, IBV_MTU_1024, IBV_QPS_ERR, IBV_QPT_RC,
                           IBV_QPT_UD, IBV_QP_STATE)
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

QKEY = 0x1234
RECEIVES = 16
GRH = 40
NOBODY = ':'.join(['0000'] * 8)
CLONE_NEWNET = 0x40000000


class End:
    """A verbs context with what each QP needs"""

    def __init__(self, device, index, peer=NOBODY):
        self.context = Context(name=device)
        self.index, self.peer = int(index), GID(peer)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 2 * RECEIVES)
        self.mr = MR(self.pd, 4096, IBV_ACCESS_LOCAL_WRITE)

    def path(self):
        return AHAttr(is_global=1, port_num=1, gr=GlobalRoute(self.peer, 0, self.index))

    def handle(self):
        return AH(self.pd, attr=self.path())

    def create(self, kind):
        cap = QPCap(max_send_wr=4, max_recv_wr=RECEIVES)
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))

    def connected(self):
        """An RC QP to one that is not there"""
        qp = self.create(IBV_QPT_RC)
        state = QPAttr(port_num=1)
        state.dest_qp_num, state.path_mtu, state.ah_attr = 0x123456, IBV_MTU_1024, self.path()
        state.timeout, state.max_rd_atomic, state.max_dest_rd_atomic = 20, 1, 1
        qp.to_rts(state)
        return qp

    def datagrams(self):
        """A UD QP that has receives"""
        qp = self.create(IBV_QPT_UD)
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


globals()[sys.argv[1]](*sys.argv[2:])
