// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_raw DEVICE receive COUNT RULE...	prints "ready", then for each frame "LENGTH ok|- HEX"; ok:
 *					its checksums are right
 * svt_raw DEVICE send FLAG... HEX...	each frame; prints the status of each completion
 * svt_raw DEVICE zeros LENGTH		a frame of zeros of any length, likewise
 * svt_raw -d DEVICE [NAME...]		is a suite: the errnos of rules that are wrong
 *
 * With the word "shared" behind DEVICE the receives are an SRQ's.
 *
 * A RULE is sniffer, all, mc, or the words dst=MAC src=MAC type=N vlan=N ip4=ADDRESS ip6=ADDRESS
 * udp=PORT tcp=PORT of one rule.
 * FLAG is checksum or inline. All but the suite exits with the errno of what failed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "number.h"
#include "raw.h"

static void show(const struct raw *raw, const struct ibv_wc *wc)
{
	const u8 *frame = raw_frame(raw, wc->wr_id);
	u32 i;

	printf("%u %s ", wc->byte_len, wc->wc_flags & IBV_WC_IP_CSUM_OK ? "ok" : "-");
	for (i = 0; i < wc->byte_len; i++)
		printf("%02x", frame[i]);
	printf("\n");
}

static int receive_all(const struct raw *raw, u64 count)
{
	struct ibv_wc wc;
	int n;

	printf("ready\n");
	while (count) {
		n = ibv_poll_cq(raw->cq, 1, &wc);
		if (!n)
			continue;
		if (n < 0 || wc.status != IBV_WC_SUCCESS)
			return -EIO;
		show(raw, &wc);
		if (raw_post(raw, wc.wr_id))
			return -EIO;
		count--;
	}
	return 0;
}

static int bad_word(const char *word)
{
	complain(word, EINVAL);
	return -EINVAL;
}

static int receive(const struct raw *raw, u64 count, char **words)
{
	struct ibv_flow *flow;
	struct rule rule;
	unsigned int i;
	int err;

	rule_begin(&rule);
	for (; *words; words++)
		if (!rule_word(&rule, *words))
			return bad_word(*words);
	for (i = 0; i < FRAMES; i++)
		if (raw_post(raw, i))
			return -EIO;
	flow = ibv_create_flow(raw->qp, &rule.attr);
	if (!flow) {
		err = errno;
		complain("create flow", err);
		return -err;
	}
	err = receive_all(raw, count);
	ibv_destroy_flow(flow);
	return err;
}

static u32 from_hex(const char *text, u8 *bytes)
{
	u32 length;

	for (length = 0; length < FRAME_BYTES && sscanf(text, "%2hhx", bytes + length) == 1;
	     length++, text += 2)
		;
	return length;
}

static int show_status(int status)
{
	printf("%s\n", status < 0 ? "none" : ibv_wc_status_str(status));
	return status ? -EIO : 0;
}

static int send_hex(const struct raw *raw, const char *text, unsigned int flags, bool inlined)
{
	return show_status(raw_send(raw, from_hex(text, raw->memory), flags, inlined));
}

static int send_all(const struct raw *raw, char **words)
{
	unsigned int flags = 0;
	bool inlined = false;
	int err = 0;

	for (; *words; words++) {
		if (!strcmp(*words, "checksum"))
			flags = IBV_SEND_IP_CSUM;
		else if (!strcmp(*words, "inline"))
			inlined = true;
		else if (send_hex(raw, *words, flags, inlined))
			err = -EIO;
	}
	return err;
}

static int run(struct raw *raw, char **argv)
{
	if (!strcmp(argv[0], "receive") && argv[1])
		return receive(raw, number_of(argv[1], UINT32_MAX), argv + 2);
	if (!strcmp(argv[0], "send"))
		return send_all(raw, argv + 1);
	if (!strcmp(argv[0], "zeros") && argv[1])
		return show_status(raw_send(raw, number_of(argv[1], FRAME_BYTES), 0, false));
	return bad_word(argv[0]);
}

static int use(int argc, char **argv)
{
	bool shared = argc > 2 && !strcmp(argv[2], "shared");
	struct raw raw;
	int err;

	if (argc < 3 + shared)
		return 255;
	setlinebuf(stdout);
	err = raw_open(&raw, argv[1], shared);
	if (!err)
		err = run(&raw, argv + 2 + shared);
	raw_close(&raw);
	return -err;
}

static const char *device;
static struct raw tested;

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &device, "RDMA device" },
	{ }
};

static bool check(void)
{
	return device;
}

static int setup(void)
{
	return raw_open(&tested, device, false);
}

static void teardown(void)
{
	raw_close(&tested);
}

static void each(const struct suite_case *c)
{
	struct test t = { c, &tested };

	suite_call(c->run, &t);
}

static const struct suite_case *const tables[] = { errno_cases, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [NAME...]",
	.options = options,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.each = each,
};

int main(int argc, char **argv)
{
	if (argc > 1 && *argv[1] != '-')
		return use(argc, argv);
	return suite_main(argc, argv, &suite);
}
