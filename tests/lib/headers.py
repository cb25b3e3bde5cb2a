#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sends packets whose headers a program chose by its path, and says how they have to look.

Usage: headers.py DEVICE GID_INDEX PEER_GID. UD address handles and RC queue pairs with all sorts of
traffic classes and flow labels. Each sends one packet to a queue pair that does not exist. Prints a
line for each: number of that queue pair, traffic class, flow label, UDP source port (0: any).
"""

import sys

from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import IBV_MTU_1024, IBV_QPT_RC, IBV_QPT_UD, IBV_SEND_SIGNALED
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

PATHS = [  # traffic class, flow label, of which 20 bits count
    (0, 0), (0x68, 0), (0xb8, 1), (0xfc, 0x12345), (4, 0xfffff), (0x20, 0xc0000), (0x88, 0x3fff),
    (0x48, 0xfffedcba),
]
LABEL_MASK = 0xfffff
HOP_LIMIT = 7  # ib_core puts that of the route in its place


def source_port(label):
    """As InfiniBand's annex A17.9.2.2 has programs spread flows, ibv_flow_label_to_udp_sport()"""
    return 0xc000 | ((label & 0x3fff) ^ (label >> 14))


def label_of(local, remote):
    """Of a QP whose path has none, as rdma_calc_flow_label() has it"""
    value = local * remote
    value ^= value >> 20
    value ^= value >> 40
    return value & LABEL_MASK


class Sender:
    """A verbs context with what each QP needs"""

    def __init__(self, device, index, peer):
        self.context = Context(name=device)
        self.index, self.peer = index, GID(peer)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 100)
        self.mr = MR(self.pd, 64, 1)
        self.number = 0x100

    def path(self, traffic_class, label):
        """The address of the peer by that path, the number of a QP that is not there, the label"""
        self.number += 0x3579
        route = GlobalRoute(self.peer, label, self.index, HOP_LIMIT, traffic_class)
        return AHAttr(is_global=1, port_num=1, gr=route), self.number, label & LABEL_MASK

    def create(self, kind):
        cap = QPCap(max_send_wr=4, max_recv_wr=1)
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))

    def request(self):
        sge = SGE(self.mr.buf, 16, self.mr.lkey)
        return SendWR(num_sge=1, sg=[sge], send_flags=IBV_SEND_SIGNALED)

    def datagram(self, qp, path):
        """Return: what the packet that was sent has to have"""
        attr, number, label = self.path(*path)
        request = self.request()
        request.set_wr_ud(AH(self.pd, attr=attr), number, 0x1234)
        qp.post_send(request)
        while not self.cq.poll(1)[0]:
            pass
        return number, path[0], label, source_port(label) if label else 0

    def connected(self, path):
        """Return: the QP, and what the packet that it sent has to have"""
        attr, number, label = self.path(*path)
        qp = self.create(IBV_QPT_RC)
        state = QPAttr(port_num=1)
        state.dest_qp_num, state.path_mtu, state.ah_attr = number, IBV_MTU_1024, attr
        state.timeout, state.max_rd_atomic, state.max_dest_rd_atomic = 20, 1, 1
        qp.to_rts(state)
        qp.post_send(self.request())
        port = source_port(label or label_of(qp.qp_num, number))
        return qp, (number, path[0], label, port)


def main():
    device, index, peer = sys.argv[1:]
    sender = Sender(device, int(index), peer)
    datagrams = sender.create(IBV_QPT_UD)
    datagrams.to_rts(QPAttr(port_num=1))
    for path in PATHS:
        print(*sender.datagram(datagrams, path))
    kept = []
    for path in PATHS:
        qp, line = sender.connected(path)
        kept.append(qp)
        print(*line)
    # Nothing is to be destroyed in the order of the interpreter
    for qp in kept:
        qp.close()
    datagrams.close()


main()
