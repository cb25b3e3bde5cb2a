// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ports, their tables, address handles and multicast groups.
 */
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>

#include "errnos.h"
#include "qpattr.h"

struct query {
	u8 port;
	u32 index;
};

static int query_port(const struct world *w, const struct errno_case *c)
{
	struct query q = { .port = DEV_PORT };
	struct ibv_port_attr attr;

	spoil(w, c, &q);
	return ibv_query_port(w->dev.ctx, q.port, &attr);
}

/* These two return -1; what they leave in errno is not told */
static int query_gid(const struct world *w, const struct errno_case *c)
{
	struct query q = { .port = DEV_PORT, .index = w->dev.gid_index };
	union ibv_gid gid;

	spoil(w, c, &q);
	return ibv_query_gid(w->dev.ctx, q.port, q.index, &gid) ? EINVAL : 0;
}

static int query_pkey(const struct world *w, const struct errno_case *c)
{
	struct query q = { .port = DEV_PORT };
	__be16 pkey;

	spoil(w, c, &q);
	return ibv_query_pkey(w->dev.ctx, q.port, q.index, &pkey) ? EINVAL : 0;
}

struct pkey {
	u8 port;
	__be16 pkey;
};

static int get_pkey_index(const struct world *w, const struct errno_case *c)
{
	struct pkey p = { .port = DEV_PORT, .pkey = htobe16(0xffff) };

	spoil(w, c, &p);
	return ibv_get_pkey_index(w->dev.ctx, p.port, p.pkey) < 0 ? EINVAL : 0;
}

struct values {
	struct ibv_values_ex values;
};

static int query_rt_values(const struct world *w, const struct errno_case *c)
{
	struct values v = { .values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	spoil(w, c, &v);
	return ibv_query_rt_values_ex(w->dev.ctx, &v.values);
}

static int query_gid_ex(const struct world *w, const struct errno_case *c)
{
	struct query q = { .port = DEV_PORT, .index = w->dev.gid_index };
	struct ibv_gid_entry entry;

	spoil(w, c, &q);
	return ibv_query_gid_ex(w->dev.ctx, q.port, q.index, &entry, 0);
}

static int query_gid_ex_flags(const struct world *w, const struct errno_case *c)
{
	struct ibv_gid_entry entry;

	(void)c;
	return ibv_query_gid_ex(w->dev.ctx, DEV_PORT, w->dev.gid_index, &entry, 1);
}

static int query_gid_table_flags(const struct world *w, const struct errno_case *c)
{
	struct ibv_gid_entry entries[1];
	ssize_t found;

	(void)c;
	found = ibv_query_gid_table(w->dev.ctx, entries, 1, 1);
	return found < 0 ? -found : 0;
}

static int query_gid_table_short(const struct world *w, const struct errno_case *c)
{
	struct ibv_gid_entry entries[1];
	ssize_t found;

	(void)c;
	found = ibv_query_gid_table(w->dev.ctx, entries, 0, 0);
	return found < 0 ? -found : 0;
}

static int create_ah(const struct world *w, const struct errno_case *c)
{
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	qpattr_ah(&attr, &w->dev.gid, w->dev.gid_index, 64);
	spoil(w, c, &attr);
	ah = ibv_create_ah(w->pd, &attr);
	return ah ? ibv_destroy_ah(ah) : errno;
}

static int create_ah_to_nobody(const struct world *w, const struct errno_case *c)
{
	static const union ibv_gid none;
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	(void)c;
	qpattr_ah(&attr, &none, w->dev.gid_index, 64);
	ah = ibv_create_ah(w->pd, &attr);
	return ah ? ibv_destroy_ah(ah) : errno;
}

struct message {
	struct ibv_wc wc;
	struct ibv_grh grh;
	u8 port;
};

/* Of a datagram from this device to itself. What NULL leaves in errno is not told */
static int create_ah_from_wc(const struct world *w, const struct errno_case *c)
{
	struct message m = {
		.wc.wc_flags = IBV_WC_GRH,
		.grh = {
			.version_tclass_flow = htobe32(6u << 28), .next_hdr = IPPROTO_UDP,
			.hop_limit = 64, .sgid = w->dev.gid, .dgid = w->dev.gid,
		},
		.port = DEV_PORT,
	};
	struct ibv_ah *ah;

	spoil(w, c, &m);
	ah = ibv_create_ah_from_wc(w->pd, &m.wc, &m.grh, m.port);
	return ah ? ibv_destroy_ah(ah) : EINVAL;
}

struct group {
	union ibv_gid gid;
	u16 lid;
	struct ibv_qp *qp;
};

static struct group good_group(const struct world *w)
{
	return (struct group) {
		.gid.raw = { 0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 3 },
		.qp = w->ud,
	};
}

static int attach(const struct world *w, const struct errno_case *c)
{
	struct group g = good_group(w);
	int err;

	spoil(w, c, &g);
	err = ibv_attach_mcast(g.qp, &g.gid, g.lid);
	return err ?: ibv_detach_mcast(g.qp, &g.gid, g.lid);
}

static int attach_rc(const struct world *w, const struct errno_case *c)
{
	struct group g = good_group(w);

	(void)c;
	return ibv_attach_mcast(w->rc, &g.gid, 0);
}

static int detach(const struct world *w, const struct errno_case *c)
{
	struct group g = good_group(w);

	(void)c;
	return ibv_detach_mcast(g.qp, &g.gid, 0);
}

const struct errno_case address_cases[] = {
	{ "query_port", query_port, 0, { } },
	{ "query_port 0", query_port, EINVAL, IS(struct query, port, 0) },
	{ "query_port 2", query_port, EINVAL, IS(struct query, port, 2) },
	{ "query_gid", query_gid, 0, { } },
	{ "query_gid of port 2", query_gid, EINVAL, IS(struct query, port, 2) },
	{ "query_gid beyond the table", query_gid, EINVAL, IS(struct query, index, 1 << 20) },
	{ "query_gid below the table", query_gid, EINVAL, IS(struct query, index, -1) },
	{ "query_gid_ex", query_gid_ex, 0, { } },
	{ "query_gid_ex of port 2", query_gid_ex, EINVAL, IS(struct query, port, 2) },
	{ "query_gid_ex beyond the table", query_gid_ex, EINVAL, IS(struct query, index, 1 << 20) },
	{ "query_gid_ex of an empty entry", query_gid_ex, ENODATA, IS(struct query, index, 200) },
	{ "query_gid_ex with a flag", query_gid_ex_flags, EINVAL, { } },
	{ "query_gid_table with a flag", query_gid_table_flags, EINVAL, { } },
	{ "query_gid_table without room", query_gid_table_short, EINVAL, { } },
	{ "query_pkey", query_pkey, 0, { } },
	{ "query_pkey of port 0", query_pkey, EINVAL, IS(struct query, port, 0) },
	{ "query_pkey beyond the table", query_pkey, EINVAL, IS(struct query, index, 1 << 15) },
	{ "get_pkey_index", get_pkey_index, 0, { } },
	{ "get_pkey_index of a P_Key that is in no table", get_pkey_index, EINVAL,
	  IS(struct pkey, pkey, 0x3412) },
	{ "get_pkey_index of port 2", get_pkey_index, EINVAL, IS(struct pkey, port, 2) },
	{ "query_rt_values_ex", query_rt_values, 0, { } },
	{ "query_rt_values_ex of what nobody knows", query_rt_values, EINVAL,
	  FLIPPED(struct values, values.comp_mask, 1 << 30) },
	{ "create_ah_from_wc", create_ah_from_wc, 0, { } },
	{ "create_ah_from_wc without GRH", create_ah_from_wc, EINVAL,
	  IS(struct message, wc.wc_flags, 0) },
	{ "create_ah_from_wc to a GID of another's", create_ah_from_wc, EINVAL,
	  FLIPPED(struct message, grh.dgid.raw[15], 0x55) },
	{ "create_ah_from_wc on port 2", create_ah_from_wc, EINVAL, IS(struct message, port, 2) },
	{ "create_ah", create_ah, 0, { } },
	{ "create_ah without GRH", create_ah, EINVAL, IS(struct ibv_ah_attr, is_global, 0) },
	{ "create_ah on port 0", create_ah, EINVAL, IS(struct ibv_ah_attr, port_num, 0) },
	{ "create_ah on port 2", create_ah, EINVAL, IS(struct ibv_ah_attr, port_num, 2) },
	{ "create_ah of an empty GID", create_ah, ENODATA,
	  IS(struct ibv_ah_attr, grh.sgid_index, 200) },
	{ "create_ah with service level 16", create_ah, EINVAL, IS(struct ibv_ah_attr, sl, 16) },
	{ "create_ah with a flow label of 32 bits", create_ah, 0,
	  IS(struct ibv_ah_attr, grh.flow_label, UINT32_MAX) },
	{ "create_ah to GID 0", create_ah_to_nobody, EINVAL, { } },
	{ "attach_mcast", attach, 0, { } },
	{ "attach_mcast to a GID that is no group", attach, EINVAL,
	  IS(struct group, gid.raw[0], 0xfd) },
	{ "attach_mcast of an RC QP", attach_rc, EINVAL, { } },
	{ "detach_mcast of what is not attached", detach, EINVAL, { } },
	{ }
};
