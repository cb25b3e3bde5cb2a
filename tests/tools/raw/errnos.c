// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is wrong with a rule, and the errno of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "raw.h"

static int expect(struct raw *raw, const char *what, struct rule *rule, int wanted)
{
	struct ibv_flow *flow = ibv_create_flow(raw->qp, &rule->attr);
	int err = flow ? 0 : errno;

	if (flow)
		ibv_destroy_flow(flow);
	if (err == wanted)
		return 0;
	printf("FAIL %s: %s, not %s\n", what, strerror(err), strerror(wanted));
	return 1;
}

static int of_words(struct raw *raw, const char *words, int wanted)
{
	char copy[128], *word;
	struct rule rule;

	rule_begin(&rule);
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		if (!rule_word(&rule, word))
			return printf("FAIL no rule: %s\n", words) > 0;
	return expect(raw, words, &rule, wanted);
}

static int of_spec(struct raw *raw, u32 type, u16 size, int wanted)
{
	struct ibv_flow_spec_eth *spec;
	struct rule rule;
	char what[64];

	rule_begin(&rule);
	spec = (void *)rule.specs;
	spec->type = type;
	spec->size = size;
	rule.attr.size += size;
	rule.attr.num_of_specs = 1;
	snprintf(what, sizeof(what), "specification %#x of %u bytes", type, size);
	return expect(raw, what, &rule, wanted);
}

static int of_attr(struct raw *raw)
{
	struct rule rule;
	int bad = 0;

	rule_begin(&rule);
	rule.attr.port = 2;
	bad += expect(raw, "port 2", &rule, EINVAL);
	rule_begin(&rule);
	rule.attr.type = 9;
	bad += expect(raw, "type 9", &rule, EINVAL);
	rule_begin(&rule);
	rule.attr.flags = IBV_FLOW_ATTR_FLAGS_EGRESS;
	bad += expect(raw, "egress", &rule, EOPNOTSUPP);
	rule_begin(&rule);
	rule.attr.flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	bad += expect(raw, "don't trap", &rule, 0);
	rule.attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	return bad + expect(raw, "default that does not trap", &rule, EINVAL);
}

static int twice(struct raw *raw)
{
	struct ibv_flow *flow;
	struct rule rule;
	int bad;

	rule_begin(&rule);
	if (!rule_word(&rule, "dst=02:00:00:00:00:09"))
		return 1;
	flow = ibv_create_flow(raw->qp, &rule.attr);
	if (!flow)
		return 1;
	bad = expect(raw, "the same rule again", &rule, 0);
	rule.attr.priority = 1;
	bad += expect(raw, "with another priority", &rule, 0);
	/* Its flow keeps the QP */
	if (ibv_destroy_qp(raw->qp) != EBUSY)
		bad++;
	return bad + !!ibv_destroy_flow(flow);
}

int raw_errnos(struct raw *raw)
{
	u16 size = sizeof(struct ibv_flow_spec_eth);
	int bad = 0;

	bad += of_words(raw, "dst=02:00:00:00:00:01 ip6=fd00::1 udp=5", 0);
	bad += of_words(raw, "type=0x86dd ip6=fd00::1", 0);
	bad += of_words(raw, "type=0x0800 ip6=fd00::1", EINVAL);
	bad += of_words(raw, "ip6=fd00::1 ip6=fd00::2", EINVAL);
	bad += of_words(raw, "udp=5 ip6=fd00::2", EINVAL);
	bad += of_words(raw, "sniffer dst=02:00:00:00:00:01", EINVAL);
	bad += of_words(raw, "sniffer", 0);
	bad += of_words(raw, "all", 0);
	bad += of_words(raw, "mc", 0);
	bad += of_spec(raw, IBV_FLOW_SPEC_ETH, size, 0);
	bad += of_spec(raw, IBV_FLOW_SPEC_GRE, sizeof(struct ibv_flow_spec_gre), EOPNOTSUPP);
	bad += of_spec(raw, IBV_FLOW_SPEC_ACTION_DROP, sizeof(struct ibv_flow_spec_action_drop),
		       EOPNOTSUPP);
	bad += of_spec(raw, IBV_FLOW_SPEC_ETH | IBV_FLOW_SPEC_INNER, size, EOPNOTSUPP);
	bad += of_attr(raw);
	return bad + twice(raw);
}
