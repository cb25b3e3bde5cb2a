// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_smc: what a test asks of SMC in its network namespace. RoCE v2 needs SMC-R version 2, and
 * an identifier that both ends have ("EID", 32 characters of A-Z, 0-9, '-' and '.').
 *
 *	svt_smc eid NAME	adds an identifier, padded
 *	svt_smc counts		connections as server, as client, that fell back to TCP, bytes sent
 *	svt_smc devices		"NAME active|inactive LINKS" each, of all namespaces
 *	svt_smc sockets		"SMC-R", with device, GID, peer's GID if connected, or "TCP", each
 */
#include <err.h>
#include <linux/smc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "genl.h"

struct counts {
	uint64_t server, client, fallen, sent;
};

static void take_transport(const struct nlattr *attr, void *arg)
{
	struct counts *counts = arg;

	switch (attribute_type(attr)) {
	case SMC_NLA_STATS_T_CLNT_V1_SUCC:
	case SMC_NLA_STATS_T_CLNT_V2_SUCC:
		counts->client += attribute_number(attr);
		break;
	case SMC_NLA_STATS_T_SRV_V1_SUCC:
	case SMC_NLA_STATS_T_SRV_V2_SUCC:
		counts->server += attribute_number(attr);
		break;
	case SMC_NLA_STATS_T_TX_BYTES:
		counts->sent += attribute_number(attr);
		break;
	}
}

static void take_kind(const struct nlattr *attr, void *arg)
{
	if (attribute_type(attr) == SMC_NLA_STATS_SMCR_TECH)
		nested_attributes(attr, take_transport, arg);
}

static void take_stats(const struct nlattr *attr, void *arg)
{
	if (attribute_type(attr) == SMC_GEN_STATS)
		nested_attributes(attr, take_kind, arg);
}

static void take_reason(const struct nlattr *attr, void *arg)
{
	struct counts *counts = arg;

	if (attribute_type(attr) == SMC_NLA_FBACK_STATS_RSN_CODE)
		fprintf(stderr, "fell back: reason %#llx\n",
			(unsigned long long)attribute_number(attr));
	if (attribute_type(attr) == SMC_NLA_FBACK_STATS_RSN_CNT)
		counts->fallen += attribute_number(attr);
}

static void take_fallback(const struct nlattr *attr, void *arg)
{
	if (attribute_type(attr) == SMC_GEN_FBACK_STATS)
		nested_attributes(attr, take_reason, arg);
}

static int print_counts(struct genl *genl)
{
	struct counts counts = { 0 };
	int ret = genl_dump(genl, SMC_NETLINK_GET_STATS, take_stats, &counts);

	if (!ret)
		ret = genl_dump(genl, SMC_NETLINK_GET_FBACK_STATS, take_fallback, &counts);
	if (ret)
		errx(1, "counts: %s", strerror(ret));
	printf("server %llu client %llu fallback %llu sent %llu\n",
	       (unsigned long long)counts.server, (unsigned long long)counts.client,
	       (unsigned long long)counts.fallen, (unsigned long long)counts.sent);
	return 0;
}

struct device {
	const char *name;
	bool active;
	unsigned int links;
};

static void take_port(const struct nlattr *attr, void *arg)
{
	struct device *device = arg;

	if (attribute_type(attr) == SMC_NLA_DEV_PORT_STATE)
		device->active = attribute_number(attr);
	if (attribute_type(attr) == SMC_NLA_DEV_PORT_LNK_CNT)
		device->links = attribute_number(attr);
}

static void take_property(const struct nlattr *attr, void *arg)
{
	struct device *device = arg;

	if (attribute_type(attr) == SMC_NLA_DEV_IB_NAME)
		device->name = attribute_data(attr);
	if (attribute_type(attr) == SMC_NLA_DEV_PORT)
		nested_attributes(attr, take_port, device);
}

static void print_device(const struct nlattr *attr, void *arg)
{
	struct device device = { .name = "" };

	if (attribute_type(attr) != SMC_GEN_DEV_SMCR)
		return;
	nested_attributes(attr, take_property, &device);
	fprintf(arg, "%s %s %u\n", device.name, device.active ? "active" : "inactive",
		device.links);
}

static int print_devices(struct genl *genl)
{
	int ret = genl_dump(genl, SMC_NETLINK_GET_DEV_SMCR, print_device, stdout);

	if (ret)
		errx(1, "devices: %s", strerror(ret));
	return 0;
}

static int add_eid(struct genl *genl, const char *name)
{
	char eid[SMC_MAX_EID_LEN + 1];
	int ret;

	snprintf(eid, sizeof(eid), "%-32s", name);
	ret = genl_do(genl, SMC_NETLINK_ADD_UEID, SMC_NLA_EID_TABLE_ENTRY, eid);
	if (ret)
		errx(1, "%s: %s", name, strerror(ret));
	return 0;
}

int main(int argc, char **argv)
{
	struct genl genl;

	if (argc == 2 && !strcmp(argv[1], "sockets"))
		return print_sockets();
	genl_open(&genl);
	if (argc == 3 && !strcmp(argv[1], "eid"))
		return add_eid(&genl, argv[2]);
	if (argc == 2 && !strcmp(argv[1], "counts"))
		return print_counts(&genl);
	if (argc == 2 && !strcmp(argv[1], "devices"))
		return print_devices(&genl);
	errx(2, "usage: svt_smc eid NAME | counts | devices | sockets");
}
