// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that come to a device: a queue by the time at which they are due, and a tasklet that
 * takes from its head what is. Senders add under the lock of the queue; the tasklet, which runs on
 * one CPU at a time, so that packets keep their order, lets go of it around each call of the core.
 *
 * What arrives makes the core send, and that makes more arrive: a softirq that waited for the end
 * of it would not end. So the tasklet takes a number of packets and comes back for the rest.
 */
#include "arrival.h"

/* What is due first; NULL when nothing is: then it is waited for */
static struct sk_buff *next_arrival(struct loop_arrivals *arrivals)
{
	struct sk_buff *skb;

	spin_lock(&arrivals->queue.lock);
	skb = skb_peek(&arrivals->queue);
	if (skb && ktime_after(skb->tstamp, ktime_get())) {
		hrtimer_start(&arrivals->timer, skb->tstamp, HRTIMER_MODE_ABS_SOFT);
		skb = NULL;
	}
	if (skb)
		__skb_unlink(skb, &arrivals->queue);
	spin_unlock(&arrivals->queue.lock);
	return skb;
}

static void arrive(struct tasklet_struct *tasklet)
{
	struct loop_arrivals *arrivals = from_tasklet(arrivals, tasklet, tasklet);
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < LOOP_BUDGET && (skb = next_arrival(arrivals)); i++)
		svt_receive(arrivals->dev, skb);
	if (i == LOOP_BUDGET)
		tasklet_schedule(tasklet);
}

static enum hrtimer_restart wake(struct hrtimer *timer)
{
	tasklet_schedule(&container_of(timer, struct loop_arrivals, timer)->tasklet);
	return HRTIMER_NORESTART;
}

/**
 * loop_arrivals_init - nothing has come yet
 * @arrivals: of @dev
 * @dev: may be not registered so far
 */
void loop_arrivals_init(struct loop_arrivals *arrivals, struct svt_device *dev)
{
	arrivals->dev = dev;
	skb_queue_head_init(&arrivals->queue);
	hrtimer_setup(&arrivals->timer, wake, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	tasklet_setup(&arrivals->tasklet, arrive);
}

/**
 * loop_arrivals_add - a packet comes to the device, behind all that are due no later
 * @arrivals: of the device
 * @skb: due at its tstamp; consumed. NULL when there was no memory for it: then it is counted
 *
 * Context: BH off.
 */
void loop_arrivals_add(struct loop_arrivals *arrivals, struct sk_buff *skb)
{
	struct sk_buff *before;

	if (!skb || skb_queue_len_lockless(&arrivals->queue) >= LOOP_QUEUE) {
		svt_count_drop(arrivals->dev, false);
		kfree_skb(skb);
		return;
	}
	spin_lock(&arrivals->queue.lock);
	skb_queue_reverse_walk(&arrivals->queue, before)
		if (!ktime_after(before->tstamp, skb->tstamp))
			break;
	__skb_queue_after(&arrivals->queue, before, skb);
	if (skb_queue_is_first(&arrivals->queue, skb))
		tasklet_schedule(&arrivals->tasklet);
	spin_unlock(&arrivals->queue.lock);
}

/**
 * loop_arrivals_stop - what has not arrived is lost
 * @arrivals: to which nobody adds any more
 *
 * Context: may sleep.
 */
void loop_arrivals_stop(struct loop_arrivals *arrivals)
{
	/* Without a packet the tasklet does not start the timer again */
	skb_queue_purge(&arrivals->queue);
	hrtimer_cancel(&arrivals->timer);
	tasklet_kill(&arrivals->tasklet);
}
