/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_CALM_H
#define STORM_CALM_H

#include "host.h"

/*
 * Traffic that nobody may disturb: an RC link between two devices, every byte verified.
 *
 * @rounds: how many; 0: until *@stop, or until a device is gone that may go
 */
struct calm {
	struct host *hosts[2];
	u32 number;
	u64 rounds;
	atomic_bool *stop;
};

/* Return: after the last round, or after fail() */
void calm_run(struct calm *c);

#endif
