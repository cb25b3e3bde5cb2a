/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * svt_test: a kernel client of the verbs that tests the device below it.
 *
 * A test case is a function that is given a pair of QPs, connected to each other and with a buffer
 * each, and returns 0 or what kt_fail() returned. All that it makes belongs to the pair and goes
 * with it, so that a case may return at any point.
 */
#ifndef SVT_TEST_CLIENT_H
#define SVT_TEST_CLIENT_H

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

/* Bytes of an end's buffer */
#define KT_BUFFER	65536

/* What the queues of an end take */
#define KT_DEPTH	32
#define KT_SGES		6
#define KT_INLINE	128

/* Operations of one case, both ends together */
#define KT_OPERATIONS	160

#define KT_PORT		1
#define KT_QKEY		0x11223344

/* A UD receiver finds this many bytes in front of its data */
#define KT_GRH		40

/**
 * enum kt_flags - what a case needs
 * @KT_SRQ: the receives of end 1 come from an SRQ
 * @KT_EACH_POLL: run with each way to poll; otherwise IB_POLL_WORKQUEUE
 * @KT_RAW: CQs of ib_create_cq(), whose events are counted; nobody but kt_poll() polls them
 * @KT_RESET: the QPs are left in RESET
 * @KT_IMPATIENT: one retry after a short timeout
 * @KT_LOCAL_KEY: the PD of end 1 has no global rkey
 * @KT_CLOSE: a race that counts only once it went either way: run again until it did, KT_TRIES_MOST
 *	times at most
 * @KT_VECTOR: the CQs are on the last completion vector instead of the first
 * @KT_RACE: run KT_TRIES times, because what it is for needs luck
 */
enum kt_flags {
	KT_SRQ		= 1 << 0,
	KT_EACH_POLL	= 1 << 1,
	KT_RAW		= 1 << 2,
	KT_RESET	= 1 << 3,
	KT_IMPATIENT	= 1 << 4,
	KT_RACE		= 1 << 5,
	KT_VECTOR	= 1 << 6,
	KT_LOCAL_KEY	= 1 << 7,
	KT_CLOSE	= 1 << 8,
};

struct kt_pair;

/**
 * struct kt_case - a test
 * @name: one word
 * @type: of the QPs
 * @flags: enum kt_flags
 * @run: Return: 0, or as kt_fail()
 */
struct kt_case {
	const char *name;
	enum ib_qp_type type;
	unsigned int flags;
	int (*run)(struct kt_pair *pair);
};

/**
 * struct kt_end - one of two QPs that talk to each other, and what it needs
 * @pair: of which it is part
 * @peer: the other
 * @device: on which it is
 * @gid: its address, an IPv4 one
 * @gid_index: of @gid
 * @pd: with a global rkey, unless KT_LOCAL_KEY
 * @atomic_mr: all memory, for atomic operations as well
 * @cq: for sends (0) and receives (1)
 * @cq_events: how often the handler of a raw CQ was called
 * @srq: or NULL
 * @qp: the QP
 * @ah: of a datagram QP: to the peer
 * @buffer: KT_BUFFER bytes
 * @address: of @buffer, for work requests
 * @events: bit i: asynchronous event i of the QP or SRQ came
 */
struct kt_end {
	struct kt_pair *pair;
	struct kt_end *peer;
	struct ib_device *device;
	union ib_gid gid;
	int gid_index;
	struct ib_pd *pd;
	struct ib_mr *atomic_mr;
	struct ib_cq *cq[2];
	atomic_t cq_events[2];
	struct ib_srq *srq;
	struct ib_qp *qp;
	struct ib_ah *ah;
	u8 *buffer;
	u64 address;
	unsigned long events;
};

/**
 * struct kt_operation - a work request and its completion
 * @cqe: by which the CQ finds it
 * @end: where it was posted
 * @done: completed
 * @wc: how; good once @done
 * @order: among the completions of the pair, from 1
 * @cpu: where it was called
 */
struct kt_operation {
	struct ib_cqe cqe;
	struct kt_end *end;
	struct completion done;
	struct ib_wc wc;
	int order;
	unsigned int cpu;
};

/**
 * struct kt_pair - all of a running case
 * @test: case
 * @poll: how its CQs are polled
 * @why: what went wrong first
 * @end: the QPs
 * @completions: how many came
 * @used: how many of @operations are in use
 * @in_time: a racer won
 * @too_late: a racer lost
 * @operations: freed with the pair, so that a late completion finds its own
 * @private: of the case, freed with the pair
 */
struct kt_pair {
	const struct kt_case *test;
	enum ib_poll_context poll;
	char why[160];
	struct kt_end end[2];
	atomic_t completions;
	unsigned int used;
	bool in_time;
	bool too_late;
	struct kt_operation operations[KT_OPERATIONS];
	void *private;
};

/**
 * struct kt_request - a send request in short
 * @opcode: what to do
 * @flags: enum ib_send_flags; all are signalled that do not say KT_UNSIGNALLED
 * @offset: of the data in the own buffer
 * @length: bytes; 0: no scatter/gather entry
 * @pieces: scatter/gather entries; 0 means 1
 * @remote: offset in the buffer of the peer
 * @rkey: 0: that of the peer's PD
 * @imm: immediate data, in host order
 * @compare_add: of an atomic operation
 * @swap: likewise
 */
struct kt_request {
	enum ib_wr_opcode opcode;
	int flags;
	u32 offset;
	u32 length;
	u32 pieces;
	u32 remote;
	u32 rkey;
	u32 imm;
	u64 compare_add;
	u64 swap;
};

#define KT_UNSIGNALLED	BIT(30)

/* pair.c */
struct kt_pair *kt_pair_alloc(const struct kt_case *test, enum ib_poll_context poll,
			      struct ib_device *first, struct ib_device *second);
int kt_pair_open(struct kt_pair *pair);
void kt_pair_stop(struct kt_pair *pair);
void kt_pair_close(struct kt_pair *pair);
void kt_destroy_qp(struct kt_end *end);
int kt_modify(struct kt_end *end, enum ib_qp_state state);

/* operation.c */
__printf(2, 3) int kt_fail(struct kt_pair *pair, const char *format, ...);
struct kt_operation *kt_operation(struct kt_end *end);
int kt_sges(struct kt_end *end, struct ib_sge *sge, u32 offset, u32 length, u32 pieces);
struct kt_operation *kt_send(struct kt_end *end, const struct kt_request *request);
struct kt_operation *kt_recv(struct kt_end *end, u32 offset, u32 length, u32 pieces);
void kt_poll(struct kt_pair *pair);
int kt_wait(struct kt_pair *pair, struct completion *done, const char *what);
int kt_done(struct kt_operation *operation, enum ib_wc_status status);
int kt_received(struct kt_operation *operation, enum ib_wc_opcode opcode, u32 length);
int kt_not_done(struct kt_operation *operation);
int kt_event(struct kt_end *end, enum ib_event_type event);
void kt_fill(struct kt_end *end, u32 offset, u32 length, u8 seed);
int kt_check(struct kt_end *end, u32 offset, u32 length, u8 seed);

/* Each list ends with an empty case */
extern const struct kt_case kt_connected_cases[];
extern const struct kt_case kt_atomic_cases[];
extern const struct kt_case kt_chain_cases[];
extern const struct kt_case kt_rally_cases[];
extern const struct kt_case kt_handler_cases[];
extern const struct kt_case kt_datagram_cases[];
extern const struct kt_case kt_srq_cases[];
extern const struct kt_case kt_cq_cases[];
extern const struct kt_case kt_fast_cases[];
extern const struct kt_case kt_error_cases[];
extern const struct kt_case kt_teardown_cases[];

/* race.c */
extern const struct file_operations kt_race_fops;

#endif
