/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_COMMAND_H
#define RINGS_COMMAND_H

#include "fill.h"

#define COMMAND_FIELDS	20

struct field {
	u16 offset;		/* from the start of the core's part */
	u16 bytes;
	u8 fill;		/* enum fill */
};

/* A command of the write() interface: its core's part and the driver's, both ways */
struct command {
	u16 number;		/* enum ib_uverbs_write_cmds, or of the extended ones */
	bool extended;
	u16 in, out;
	u16 driver_out;
	u16 tail;		/* at most so many bytes may follow what the core knows */
	u8 makes;		/* enum object_kind: its handle is at @handle_at of the response */
	u16 handle_at;
	struct field fields[COMMAND_FIELDS];
};

extern const struct command commands[];
extern const u32 command_count;

#endif
