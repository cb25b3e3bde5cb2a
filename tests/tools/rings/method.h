/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_METHOD_H
#define RINGS_METHOD_H

#include "fill.h"

#define METHOD_ATTRS	14

enum attr_kind {
	ATTR_END,
	ATTR_IN,	/* @bytes in; in the attribute itself when they fit */
	ATTR_OUT,
	ATTR_OBJECT,	/* a handle, or a file descriptor */
	ATTR_NEW,	/* a handle that comes back */
	ATTR_NEW_FD,
};

struct attr {
	u16 id;
	u8 kind;	/* enum attr_kind */
	u8 fill;	/* enum fill: of the first 8 bytes */
	u16 bytes;
};

/* A method of the ioctl() interface */
struct method {
	u16 object, method;
	u8 makes;	/* enum object_kind */
	struct attr attrs[METHOD_ATTRS + 1];
};

extern const struct method methods[];
extern const u32 method_count;

#endif
