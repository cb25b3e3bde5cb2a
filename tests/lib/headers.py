#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sends packets whose headers a program chose by its path, and says how they have to look.

Usage: headers.py DEVICE GID_INDEX PEER_GID. UD address handles and RC queue pairs with all sorts of
traffic classes and flow labels. Each sends one packet to a queue pair that does not exist. Prints a
line for each: number of that queue pair, traffic class, flow label, UDP source port (0: any).
"""

import sys

from pyverbs.addr import AH
from pyverbs.enums import IBV_QPT_UD, IBV_SEND_SIGNALED
from pyverbs.qp import QPAttr
from pyverbs.wr import SGE, SendWR

from endpoint import Endpoint

PATHS = [  # traffic class, flow label, of which 20 bits count
    (0, 0), (0x68, 0), (0xb8, 1), (0xfc, 0x12345), (4, 0xfffff), (0x20, 0xc0000), (0x88, 0x3fff),
    (0x48, 0xfffedcba),
]
LABEL_MASK = 0xfffff


def source_port(label):
    """As InfiniBand's annex A17.9.2.2 has programs spread flows, ibv_flow_label_to_udp_sport()"""
    return 0xc000 | ((label & 0x3fff) ^ (label >> 14))


def label_of(local, remote):
    """Of a QP whose path has none, as rdma_calc_flow_label() has it"""
    value = local * remote
    value ^= value >> 20
    value ^= value >> 40
    return value & LABEL_MASK


class Sender(Endpoint):
    """It sends one packet by each path"""

    def __init__(self, *where):
        super().__init__(*where)
        self.number = 0x100

    def next_number(self):
        """Of a QP that is not there"""
        self.number += 0x3579
        return self.number

    def request(self):
        sge = SGE(self.mr.buf, 16, self.mr.lkey)
        return SendWR(num_sge=1, sg=[sge], send_flags=IBV_SEND_SIGNALED)

    def datagram(self, qp, path):
        """Return: what the packet that was sent has to have"""
        number, label = self.next_number(), path[1] & LABEL_MASK
        request = self.request()
        request.set_wr_ud(AH(self.pd, attr=self.path(*path)), number, 0x1234)
        qp.post_send(request)
        while not self.cq.poll(1)[0]:
            pass
        return number, path[0], label, source_port(label) if label else 0

    def connected(self, path):
        """Return: the QP, and what the packet that it sent has to have"""
        number, label = self.next_number(), path[1] & LABEL_MASK
        qp = self.connect(self.path(*path), number)
        qp.post_send(self.request())
        port = source_port(label or label_of(qp.qp_num, number))
        return qp, (number, path[0], label, port)


def main():
    sender = Sender(*sys.argv[1:])
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
