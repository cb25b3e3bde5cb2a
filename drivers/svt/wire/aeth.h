/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The syndrome of the AETH (IBTA 9.7.5.1.2 to 9.7.5.2.8): ACK with credits, RNR NAK with
 * a delay, NAK with a code.
 */
#ifndef SVT_WIRE_AETH_H
#define SVT_WIRE_AETH_H

#include <linux/types.h>

#define SVT_AETH_TYPE_MASK	0xe0
#define SVT_AETH_VALUE_MASK	0x1f
#define SVT_AETH_ACK		0x00
#define SVT_AETH_RNR		0x20
#define SVT_AETH_NAK		0x60
/* An ACK that says nothing of credits (SRQ) */
#define SVT_AETH_NO_CREDITS	0x1f

enum svt_nak_code {
	SVT_NAK_PSN_SEQUENCE		= 0,
	SVT_NAK_INVALID_REQUEST		= 1,
	SVT_NAK_REMOTE_ACCESS		= 2,
	SVT_NAK_REMOTE_OPERATIONAL	= 3,
	SVT_NAK_INVALID_RD_REQUEST	= 4,
};

/* Bit 7 is reserved, and so are a type and most codes of a NAK */
static inline bool svt_aeth_is_reserved(u8 syndrome)
{
	u8 type = syndrome & SVT_AETH_TYPE_MASK;

	if (type == SVT_AETH_NAK)
		return (syndrome & SVT_AETH_VALUE_MASK) > SVT_NAK_INVALID_RD_REQUEST;
	return type != SVT_AETH_ACK && type != SVT_AETH_RNR;
}

u8 svt_aeth_encode_credits(u32 credits);
u32 svt_aeth_decode_credits(u8 syndrome);
u32 svt_rnr_timer_microseconds(u8 timer);

#endif
