/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SMC_GENL_H
#define SMC_GENL_H

#include "netlink.h"

/* A socket of generic netlink and the family "SMC_GEN_NETLINK" */
struct genl {
	int fd;
	u16 family;
};

/* Ends the program when there is none. */
void genl_open(struct genl *genl);
/* Sends a command with one attribute. Returns 0 or a positive errno */
int genl_do(struct genl *genl, int command, int type, const char *text);
/* Asks for all there is; @fn gets what is at the top. Returns 0 or a positive errno */
int genl_dump(struct genl *genl, int command, attribute_fn fn, void *arg);

/* diag.c: the sockets of SMC, one a line */
int print_sockets(void);

#endif
