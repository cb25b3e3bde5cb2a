// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: requests for completion events (IBTA 11.4.2.2), in CQs that are raw: their handler counts.
 * And on which CPU handlers are called.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "client.h"

/* A message from end 0 to end 1; the completions stay in the CQs */
static int kt_message(struct kt_pair *pair, int flags)
{
	struct kt_operation *receive = kt_recv(&pair->end[1], 0, 64, 1);

	if (!receive)
		return -EPROTO;
	return kt_send(&pair->end[0], &(struct kt_request){
		.opcode = IB_WR_SEND, .length = 64, .flags = flags,
	}) ? 0 : -EPROTO;
}

/* Until the handlers of receives at end 1 were called @count times, and not once more */
static int kt_events(struct kt_pair *pair, int count)
{
	atomic_t *events = &pair->end[1].cq_events[1];
	unsigned int i;

	for (i = 0; i < 2000 && atomic_read(events) < count; i++)
		usleep_range(1000, 2000);
	msleep(20);
	if (atomic_read(events) == count)
		return 0;
	return kt_fail(pair, "%d events instead of %d", atomic_read(events), count);
}

static int kt_arm(struct kt_pair *pair, enum ib_cq_notify_flags flags, int expected)
{
	int ret = ib_req_notify_cq(pair->end[1].cq[1], flags | IB_CQ_REPORT_MISSED_EVENTS);

	if (ret < 0 || !!ret != expected)
		return kt_fail(pair, "ib_req_notify_cq returned %d, expected %d", ret, expected);
	return 0;
}

/* The CQ holds one completion of a receive, no more */
static int kt_take(struct kt_pair *pair, int expected)
{
	int count = 0;
	struct ib_wc wc;

	while (ib_poll_cq(pair->end[1].cq[1], 1, &wc) == 1)
		count++;
	if (count != expected)
		return kt_fail(pair, "%d completions instead of %d", count, expected);
	return 0;
}

/* One request, one event */
static int kt_case_notify(struct kt_pair *pair)
{
	return kt_message(pair, 0) ?: kt_events(pair, 0) ?: kt_take(pair, 1) ?:
	       kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?: kt_events(pair, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 2);
}

/* What came before the request gives no event, but is reported */
static int kt_case_notify_missed(struct kt_pair *pair)
{
	return kt_message(pair, 0) ?: kt_events(pair, 0) ?: kt_arm(pair, IB_CQ_NEXT_COMP, 1) ?:
	       kt_events(pair, 0) ?: kt_take(pair, 1) ?: kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 1);
}

static int kt_case_notify_solicited(struct kt_pair *pair)
{
	return kt_arm(pair, IB_CQ_SOLICITED, 0) ?: kt_message(pair, 0) ?: kt_events(pair, 0) ?:
	       kt_message(pair, IB_SEND_SOLICITED) ?: kt_events(pair, 1) ?: kt_take(pair, 2);
}

/* A request for any completion is not weakened by one for solicited ones */
static int kt_case_notify_both(struct kt_pair *pair)
{
	return kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?: kt_arm(pair, IB_CQ_SOLICITED, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 1);
}

/* A completion with an error counts as solicited */
static int kt_case_notify_error(struct kt_pair *pair)
{
	if (!kt_recv(&pair->end[1], 0, 64, 1))
		return -EPROTO;
	return kt_arm(pair, IB_CQ_SOLICITED, 0) ?: kt_modify(&pair->end[1], IB_QPS_ERR) ?:
	       kt_events(pair, 1) ?: kt_take(pair, 1);
}

/* Where the handlers of a pair with KT_VECTOR are called, if it is online */
static unsigned int kt_vector_cpu(struct kt_pair *pair)
{
	return cpumask_nth(pair->end[0].device->num_comp_vectors - 1, cpu_possible_mask);
}

static long kt_message_here(void *pair)
{
	return kt_message(pair, 0);
}

/* Of one message that is posted on @cpu both completions are on the CPU of the last vector */
static int kt_message_from(struct kt_pair *pair, unsigned int cpu)
{
	int vectors = pair->end[0].device->num_comp_vectors;
	unsigned int i, used = pair->used, right = kt_vector_cpu(pair);
	int ret = work_on_cpu(cpu, kt_message_here, pair);

	for (i = used; i < pair->used && !ret; i++) {
		ret = kt_done(&pair->operations[i], IB_WC_SUCCESS);
		if (!ret && pair->poll != IB_POLL_DIRECT && vectors > 1 && cpu_online(right) &&
		    pair->operations[i].cpu != right)
			ret = kt_fail(pair, "posted on CPU %u, completed on %u instead of %u", cpu,
				      pair->operations[i].cpu, right);
	}
	return ret;
}

/* Whoever completes, on whichever CPU, the handlers run on that of their vector */
static int kt_case_vector(struct kt_pair *pair)
{
	unsigned int cpu, round;
	int ret = 0;

	for (round = 0; round < 3; round++)
		for_each_online_cpu(cpu)
			ret = ret ?: kt_message_from(pair, cpu);
	return ret;
}

#define KT_HOG_MS	100

/* Leaves a CPU to nobody but those who wait for a grace period */
static int kt_hog(void *started)
{
	unsigned long end = jiffies + msecs_to_jiffies(KT_HOG_MS);

	complete(started);
	while (time_before(jiffies, end)) {
		cond_resched();
		cpu_relax();
	}
	return 0;
}

static int kt_start_hog(struct kt_pair *pair, unsigned int cpu)
{
	DECLARE_COMPLETION_ONSTACK(started);
	struct task_struct *hog = kthread_create_on_cpu(kt_hog, &started, cpu, "kt_hog/%u");

	if (IS_ERR(hog))
		return kt_fail(pair, "no thread: %ld", PTR_ERR(hog));
	sched_set_fifo(hog);
	wake_up_process(hog);
	wait_for_completion(&started);
	return 0;
}

/* All but the handler, whose CPU is taken */
static long kt_destroy_with_event(void *data)
{
	struct kt_pair *pair = data;
	struct kt_end *end = &pair->end[1];
	unsigned int right = kt_vector_cpu(pair);
	int ret = 0;

	if (right != raw_smp_processor_id() && cpu_online(right))
		ret = kt_start_hog(pair, right);
	if (ret || !kt_recv(end, 0, 64, 1) || kt_modify(end, IB_QPS_ERR))
		return -EPROTO;
	kt_destroy_qp(end);
	if (atomic_read(&end->cq_events[1]) == 1)
		return 0;
	return kt_fail(pair, "%d events before the QP was gone", atomic_read(&end->cq_events[1]));
}

/* An event that waits for the CPU of its vector comes, and not when the QP is gone */
static int kt_case_vector_destroy(struct kt_pair *pair)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, kt_vector_cpu(pair));

	if (ib_req_notify_cq(pair->end[1].cq[1], IB_CQ_NEXT_COMP))
		return kt_fail(pair, "a CQ cannot be armed");
	/* Where there is no other CPU the handler is called at once */
	return work_on_cpu(cpu < nr_cpu_ids ? cpu : 0, kt_destroy_with_event, pair) ?:
	       kt_events(pair, 1);
}

static int kt_case_vector_range(struct kt_pair *pair)
{
	struct ib_device *device = pair->end[0].device;
	struct ib_cq *cq = ib_alloc_cq(device, NULL, 16, device->num_comp_vectors, pair->poll);

	if (device->num_comp_vectors != num_possible_cpus())
		kt_fail(pair, "%d vectors", device->num_comp_vectors);
	if (cq == ERR_PTR(-EINVAL))
		return *pair->why ? -EPROTO : 0;
	if (!IS_ERR(cq))
		ib_free_cq(cq);
	return kt_fail(pair, "a CQ on a vector too many: %d", PTR_ERR_OR_ZERO(cq));
}

const struct kt_case kt_cq_cases[] = {
	{ "notify", IB_QPT_RC, KT_RAW, kt_case_notify },
	{ "notify_missed", IB_QPT_RC, KT_RAW, kt_case_notify_missed },
	{ "notify_solicited", IB_QPT_RC, KT_RAW, kt_case_notify_solicited },
	{ "notify_next_and_solicited", IB_QPT_RC, KT_RAW, kt_case_notify_both },
	{ "notify_error", IB_QPT_RC, KT_RAW, kt_case_notify_error },
	{ "vector", IB_QPT_RC, KT_EACH_POLL | KT_VECTOR, kt_case_vector },
	{ "vector_destroy", IB_QPT_RC, KT_RAW | KT_VECTOR, kt_case_vector_destroy },
	{ "vector_range", IB_QPT_RC, 0, kt_case_vector_range },
	{ }
};
