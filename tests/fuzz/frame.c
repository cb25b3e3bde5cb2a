// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any bytes as an Ethernet frame: what svt_frame_parse() reads is there, and what a key says is
 * consistent. The bytes are copied to memory of just their size, so that ASan sees each read
 * beyond.
 */
#include <asm/byteorder.h>
#include <linux/in.h>
#include <string.h>

#include "frame.h"
#include "fuzz.h"

static void check_key(const struct svt_frame_key *key, bool ip_ok)
{
	must(key->tagged <= 1 && (key->tagged || !key->vlan_tag));
	must(!key->version || key->version == 4 || key->version == 6);
	must(key->version != 4 || key->ether_type == cpu_to_be16(0x0800));
	must(key->version != 6 || key->ether_type == cpu_to_be16(0x86dd));
	must(key->version || (!key->protocol && !key->ttl && !key->tos));
	must(key->version == 4 || !key->flags);
	must(key->version == 6 || !key->flow_label);
	must(be32_to_cpu(key->flow_label) <= 0xfffff);
	must(!key->ports || (key->version && key->ports == key->protocol));
	must(!key->ports || key->ports == IPPROTO_TCP || key->ports == IPPROTO_UDP);
	must(key->ports || (!key->src_port && !key->dst_port && !ip_ok));
	must(!key->reserved);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct svt_frame_key key;
	u8 *bytes = malloc(size);
	bool ip_ok, tagged;

	must(bytes || !size);
	if (size)
		memcpy(bytes, data, size);
	tagged = size >= SVT_ETHERNET_BYTES && svt_frame_has_tag(bytes);
	if (svt_frame_parse(bytes, size, &key, &ip_ok)) {
		must(size >= SVT_ETHERNET_BYTES + (tagged ? SVT_TAG_BYTES : 0));
		must(key.tagged == tagged && !memcmp(key.dst_mac, data, 6));
		check_key(&key, ip_ok);
	} else {
		must(size < SVT_ETHERNET_BYTES + (tagged ? SVT_TAG_BYTES : 0) && !ip_ok);
	}
	free(bytes);
	return 0;
}
