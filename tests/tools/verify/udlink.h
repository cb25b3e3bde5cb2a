/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_UDLINK_H
#define VERIFY_UDLINK_H

#include "buf.h"
#include "link.h"

#define GRH_LEN		40
#define UD_SLOT		8192

/* A UD QP with one slot of memory a message, and an address handle of the peer. */
struct ud {
	struct test *t;
	struct link *l;
	struct buf *b;
	struct ibv_ah *ah;
	u32 mtu;		/* the most payload, in bytes */
};

/* What the GRH of a received datagram must say. */
struct grh_want {
	u32 len;		/* of the payload */
	bool imm;
	u8 traffic_class;
};

void ud_defaults(struct test *t, struct link_opts *o);
struct ud *ud_open(struct test *t, const struct link_opts *o, u32 slots);
struct ud *ud_open_plain(struct test *t, u32 slots);
struct ibv_ah *ud_ah(struct ud *u, u8 traffic_class);

/* A SEND of pattern bytes with key test key + @id, from slot @id. */
struct ibv_send_wr ud_wr(struct ud *u, u64 id, struct ibv_sge *sge, u32 len);
void ud_send(struct ud *u, u64 id, u32 len);
/* A receive into slot @id, @off bytes in, for @len bytes of payload. */
void ud_recv(struct ud *u, u64 id, u32 off, u32 len);
/* Takes the completion of receive @id, which must hold message @msg of @want->len bytes. */
void ud_expect(struct ud *u, u64 id, u32 off, u64 msg, const struct grh_want *want);
/* The same, at most that the address is checked; the completion is given. */
void ud_check(struct ud *u, const struct ibv_wc *wc, u64 id, u32 off, u64 msg,
	      const struct grh_want *want);
void grh_check(struct test *t, const u8 *grh, const union ibv_gid *sgid,
	       const struct grh_want *want);

#endif
