// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters that InfiniBand gives each port: ports/1/counters in sysfs, where monitors look for
 * them. ib_core asks for them by a MAD that was never a packet.
 */
#include <rdma/ib_pma.h>

#include "verbs.h"

/* Such a counter stops at its greatest value */
static __be16 svt_pma_count16(u64 value)
{
	return cpu_to_be16(min_t(u64, value, U16_MAX));
}

static void svt_pma_counters(const struct svt_counters __percpu *counters,
			     struct ib_pma_portcounters *pma)
{
	u64 errors = svt_counter_sum(counters, SVT_COUNT_RX_DROPPED_BACKEND) +
		     svt_counter_sum(counters, SVT_COUNT_RX_DROPPED_MALFORMED);

	pma->port_rcv_errors = svt_pma_count16(errors);
	pma->port_xmit_discards =
		svt_pma_count16(svt_counter_sum(counters, SVT_COUNT_TX_DROPPED));
}

/* Unit of data: words of four bytes */
static void svt_pma_counters_ext(const struct svt_counters __percpu *counters,
				 struct ib_pma_portcounters_ext *pma)
{
	pma->port_xmit_data = cpu_to_be64(svt_counter_sum(counters, SVT_COUNT_TX_BYTES) / 4);
	pma->port_rcv_data = cpu_to_be64(svt_counter_sum(counters, SVT_COUNT_RX_BYTES) / 4);
	pma->port_xmit_packets = cpu_to_be64(svt_counter_sum(counters, SVT_COUNT_TX_PACKETS));
	pma->port_rcv_packets = cpu_to_be64(svt_counter_sum(counters, SVT_COUNT_RX_PACKETS));
}

/* ib_device_ops.process_mad. Peers (@wc is set) get no answer: a port's counters are its host's. */
int svt_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	const struct svt_counters __percpu *counters = to_svt_device(ibdev)->core->counters;
	void *data = ((struct ib_pma_mad *)out)->data;
	struct ib_class_port_info *info = data;

	if (wc || in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;

	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF;
		break;
	case IB_PMA_PORT_COUNTERS:
		svt_pma_counters(counters, data);
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		svt_pma_counters_ext(counters, data);
		break;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
