/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The flow rules of a device: see steering.c.
 */
#ifndef SVT_TRANSPORT_STEERING_H
#define SVT_TRANSPORT_STEERING_H

#include "flow_rule.h"

void svt_steering_init(struct svt_core *core);
void svt_steering_destroy(struct svt_core *core);
int svt_steering_add(struct svt_rule *rule);
void svt_steering_remove(struct svt_rule *rule);

#endif
