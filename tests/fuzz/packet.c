// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any bytes as a received packet: what svt_packet_parse() reads is there, what it accepts is what
 * svt_packet_build() makes, and what it refuses has the fault that it names.
 *
 * An input is how much longer (or shorter) the packet is than what can be read of it, the
 * alignment, and the bytes. They are copied to memory of just their size, so that ASan sees each
 * read beyond.
 */
#include <string.h>

#include "fuzz.h"
#include "packet.h"

#define INPUT_HEAD	3

/*
 * Which opcodes were accepted. They are rows of a table to the parser, no branches: told of this,
 * libFuzzer keeps an input for each.
 */
static u8 accepted[256] __attribute__((section("__libfuzzer_extra_counters")));

struct input {
	u8 *memory;
	const u8 *bytes;
	u32 available;		/* bytes that can be read */
	u32 length;		/* of the packet */
};

static bool take_input(struct input *in, const u8 *data, size_t size)
{
	u32 shift, beyond;

	if (size < INPUT_HEAD)
		return false;
	beyond = data[0] | (data[1] & 0x0f) << 8;
	shift = data[2] & 7;
	in->available = size - INPUT_HEAD;
	in->memory = malloc(in->available + shift);
	must(in->memory || !(in->available + shift));
	memcpy(in->memory + shift, data + INPUT_HEAD, in->available);
	in->bytes = in->memory + shift;
	in->length = in->available + beyond;
	if (data[1] & 0x80)
		in->length = beyond < in->available ? in->available - beyond : 0;
	return true;
}

static u32 readable(const struct input *in)
{
	return in->available < in->length ? in->available : in->length;
}

static bool bad_payload(const struct input *in)
{
	const struct svt_opcode_info *info = svt_opcode_info(in->bytes[0]);
	u32 payload = in->length - info->header_length;

	return payload % 4 || (in->bytes[1] >> 4 & 3) > payload ||
	       (payload && !(info->flags & SVT_OP_PAYLOAD));
}

static void check_refusal(const struct input *in, enum svt_parse_result result)
{
	const struct svt_opcode_info *info;

	if (result == SVT_PARSE_SHORT && readable(in) < SVT_BTH_BYTES)
		return;
	must(readable(in) >= SVT_BTH_BYTES);
	info = svt_opcode_info(in->bytes[0]);
	if (result == SVT_PARSE_VERSION) {
		must(in->bytes[1] & 0x0f);
	} else if (result == SVT_PARSE_OPCODE) {
		must(!info->flags);
	} else if (result == SVT_PARSE_SHORT) {
		must(info->flags && readable(in) < info->header_length);
	} else {
		must(result == SVT_PARSE_PAD);
		must(bad_payload(in));
	}
}

/* The bits of byte i that are not reserved: reserved ones are sent as zero, and not looked at */
static u8 used_bits(const struct svt_opcode_info *info, u32 i)
{
	u32 beyond = i - SVT_BTH_BYTES;

	if (i == 4)
		return 0xc0;
	if (i == 8)
		return 0x80;
	if (info->flags & SVT_OP_DETH && beyond == 4)
		return 0;
	if (info->flags & SVT_OP_XRCETH && beyond == 0)
		return 0;
	if (info->flags & SVT_OP_FETH && beyond < SVT_FETH_BYTES)
		return beyond == SVT_FETH_BYTES - 1 ? 0x3f : 0;
	return 0xff;
}

/* Built again, all but the reserved bits is as it was */
static void check_bytes(const struct input *in, const struct svt_packet *packet, const u8 *built)
{
	u32 i;

	for (i = 0; i < packet->header_length; i++)
		must((in->bytes[i] & used_bits(packet->info, i)) == built[i]);
}

static void check_packet(const struct input *in, const struct svt_packet *packet)
{
	u8 *built = malloc(packet->header_length);
	struct svt_packet again = { 0 };

	must(packet->info == svt_opcode_info(in->bytes[0]) && packet->info->flags);
	must(packet->header_length == packet->info->header_length);
	must(packet->header_length <= SVT_HEADER_MAX);
	must(packet->header_length + packet->payload_length + packet->pad == in->length);
	must(!bad_payload(in));
	must(packet->psn <= 0xffffff && packet->dest_qpn <= 0xffffff);
	must(packet->msn <= 0xffffff && packet->src_qpn <= 0xffffff);
	must(packet->srq_num <= 0xffffff);
	must(built);
	must(svt_packet_build(packet, built) == packet->header_length);
	check_bytes(in, packet, built);
	must(svt_packet_parse(&again, built, packet->header_length, in->length) == SVT_PARSE_OK);
	must(!memcmp(packet, &again, sizeof(again)));
	free(built);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct svt_packet packet = { 0 };
	enum svt_parse_result result;
	struct input in;

	if (!take_input(&in, data, size))
		return 0;
	result = svt_packet_parse(&packet, in.bytes, in.available, in.length);
	if (result == SVT_PARSE_OK) {
		accepted[packet.opcode] = 1;
		check_packet(&in, &packet);
	} else {
		check_refusal(&in, result);
	}
	free(in.memory);
	return 0;
}
