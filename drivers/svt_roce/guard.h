/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_GUARD_H
#define ROCE_GUARD_H

#include <linux/netfilter.h>

unsigned int roce_guard(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);

#endif
