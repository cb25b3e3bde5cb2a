/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef CONFORM_H
#define CONFORM_H

#include "dev.h"
#include "flush.h"
#include "peer.h"
#include "qpattr.h"
#include "suite.h"

/**
 * DOC: the words that rules are written in
 *
 * A rule is a row of a table at the end of a file. Its function connects a QP of the device to the
 * peer, sends packets as the peer, and says what the device must answer::
 *
 *	static void duplicate_send(struct test *t)
 *	{
 *		connect_qp(t, IBV_QPT_RC);
 *		post_receive(t, 64);
 *		ask(t, OP_SEND_ONLY, 0, 8);
 *		expect_ack(t, 0);
 *		ask(t, OP_SEND_ONLY, 0, 8);
 *		expect_ack(t, 0);
 *	}
 *
 * PSNs are counted from the first that each side sends. Each word notes what it does: the columns
 * "input", "expected" and "seen" of a row are these notes. The first word that does not find what
 * it expects ends the row.
 */

#define MTU		1024
#define ZONE_BYTES	(16 * MTU)
#define CREDITS_NONE	31	/* in the AETH: nothing is said of them */
#define COLUMN_MAX	4096
#define PSN_FIRST	0x2000	/* of the peer's requests */
#define PSN_OWN		0x5000	/* of the device's */
#define MESSAGES_MAX	64
#define PEER_SRQ	0x123456
#define OPCODE_CNP	0x81	/* RoCE v2: congestion notification */

enum syndrome {
	SYNDROME_RNR		= 0x20,		/* and the timer */
	NAK_SEQUENCE		= 0x60,
	NAK_INVALID_REQUEST	= 0x61,
	NAK_REMOTE_ACCESS	= 0x62,
	NAK_REMOTE_OPERATIONAL	= 0x63,
	NAK_INVALID_RD_REQUEST	= 0x64,
};

/* Memory of the device's side, by what is allowed with it */
enum zone {
	ZONE_LOCAL,		/* what the device sends, and where it receives */
	ZONE_SINK,		/* where its READs and atomics go */
	ZONE_REMOTE,		/* all rights */
	ZONE_READ,		/* READ only */
	ZONE_WRITE,		/* WRITE only */
	ZONE_OTHER_PD,		/* all rights, for QPs of another PD */
	ZONES,
};

/* What all rows share. */
struct world {
	struct dev dev;
	struct peer peer;
	struct ibv_pd *pd, *other_pd;
	struct ibv_mr *mr[ZONES];
	u8 *memory[ZONES];
	bool atomics;
	bool invalidates;	/* SEND with invalidate */
	bool windows;		/* of type 2 */
	bool flushes;		/* FLUSH with global placement */
	bool atomic_writes;
	const char *interface;
	const char *device;
	const char *address;	/* of the peer, NULL: beside the device's */
	u32 gid_index;
	const char *table;	/* file for the reST table */
	bool deviations;	/* which has no rows that passed */
	bool counters;		/* what is dropped has to be counted */
};

struct rule {
	const char *id;
	void (*run)(struct test *t);
	const char *clause;	/* of the IBTA specification, volume 1 */
	const char *says;
	const void *arg;
	enum ibv_qp_type type;	/* for connect_requester(), 0: RC */
};

/* A rule that is RC's, for an XRC INI QP */
#define XRC_RULE(name, run, clause, says, ...) \
	{ "xrc_" name, run, "A14, " clause, says, \
	  .type = IBV_QPT_XRC_SEND, ##__VA_ARGS__ }

/* A row that runs. */
struct test {
	struct world *w;
	const struct rule *rule;
	struct qp_path path;		/* a rule may change it before connect_qp() */
	u32 max_receives;		/* likewise */
	u64 more_ops;			/* likewise: that need the extended verbs */
	u8 traffic_class;		/* of what the peer sends */
	bool not_migrated;		/* likewise: MigReq is 0 */
	u8 service;
	u32 peer_qpn;
	u32 peer_msn;			/* -1: what is acknowledged */
	u8 peer_credits;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mw *mw;
	struct ibv_srq *srq;		/* XRC */
	struct ibv_xrcd *xrcd;
	union ibv_gid group;		/* that the QP is attached to, if it is */
	bool in_group;
	int membership;			/* a socket */
	u32 posted, receives;		/* numbers of work requests */
	u32 message_at;			/* bytes of the device's message so far */
	int ends[MESSAGES_MAX];		/* PSNs that end a message of the device */
	u32 num_ends;
	struct packet out;		/* to the device */
	struct packet in;		/* from it */
	struct ibv_wc wc;
	bool has_wc;			/* that no rule has looked at */
	bool has_in;			/* likewise */
	bool dropped;			/* the device, what the peer sent */
	const char *but;		/* how @out is not right */
	char input[COLUMN_MAX], expected[COLUMN_MAX], seen[COLUMN_MAX];
};

/* ---- what the device does (device.c) ---- */

/* Memory and protection domains. Return: 0, or -1 with a line on stderr. */
int world_open(struct world *w);
void world_close(struct world *w);
/* Memory of a zone again as it was: a pattern that depends on the offset */
void fill_zones(struct world *w);
u8 pattern(u32 zone, u32 offset);
/* What the peer's packets carry */
u8 payload_byte(u32 offset);

/* With its channel, unless it is there */
void open_cq(struct test *t);
/* Skips the row where the device has none. */
void need_xrc(struct test *t);
/* A QP to the peer, by t->path. Skips the row where the device has none of the kind. */
void connect_qp(struct test *t, enum ibv_qp_type type);
/* Of the kind that the row is about, for rules that are RC's and XRC's */
void connect_requester(struct test *t);
void close_qp(struct test *t);
/* A receive of @length bytes. Return: its number. */
u32 post_receive(struct test *t, u32 length);
void post_receives(struct test *t, u32 count, u32 length);
u32 post_receive_in(struct test *t, enum zone into, u32 length);
/* A request of @length bytes. Return: its number. */
u32 post(struct test *t, enum ibv_wr_opcode opcode, u32 length);
/* The same with IBV_SEND_SOLICITED, IBV_SEND_FENCE ... */
u32 post_flags(struct test *t, enum ibv_wr_opcode opcode, u32 length, u32 flags);
/* An ATOMIC WRITE or FLUSH; t->more_ops has to have them. Return: its number. */
u32 post_atomic_write(struct test *t);
u32 post_flush(struct test *t, u32 length, u8 selectivity);
/* A number of receives is told of as such */
#define RECEIVE		0x1000

/* ---- what the peer sends (say.c) ---- */

/* A right request: operation, PSN, bytes of payload, or that are read. Goes with put(). */
struct packet *request(struct test *t, u8 operation, int psn, u32 length);
/* It is wrong, in words for the column. */
void but(struct test *t, const char *what);
void put(struct test *t);
/* request() and put() */
void ask(struct test *t, u8 operation, int psn, u32 length);
/* Acknowledges the device's request; @syndrome as in the AETH, 0: an ACK */
void answer(struct test *t, u8 syndrome, int psn);
/* A READ response, whose payload begins at @offset of what is read */
struct packet *response(struct test *t, u8 operation, int psn, u32 offset, u32 length);
void respond(struct test *t, u8 operation, int psn, u32 offset, u32 length);
void answer_atomic(struct test *t, int psn, u64 original);
/* What a congested network has the peer send */
void notify_congestion(struct test *t, int psn);

/* ---- what the device must do (expect.c) ---- */

/* An ACK of @psn; earlier ones may come before it */
void expect_ack(struct test *t, int psn);
void expect_nak(struct test *t, enum syndrome nak, int psn);
/* The clause leaves the choice. */
void expect_refusal(struct test *t, enum syndrome nak, enum syndrome other, int psn);
/* Whether the next answer is that NAK, where the clause leaves the choice; else it stays. */
bool is_refused(struct test *t, enum syndrome nak, int psn);
void expect_rnr(struct test *t, u8 timer, int psn);
/* Packets of a READ response, @first of the original's, from PSN and offset on */
void expect_response(struct test *t, u8 operation, int psn, u32 offset, u32 length);
/* All responses to a READ of @length bytes from @offset on */
void expect_read(struct test *t, int psn, u32 offset, u32 length);
void expect_atomic(struct test *t, int psn, u64 original);
/* No answer but those that came: a right request with the PSN @psn is answered next. */
void expect_no_other(struct test *t, int psn);
/* The same because something was dropped or ignored, which svt has to count */
void expect_silence(struct test *t, int psn);
/* Nothing is answered to a kind of QP that never does; what follows must have shown it */
void expect_nothing(struct test *t);
/* The next request of the device; repeats of earlier ones are passed over */
struct packet *expect_request(struct test *t, u8 operation, int psn, u32 length);
/* It sends a request again that was sent before */
void expect_repeat(struct test *t, u8 operation, int psn);
/* No request beyond @psn for a moment: where nothing else can show that the device waits */
void expect_no_more(struct test *t, int psn);
/* Whether the request with that PSN comes once more before anything completes */
bool sends_again(struct test *t, int psn);
/* A condition on what came last */
void expect_that(struct test *t, bool holds, const char *what);
/* A number on what came last */
void expect_value(struct test *t, const char *what, u64 value, u64 wanted);

/* The next completion. Return: for more looks at it. */
struct ibv_wc *expect_completion(struct test *t, u32 number, enum ibv_wc_status status);
/* With one of two, between which the clause leaves the choice */
void expect_failure(struct test *t, u32 number, enum ibv_wc_status status,
		    enum ibv_wc_status other);
void expect_no_completion(struct test *t);
/* Whether there is a completion; it stays for those above. */
bool has_completed(struct test *t);
void expect_error_state(struct test *t);
/* What a message of the peer left in the receive, or in ZONE_REMOTE */
void expect_received(struct test *t, u32 length);
void expect_written(struct test *t, u32 length);
/* The peer sends a SEND twice: each is acknowledged, one is delivered */
void expect_one_delivery(struct test *t);
/* Where no ACK tells that a WRITE was carried out */
void await_written(struct test *t);
void expect_unwritten(struct test *t, u32 offset);
/* What a READ of the device has brought */
void expect_sink(struct test *t, u32 length);

/* ---- notes (note.c) ---- */

void note(char *column, const char *format, ...) __printf(2, 3);
const char *nak_name(u8 syndrome);
bool is_answer(u8 opcode);
/* A packet in words */
void note_packet(struct test *t, char *column, const struct packet *p);
/* Ends the row as failed */
void __noreturn deviates(struct test *t);

/* ---- multicast (group.c) ---- */

void leave_group(struct test *t);

/* For the table */
void report_row(const struct test *t);
int report_write(const struct world *w);

extern const struct rule order_rules[], psn_rules[], header_rules[], length_rules[];
extern const struct rule access_rules[], receive_rules[], replay_rules[], window_rules[];
extern const struct rule form_rules[], ack_rules[], nak_rules[], response_rules[];
extern const struct rule flow_rules[], uc_rules[], ud_rules[], xrc_rules[];
extern const struct rule placement_rules[], requester_placement_rules[], depth_rules[];
extern const struct rule congestion_rules[], migration_rules[], group_rules[];

#endif
