// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets and the opcode table. Buffers are allocated to the byte, so that KASAN sees a read or
 * write that goes beyond.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "wire/packet.h"
#include "wire/psn.h"

#define KNOWN_OPCODES	78

static bool known(unsigned int opcode)
{
	return svt_opcode_info(opcode)->flags;
}

static u32 header_length(unsigned int opcode)
{
	return svt_opcode_info(opcode)->header_length;
}

/* A packet with something in every field, as wide as on the wire */
static void fill(struct svt_packet *packet, u8 opcode)
{
	get_random_bytes(packet, sizeof(*packet));
	packet->info = svt_opcode_info(opcode);
	packet->opcode = opcode;
	packet->pad = packet->info->flags & SVT_OP_PAYLOAD ? get_random_u32_below(4) : 0;
	packet->psn &= SVT_PSN_MASK;
	packet->dest_qpn &= SVT_QPN_MASK;
	packet->src_qpn &= SVT_QPN_MASK;
	packet->srq_num &= SVT_SRQN_MASK;
	packet->msn &= SVT_PSN_MASK;
	packet->placement &= 15;
	packet->selectivity &= 3;
	packet->solicited = get_random_u32_below(2);
	packet->migrated = get_random_u32_below(2);
	packet->ack_request = get_random_u32_below(2);
	packet->fecn = get_random_u32_below(2);
	packet->becn = get_random_u32_below(2);
	packet->header_length = packet->info->header_length;
	packet->payload_length = packet->pad ? 64 - packet->pad : 0;
}

static void expect_same_bth(struct kunit *test, const struct svt_packet *a,
			    const struct svt_packet *b)
{
	KUNIT_EXPECT_PTR_EQ(test, a->info, b->info);
	KUNIT_EXPECT_EQ(test, a->opcode, b->opcode);
	KUNIT_EXPECT_EQ(test, a->psn, b->psn);
	KUNIT_EXPECT_EQ(test, a->dest_qpn, b->dest_qpn);
	KUNIT_EXPECT_EQ(test, a->pkey, b->pkey);
	KUNIT_EXPECT_EQ(test, a->pad, b->pad);
	KUNIT_EXPECT_EQ(test, a->solicited, b->solicited);
	KUNIT_EXPECT_EQ(test, a->migrated, b->migrated);
	KUNIT_EXPECT_EQ(test, a->ack_request, b->ack_request);
	KUNIT_EXPECT_EQ(test, a->fecn, b->fecn);
	KUNIT_EXPECT_EQ(test, a->becn, b->becn);
	KUNIT_EXPECT_EQ(test, a->header_length, b->header_length);
	KUNIT_EXPECT_EQ(test, a->payload_length, b->payload_length);
}

static void expect_same_extended(struct kunit *test, const struct svt_packet *a,
				 const struct svt_packet *b)
{
	u32 flags = a->info->flags;

	if (flags & SVT_OP_XRCETH)
		KUNIT_EXPECT_EQ(test, a->srq_num, b->srq_num);
	if (flags & SVT_OP_DETH) {
		KUNIT_EXPECT_EQ(test, a->qkey, b->qkey);
		KUNIT_EXPECT_EQ(test, a->src_qpn, b->src_qpn);
	}
	if (flags & (SVT_OP_RETH | SVT_OP_ATOMIC_ETH)) {
		KUNIT_EXPECT_EQ(test, a->remote_addr, b->remote_addr);
		KUNIT_EXPECT_EQ(test, a->rkey, b->rkey);
	}
	if (flags & SVT_OP_RETH)
		KUNIT_EXPECT_EQ(test, a->dma_length, b->dma_length);
	if (flags & SVT_OP_FETH) {
		KUNIT_EXPECT_EQ(test, a->placement, b->placement);
		KUNIT_EXPECT_EQ(test, a->selectivity, b->selectivity);
	}
	if (flags & SVT_OP_ATOMIC_ETH) {
		KUNIT_EXPECT_EQ(test, a->swap_add, b->swap_add);
		KUNIT_EXPECT_EQ(test, a->compare, b->compare);
	}
	if (flags & SVT_OP_ATOMIC_ACK)
		KUNIT_EXPECT_EQ(test, a->atomic_original, b->atomic_original);
	if (flags & SVT_OP_AETH) {
		KUNIT_EXPECT_EQ(test, a->msn, b->msn);
		KUNIT_EXPECT_EQ(test, a->syndrome, b->syndrome);
	}
	if (flags & SVT_OP_IMM)
		KUNIT_EXPECT_EQ(test, (__force u32)a->imm_data, (__force u32)b->imm_data);
	if (flags & SVT_OP_IETH)
		KUNIT_EXPECT_EQ(test, a->invalidate_rkey, b->invalidate_rkey);
}

static void every_opcode_parses_to_what_was_built(struct kunit *test)
{
	unsigned int opcode, round;

	for (opcode = 0; opcode < 256; opcode++) {
		u32 length = svt_opcode_info(opcode)->header_length;
		u8 *bytes;

		if (!known(opcode))
			continue;
		bytes = kunit_kmalloc(test, length, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, bytes);
		for (round = 0; round < 20; round++) {
			struct svt_packet built, parsed;
			u32 payload;

			fill(&built, opcode);
			payload = built.payload_length + built.pad;
			KUNIT_ASSERT_EQ(test, svt_packet_build(&built, bytes), length);
			KUNIT_ASSERT_EQ(test, SVT_PARSE_OK,
					svt_packet_parse(&parsed, bytes, length, length + payload));
			expect_same_bth(test, &built, &parsed);
			expect_same_extended(test, &built, &parsed);
		}
	}
}

static void only_opcodes_of_rc_uc_ud_and_xrc_are_known(struct kunit *test)
{
	unsigned int opcode, count = 0;
	u8 bytes[SVT_HEADER_MAX] = { };
	struct svt_packet packet;

	for (opcode = 0; opcode < 256; opcode++) {
		/* The reserved ones too, which are refused */
		bool rc = opcode <= 0x1f;
		bool uc = opcode >= 0x20 && opcode <= 0x2b;
		bool ud = opcode == 0x64 || opcode == 0x65;
		bool xrc = opcode >= 0xa0 && opcode <= 0xbf;
		bool any = rc || uc || ud || xrc;

		bytes[0] = opcode;
		KUNIT_EXPECT_EQ_MSG(test, known(opcode), any, "opcode 0x%02x", opcode);
		KUNIT_EXPECT_EQ_MSG(test, any ? SVT_PARSE_OK : SVT_PARSE_OPCODE,
				    svt_packet_parse(&packet, bytes, sizeof(bytes),
						     known(opcode) ? header_length(opcode) : 40),
				    "opcode 0x%02x", opcode);
		count += known(opcode);
	}
	KUNIT_EXPECT_EQ(test, count, KNOWN_OPCODES);
}

static void an_unknown_opcode_is_not_built(struct kunit *test)
{
	struct svt_packet packet = { .opcode = 0xff };
	u8 bytes[SVT_HEADER_MAX] = { [0] = 0x55 };

	KUNIT_EXPECT_EQ(test, svt_packet_build(&packet, bytes), 0);
	KUNIT_EXPECT_EQ(test, bytes[0], 0x55);
}

static enum svt_service service_of(unsigned int opcode)
{
	static const enum svt_service services[] = {
		[0] = SVT_SERVICE_RC,
		[1] = SVT_SERVICE_UC,
		[3] = SVT_SERVICE_UD,
		[5] = SVT_SERVICE_XRC,
	};

	return services[opcode >> 5];
}

static void the_table_agrees_with_itself(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct svt_opcode_info *info = svt_opcode_info(opcode);
		u32 flags = info->flags, length = SVT_BTH_BYTES;

		if (!flags)
			continue;
		length += flags & SVT_OP_XRCETH ? SVT_XRCETH_BYTES : 0;
		length += flags & SVT_OP_DETH ? SVT_DETH_BYTES : 0;
		length += flags & SVT_OP_FETH ? SVT_FETH_BYTES : 0;
		length += flags & SVT_OP_RETH ? SVT_RETH_BYTES : 0;
		length += flags & SVT_OP_ATOMIC_ETH ? SVT_ATOMIC_ETH_BYTES : 0;
		length += flags & SVT_OP_AETH ? SVT_AETH_BYTES : 0;
		length += flags & SVT_OP_ATOMIC_ACK ? SVT_ATOMIC_ACK_BYTES : 0;
		length += flags & SVT_OP_IMM ? SVT_IMM_BYTES : 0;
		length += flags & SVT_OP_IETH ? SVT_IETH_BYTES : 0;
		KUNIT_EXPECT_EQ_MSG(test, info->header_length, length, "%s", info->name);
		KUNIT_EXPECT_LE(test, length, SVT_HEADER_MAX);
		/* Either a request or a response */
		KUNIT_EXPECT_NE_MSG(test, !(flags & SVT_OP_REQUEST), !(flags & SVT_OP_RESPONSE),
				    "%s", info->name);
		KUNIT_EXPECT_EQ_MSG(test, info->service, service_of(opcode), "%s", info->name);
		/* Every request of XRC names an SRQ, if it is one */
		KUNIT_EXPECT_EQ_MSG(test, !(flags & SVT_OP_XRCETH),
				    info->service != SVT_SERVICE_XRC ||
				    flags & (SVT_OP_RESPONSE | SVT_OP_RESERVED),
				    "%s", info->name);
		/* Immediate data and keys to invalidate come with the end of a message */
		if (flags & (SVT_OP_IMM | SVT_OP_IETH))
			KUNIT_EXPECT_TRUE_MSG(test, flags & SVT_OP_LAST, "%s", info->name);
		/* A WRITE says where it goes in its first packet */
		if (flags & SVT_OP_WRITE)
			KUNIT_EXPECT_EQ_MSG(test, !(flags & SVT_OP_FIRST), !(flags & SVT_OP_RETH),
					    "%s", info->name);
	}
}

static void a_packet_cut_anywhere_in_its_headers_is_short(struct kunit *test)
{
	unsigned int opcode;
	u32 cut;

	for (opcode = 0; opcode < 256; opcode++) {
		u8 whole[SVT_HEADER_MAX] = { opcode };
		struct svt_packet packet;

		for (cut = 0; known(opcode) && cut < header_length(opcode); cut++) {
			u8 *bytes = kmemdup(whole, cut, GFP_KERNEL);

			KUNIT_EXPECT_EQ(test, SVT_PARSE_SHORT,
					svt_packet_parse(&packet, bytes, cut, cut));
			/* The rest of it is somewhere, but not to be read */
			KUNIT_EXPECT_EQ(test, SVT_PARSE_SHORT,
					svt_packet_parse(&packet, bytes, cut, 4096));
			/* There is more to be read, but it is not of the packet */
			KUNIT_EXPECT_EQ(test, SVT_PARSE_SHORT,
					svt_packet_parse(&packet, whole, sizeof(whole), cut));
			kfree(bytes);
		}
	}
}

static void an_opcode_without_headers_is_refused_before_it_is_read(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, SVT_BTH_BYTES, GFP_KERNEL);
	struct svt_packet packet;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	bytes[0] = 0xff;
	KUNIT_EXPECT_EQ(test, SVT_PARSE_OPCODE,
			svt_packet_parse(&packet, bytes, SVT_BTH_BYTES, 48));
}

static enum svt_parse_result parse_payload(u8 opcode, u8 pad, u32 payload, u32 *data)
{
	u8 bytes[SVT_HEADER_MAX] = { opcode, pad << 4 };
	struct svt_packet packet = { };
	enum svt_parse_result result;

	result = svt_packet_parse(&packet, bytes, sizeof(bytes), header_length(opcode) + payload);
	*data = packet.payload_length;
	return result;
}

static void pad_is_taken_off_the_payload(struct kunit *test)
{
	u32 pad, data;

	for (pad = 0; pad < 4; pad++) {
		KUNIT_EXPECT_EQ(test, parse_payload(0x04, pad, 256, &data), SVT_PARSE_OK);
		KUNIT_EXPECT_EQ(test, data, 256 - pad);
	}
	KUNIT_EXPECT_EQ(test, parse_payload(0x04, 3, 4, &data), SVT_PARSE_OK);
	KUNIT_EXPECT_EQ(test, data, 1);
	KUNIT_EXPECT_EQ(test, parse_payload(0x04, 0, 0, &data), SVT_PARSE_OK);
	KUNIT_EXPECT_EQ(test, data, 0);
}

static void more_pad_than_payload_is_refused(struct kunit *test)
{
	u32 pad, data;

	for (pad = 1; pad < 4; pad++) {
		KUNIT_EXPECT_EQ(test, parse_payload(0x04, pad, 0, &data), SVT_PARSE_PAD);
		KUNIT_EXPECT_EQ(test, parse_payload(0x11, pad, 0, &data), SVT_PARSE_PAD);
	}
}

static void a_payload_that_is_not_a_multiple_of_4_is_refused(struct kunit *test)
{
	u32 payload, data;

	for (payload = 1; payload < 64; payload++)
		KUNIT_EXPECT_EQ(test, parse_payload(0x64, 0, payload, &data),
				payload % 4 ? SVT_PARSE_PAD : SVT_PARSE_OK);
}

static void payload_where_none_may_be_is_refused(struct kunit *test)
{
	unsigned int opcode;
	u32 data;

	for (opcode = 0; opcode < 256; opcode++) {
		if (!known(opcode))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, parse_payload(opcode, 0, 4, &data),
				    svt_opcode_info(opcode)->flags & SVT_OP_PAYLOAD ?
				    SVT_PARSE_OK : SVT_PARSE_PAD,
				    "%s", svt_opcode_info(opcode)->name);
	}
	KUNIT_EXPECT_EQ(test, parse_payload(0x0c, 0, 4, &data), SVT_PARSE_PAD);
	KUNIT_EXPECT_EQ(test, parse_payload(0x11, 0, 4, &data), SVT_PARSE_PAD);
	KUNIT_EXPECT_EQ(test, parse_payload(0x12, 0, 4, &data), SVT_PARSE_PAD);
	KUNIT_EXPECT_EQ(test, parse_payload(0x13, 0, 4, &data), SVT_PARSE_PAD);
}

static void another_version_is_refused(struct kunit *test)
{
	u8 bytes[SVT_BTH_BYTES] = { 0x04 };
	struct svt_packet packet;
	unsigned int version;

	for (version = 1; version < 16; version++) {
		bytes[1] = version;
		KUNIT_EXPECT_EQ(test, SVT_PARSE_VERSION,
				svt_packet_parse(&packet, bytes, sizeof(bytes), sizeof(bytes)));
	}
}

static void reserved_bits_are_ignored(struct kunit *test)
{
	u8 bytes[] = { 0x04, 0, 0xff, 0xff, 0x3f, 0x12, 0x34, 0x56, 0x7f, 0xab, 0xcd, 0xef };
	struct svt_packet packet;

	KUNIT_ASSERT_EQ(test, SVT_PARSE_OK,
			svt_packet_parse(&packet, bytes, sizeof(bytes), sizeof(bytes)));
	KUNIT_EXPECT_EQ(test, packet.dest_qpn, 0x123456);
	KUNIT_EXPECT_EQ(test, packet.psn, 0xabcdef);
	KUNIT_EXPECT_FALSE(test, packet.fecn);
	KUNIT_EXPECT_FALSE(test, packet.becn);
	KUNIT_EXPECT_FALSE(test, packet.ack_request);
}

static void a_write_with_immediate_has_the_bytes_of_the_specification(struct kunit *test)
{
	static const u8 expected[] = {
		0x0b, 0xe0, 0x12, 0x34, 0xc0, 0x00, 0x01, 0x02, 0x80, 0xff, 0xff, 0xfe,
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xde, 0xad, 0xbe, 0xef,
		0x80, 0x00, 0x00, 0x00, 0xca, 0xfe, 0xba, 0xbe,
	};
	struct svt_packet packet = {
		.opcode = 0x0b, .solicited = true, .migrated = true, .pad = 2, .pkey = 0x1234,
		.fecn = true, .becn = true, .dest_qpn = 0x102, .ack_request = true,
		.psn = 0xfffffe, .remote_addr = 0x0123456789abcdefULL, .rkey = 0xdeadbeef,
		.dma_length = 0x80000000, .imm_data = cpu_to_be32(0xcafebabe),
	};
	u8 bytes[SVT_HEADER_MAX];

	KUNIT_ASSERT_EQ(test, svt_packet_build(&packet, bytes), sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, bytes, expected, sizeof(expected));
}

static void a_compare_swap_has_the_bytes_of_the_specification(struct kunit *test)
{
	static const u8 expected[] = {
		0x13, 0x00, 0xff, 0xff, 0x00, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x11, 0x22, 0x33, 0x44,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	};
	struct svt_packet packet = {
		.opcode = 0x13, .pkey = SVT_DEFAULT_PKEY, .dest_qpn = SVT_QPN_MULTICAST, .psn = 1,
		.remote_addr = 0x1000, .rkey = 0x11223344,
		.swap_add = 0x0102030405060708ULL, .compare = 0x1112131415161718ULL,
	};
	u8 bytes[SVT_HEADER_MAX];

	KUNIT_ASSERT_EQ(test, svt_packet_build(&packet, bytes), sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, bytes, expected, sizeof(expected));
}

static void an_atomic_acknowledge_has_the_bytes_of_the_specification(struct kunit *test)
{
	static const u8 expected[] = {
		0x12, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x07,
		0x1f, 0x00, 0x00, 0x2a, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	struct svt_packet packet = {
		.opcode = 0x12, .pkey = SVT_DEFAULT_PKEY, .dest_qpn = 0x11, .psn = 7,
		.syndrome = 0x1f, .msn = 42, .atomic_original = 0x8000000000000001ULL,
	};
	u8 bytes[SVT_HEADER_MAX];

	KUNIT_ASSERT_EQ(test, svt_packet_build(&packet, bytes), sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, bytes, expected, sizeof(expected));
}

static void a_datagram_with_immediate_has_the_bytes_of_the_specification(struct kunit *test)
{
	static const u8 expected[] = {
		0x65, 0x10, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00,
		0x80, 0x01, 0x00, 0x00, 0x00, 0x65, 0x43, 0x21, 0x00, 0x00, 0x00, 0x05,
	};
	struct svt_packet packet = {
		.opcode = 0x65, .pkey = SVT_DEFAULT_PKEY, .pad = 1, .dest_qpn = 1, .psn = 0x800000,
		.qkey = 0x80010000, .src_qpn = 0x654321, .imm_data = cpu_to_be32(5),
	};
	u8 bytes[SVT_HEADER_MAX];

	KUNIT_ASSERT_EQ(test, svt_packet_build(&packet, bytes), sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, bytes, expected, sizeof(expected));
}

static void random_bytes_never_give_a_wrong_length(struct kunit *test)
{
	unsigned int round, good = 0;

	for (round = 0; round < 20000; round++) {
		u32 length = get_random_u32_below(64);
		u32 available = get_random_u32_below(64);
		u8 *bytes = kmalloc(available, GFP_KERNEL);
		struct svt_packet packet;

		get_random_bytes(bytes, available);
		if (available > 1)
			bytes[1] &= 0xf0;
		if (svt_packet_parse(&packet, bytes, available, length) == SVT_PARSE_OK) {
			KUNIT_EXPECT_EQ(test, length, packet.header_length +
					packet.payload_length + packet.pad);
			KUNIT_EXPECT_LE(test, packet.header_length, available);
			good++;
		}
		kfree(bytes);
	}
	KUNIT_EXPECT_GT(test, good, 0);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(every_opcode_parses_to_what_was_built),
	KUNIT_CASE(only_opcodes_of_rc_uc_ud_and_xrc_are_known),
	KUNIT_CASE(an_unknown_opcode_is_not_built),
	KUNIT_CASE(the_table_agrees_with_itself),
	KUNIT_CASE(a_packet_cut_anywhere_in_its_headers_is_short),
	KUNIT_CASE(an_opcode_without_headers_is_refused_before_it_is_read),
	KUNIT_CASE(pad_is_taken_off_the_payload),
	KUNIT_CASE(more_pad_than_payload_is_refused),
	KUNIT_CASE(a_payload_that_is_not_a_multiple_of_4_is_refused),
	KUNIT_CASE(payload_where_none_may_be_is_refused),
	KUNIT_CASE(another_version_is_refused),
	KUNIT_CASE(reserved_bits_are_ignored),
	KUNIT_CASE(a_write_with_immediate_has_the_bytes_of_the_specification),
	KUNIT_CASE(a_compare_swap_has_the_bytes_of_the_specification),
	KUNIT_CASE(an_atomic_acknowledge_has_the_bytes_of_the_specification),
	KUNIT_CASE(a_datagram_with_immediate_has_the_bytes_of_the_specification),
	KUNIT_CASE(random_bytes_never_give_a_wrong_length),
	{ }
};

static struct kunit_suite wire_suite = {
	.name = "svt-wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);
