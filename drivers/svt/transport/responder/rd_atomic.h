/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * READs, atomics, FLUSH and ATOMIC WRITE of RC: see rd_atomic.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RD_ATOMIC_H
#define SVT_TRANSPORT_RESPONDER_RD_ATOMIC_H

#include "absent.h"

enum svt_verdict svt_resource_read(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_atomic(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_flush(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_atomic_write(struct svt_qp *qp, struct svt_rx_packet *rx);
int svt_resource_persist(struct svt_qp *qp, struct svt_resource *resource);
bool svt_resource_replay(struct svt_qp *qp, const struct svt_packet *packet);
struct svt_resource *svt_resource_pending(struct svt_recv_half *recv, u32 *back);
void svt_resource_settle(struct svt_recv_half *recv);
void svt_resource_give_up(struct svt_recv_half *recv);
void svt_resource_take_back(struct svt_recv_half *recv, u32 psn, u32 end);
void svt_resource_forget(struct svt_recv_half *recv);
u32 svt_read_packets(u32 length, u32 mtu);

void svt_resource_move(struct svt_recv_half *recv, struct svt_resource *resources, u32 entries);

#endif
