// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that come to a device: a queue by the time at which they are due, and a tasklet that
 * takes from its head. Senders add under the queue's lock; the tasklet drops it around each call of
 * the core. The tasklet runs on one CPU at a time, so packets keep their order. Arrivals make the
 * core send, and that makes more arrive: so the tasklet takes LOOP_BUDGET packets and comes back
 * for the rest, to let the softirq end.
 */
#include "arrival.h"

/* Return: the packet due first; NULL: none is due, and the timer runs if one waits */
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

void loop_arrivals_init(struct loop_arrivals *arrivals, struct svt_device *dev)
{
	arrivals->dev = dev;
	skb_queue_head_init(&arrivals->queue);
	hrtimer_setup(&arrivals->timer, wake, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	tasklet_setup(&arrivals->tasklet, arrive);
}

/* BH off. @skb, due at its tstamp, is consumed. NULL: there was no memory for it; it is counted */
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

/* May sleep. Nobody adds any more; what has not arrived is lost */
void loop_arrivals_stop(struct loop_arrivals *arrivals)
{
	/* Without a packet the tasklet does not start the timer again */
	skb_queue_purge(&arrivals->queue);
	hrtimer_cancel(&arrivals->timer);
	tasklet_kill(&arrivals->tasklet);
}
