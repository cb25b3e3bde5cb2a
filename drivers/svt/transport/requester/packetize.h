/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One packet of the request at the cursor: see packetize.c.
 */
#ifndef SVT_TRANSPORT_REQUESTER_PACKETIZE_H
#define SVT_TRANSPORT_REQUESTER_PACKETIZE_H

#include "../qp/train.h"

/* After trying to add a packet to the train */
enum svt_send_step {
	SVT_SEND_MORE,		/* done, or skipped; try the next */
	SVT_SEND_FULL,		/* another train is needed for it */
	SVT_SEND_BLOCKED,	/* nothing can be sent until an answer or a timer comes */
	SVT_SEND_IDLE,
	SVT_SEND_LATER,		/* the budget is used up; the workqueue goes on */
};

enum svt_send_step svt_requester_packet(struct svt_qp *qp, struct svt_train_builder *builder);

#endif
