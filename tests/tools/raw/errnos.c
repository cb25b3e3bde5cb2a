// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is wrong with a rule, and the errno of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "raw.h"

/* A rule in words, and the errno that it has to get */
struct worded {
	const char *words;
	int wanted;
};

#define RULE(words, wanted)	(&(const struct worded){ words, wanted })

/* A rule of one specification, of any type and size */
struct specified {
	u32 type;
	u16 size;
	int wanted;
};

#define SPEC(type, of, wanted)	(&(const struct specified){ type, sizeof(struct of), wanted })

/* A rule for all of a port, but for this */
struct described {
	u8 port;
	enum ibv_flow_attr_type type;
	u32 flags;
	int wanted;
};

#define ATTR(...)		(&(const struct described){ __VA_ARGS__ })

static void expect(struct test *t, struct rule *rule, int wanted)
{
	struct ibv_flow *flow = ibv_create_flow(t->raw->qp, &rule->attr);
	int err = flow ? 0 : errno;

	if (flow)
		ibv_destroy_flow(flow);
	CHECK(err == wanted, "%s, not %s", strerror(err), strerror(wanted));
}

static void of_words(struct test *t)
{
	const struct worded *w = t->c->arg;
	char copy[128], *word;
	struct rule rule;

	rule_begin(&rule);
	snprintf(copy, sizeof(copy), "%s", w->words);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		MUST(rule_word(&rule, word), "no word of a rule: %s", word);
	expect(t, &rule, w->wanted);
}

static void of_spec(struct test *t)
{
	const struct specified *s = t->c->arg;
	struct ibv_flow_spec_eth *spec;
	struct rule rule;

	rule_begin(&rule);
	spec = (void *)rule.specs;
	spec->type = s->type;
	spec->size = s->size;
	rule.attr.size += s->size;
	rule.attr.num_of_specs = 1;
	expect(t, &rule, s->wanted);
}

static void of_attr(struct test *t)
{
	const struct described *d = t->c->arg;
	struct rule rule;

	rule_begin(&rule);
	rule.attr.port = d->port;
	rule.attr.type = d->type;
	rule.attr.flags = d->flags;
	expect(t, &rule, d->wanted);
}

static struct ibv_flow *first_flow(struct test *t, struct rule *rule)
{
	struct ibv_flow *flow;

	rule_begin(rule);
	MUST(rule_word(rule, "dst=02:00:00:00:00:09"), "no rule");
	flow = ibv_create_flow(t->raw->qp, &rule->attr);
	MUST(flow, "the first: %s", strerror(errno));
	return flow;
}

static void twice(struct test *t)
{
	struct rule rule;
	struct ibv_flow *flow = first_flow(t, &rule);

	expect(t, &rule, 0);
	rule.attr.priority = 1;
	expect(t, &rule, 0);
	CHECK(!ibv_destroy_flow(flow), "the first cannot be destroyed");
}

static void keeps_qp(struct test *t)
{
	struct rule rule;
	struct ibv_flow *flow = first_flow(t, &rule);

	CHECK(ibv_destroy_qp(t->raw->qp) == EBUSY, "its QP can be destroyed");
	CHECK(!ibv_destroy_flow(flow), "it cannot be destroyed");
}

const struct suite_case errno_cases[] = {
	{ "address, IPv6, port", of_words, "words of all layers go together",
	  RULE("dst=02:00:00:00:00:01 ip6=fd00::1 udp=5", 0) },
	{ "type of IPv6, IPv6", of_words, "a type may stand beside its header",
	  RULE("type=0x86dd ip6=fd00::1", 0) },
	{ "type of IPv4, IPv6", of_words, "a type of another header is refused",
	  RULE("type=0x0800 ip6=fd00::1", EINVAL) },
	{ "IPv6 twice", of_words, "a header that is there twice is refused",
	  RULE("ip6=fd00::1 ip6=fd00::2", EINVAL) },
	{ "port before IPv6", of_words, "headers in another order than on the wire are refused",
	  RULE("udp=5 ip6=fd00::2", EINVAL) },
	{ "sniffer with an address", of_words, "a sniffer has no specification",
	  RULE("sniffer dst=02:00:00:00:00:01", EINVAL) },
	{ "sniffer", of_words, NULL, RULE("sniffer", 0) },
	{ "all", of_words, NULL, RULE("all", 0) },
	{ "mc", of_words, NULL, RULE("mc", 0) },
	{ "Ethernet", of_spec, "what the next rows change is right",
	  SPEC(IBV_FLOW_SPEC_ETH, ibv_flow_spec_eth, 0) },
	{ "GRE", of_spec, NULL, SPEC(IBV_FLOW_SPEC_GRE, ibv_flow_spec_gre, EOPNOTSUPP) },
	{ "drop", of_spec, NULL,
	  SPEC(IBV_FLOW_SPEC_ACTION_DROP, ibv_flow_spec_action_drop, EOPNOTSUPP) },
	{ "inner Ethernet", of_spec, NULL,
	  SPEC(IBV_FLOW_SPEC_ETH | IBV_FLOW_SPEC_INNER, ibv_flow_spec_eth, EOPNOTSUPP) },
	{ "port 2", of_attr, NULL, ATTR(2, 0, 0, EINVAL) },
	{ "type 9", of_attr, NULL, ATTR(1, 9, 0, EINVAL) },
	{ "egress", of_attr, NULL, ATTR(1, 0, IBV_FLOW_ATTR_FLAGS_EGRESS, EOPNOTSUPP) },
	{ "don't trap", of_attr, NULL, ATTR(1, 0, IBV_FLOW_ATTR_FLAGS_DONT_TRAP, 0) },
	{ "default that does not trap", of_attr, NULL,
	  ATTR(1, IBV_FLOW_ATTR_ALL_DEFAULT, IBV_FLOW_ATTR_FLAGS_DONT_TRAP, EINVAL) },
	{ "the same rule again", twice, "also with another priority" },
	{ "a rule keeps its QP", keeps_qp },
	{ }
};
