/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef LOOP_ARRIVAL_H
#define LOOP_ARRIVAL_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/skbuff.h>
#include <rdma/svt.h>

/* Packets that may wait at a receiver */
#define LOOP_QUEUE	8192
/* Packets that arrive at a time: as many as NAPI has */
#define LOOP_BUDGET	64

struct loop_arrivals {
	struct svt_device *dev;
	struct sk_buff_head queue;	/* by time of arrival (tstamp) */
	struct tasklet_struct tasklet;	/* hands it to the core */
	struct hrtimer timer;		/* wakes that for a packet with a delay */
};

void loop_arrivals_init(struct loop_arrivals *arrivals, struct svt_device *dev);
void loop_arrivals_add(struct loop_arrivals *arrivals, struct sk_buff *skb);
void loop_arrivals_stop(struct loop_arrivals *arrivals);

#endif
