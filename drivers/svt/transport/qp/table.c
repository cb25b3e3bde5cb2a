// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The QPs of a device by their numbers, under RCU.
 */
#include <linux/random.h>
#include <linux/rhashtable.h>

#include "table.h"

/* With more than half of the numbers in use, as many collisions in a row have a chance of 2^-53 */
#define SVT_QPN_TRIES	64

static const struct rhashtable_params svt_qp_table_params = {
	.key_len = sizeof_field(struct svt_qp, qpn),
	.key_offset = offsetof(struct svt_qp, qpn),
	.head_offset = offsetof(struct svt_qp, node),
	.automatic_shrinking = true,
};

/**
 * svt_qp_lookup - find a QP by its number
 * @core: tables of the device
 * @qpn: QP number
 *
 * Context: RCU read section; the QP is good until its end.
 * Return: the QP, or NULL, also for a raw packet QP: no packet of the transport is for it.
 */
struct svt_qp *svt_qp_lookup(struct svt_core *core, u32 qpn)
{
	struct svt_qp *qp;

	if (qpn == SVT_QPN_GSI)
		return rcu_dereference(core->gsi);
	qp = rhashtable_lookup(&core->qps, &qpn, svt_qp_table_params);
	return qp && !qp->type->frame ? qp : NULL;
}

static int svt_qp_insert_gsi(struct svt_qp *qp)
{
	qp->qpn = SVT_QPN_GSI;
	if (cmpxchg((struct svt_qp **)&qp->core->gsi, NULL, qp))
		return -EBUSY;
	return 0;
}

/* Random over the full width: a number says nothing of other numbers (see RFC 6056 on ports) */
static int svt_qp_insert_any(struct svt_qp *qp)
{
	unsigned int tries;
	int ret = -EEXIST;

	for (tries = 0; tries < SVT_QPN_TRIES && ret == -EEXIST; tries++) {
		qp->qpn = get_random_u32() & SVT_QPN_MASK;
		if (qp->qpn <= SVT_QPN_GSI || qp->qpn == SVT_QPN_MULTICAST)
			continue;
		ret = rhashtable_lookup_insert_fast(&qp->core->qps, &qp->node,
						    svt_qp_table_params);
	}
	return ret == -EEXIST ? -ENOMEM : ret;
}

/* From now on packets find @qp. May sleep. -EBUSY: there is a GSI QP already; -ENOMEM. */
int svt_qp_insert(struct svt_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI ? svt_qp_insert_gsi(qp) : svt_qp_insert_any(qp);
}

/* A reader that found @qp may use it to the end of its RCU read section. May sleep. */
void svt_qp_remove(struct svt_qp *qp)
{
	if (qp->qpn == SVT_QPN_GSI)
		RCU_INIT_POINTER(qp->core->gsi, NULL);
	else
		rhashtable_remove_fast(&qp->core->qps, &qp->node, svt_qp_table_params);
}

int svt_qp_table_init(struct svt_core *core)
{
	return rhashtable_init(&core->qps, &svt_qp_table_params);
}

void svt_qp_table_destroy(struct svt_core *core)
{
	WARN_ON(rcu_access_pointer(core->gsi) || atomic_read(&core->qps.nelems));
	rhashtable_destroy(&core->qps);
}
