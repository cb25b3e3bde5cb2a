/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FORGERY_H
#define FORGERY_H

#include "types.h"

/* What is sent in the name of others */
#define TEXT		"forged"
#define TEXT_BYTES	8	/* with zeros at the end, for then there is no pad */

/* All return 0 or a negative errno, having said what failed. */
int forgery_qp(char **words);
int forgery_udp(char **words);
int forgery_rxrpc(char **words);
int forgery_call(char **words);

#endif
