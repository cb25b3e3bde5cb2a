# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What programs of the tests need of verbs before they come to what they are about."""

from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import IBV_ACCESS_LOCAL_WRITE, IBV_MTU_1024, IBV_QPT_RC
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

NOBODY = ':'.join(['0000'] * 8)
HOP_LIMIT = 7  # ib_core puts that of the route in its place


class Endpoint:
    """A verbs context with what each QP needs"""

    def __init__(self, device, index, peer=NOBODY):
        self.context = Context(name=device)
        self.index, self.peer = int(index), GID(peer)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 100)
        self.mr = MR(self.pd, 4096, IBV_ACCESS_LOCAL_WRITE)

    def path(self, traffic_class=0, label=0):
        """The address of the peer"""
        route = GlobalRoute(self.peer, label, self.index, HOP_LIMIT, traffic_class)
        return AHAttr(is_global=1, port_num=1, gr=route)

    def create(self, kind, receives=1):
        cap = QPCap(max_send_wr=4, max_recv_wr=receives)
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))

    def connect(self, path, number):
        """An RC QP, connected to the QP of that number"""
        qp = self.create(IBV_QPT_RC)
        self.ready(qp, path, number)
        return qp

    @staticmethod
    def ready(qp, path, number, rnr_retry=0):
        """Connects a QP of this endpoint"""
        state = QPAttr(port_num=1)
        state.dest_qp_num, state.path_mtu, state.ah_attr = number, IBV_MTU_1024, path
        state.timeout, state.max_rd_atomic, state.max_dest_rd_atomic = 20, 1, 1
        state.rnr_retry = rnr_retry
        qp.to_rts(state)
