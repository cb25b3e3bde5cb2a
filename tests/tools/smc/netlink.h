/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Netlink, one request at a time, attributes one by one. What fails without an errno ends the
 * program.
 */
#ifndef SMC_NETLINK_H
#define SMC_NETLINK_H

#include <linux/netlink.h>
#include <stdint.h>

/* One for each message of an answer */
typedef void (*message_fn)(const struct nlmsghdr *header, void *arg);
/* One for each attribute; nested ones are not opened */
typedef void (*attribute_fn)(const struct nlattr *attr, void *arg);

int netlink_open(int protocol);
/* Sends a request and gives @fn, which may be NULL, the answer. Returns 0 or a positive errno */
int netlink_talk(int fd, const struct nlmsghdr *request, message_fn fn, void *arg);

/* Those of a message, behind its own header of @skip bytes */
void message_attributes(const struct nlmsghdr *header, int skip, attribute_fn fn, void *arg);
void nested_attributes(const struct nlattr *attr, attribute_fn fn, void *arg);
int attribute_type(const struct nlattr *attr);
const void *attribute_data(const struct nlattr *attr);
int attribute_len(const struct nlattr *attr);
/* Of 1, 2, 4 or 8 bytes */
uint64_t attribute_number(const struct nlattr *attr);

/* A socket of generic netlink and the family "SMC_GEN_NETLINK" */
struct genl {
	int fd;
	uint16_t family;
};

void genl_open(struct genl *genl);
/* Sends a command with one attribute. Returns 0 or a positive errno */
int genl_do(struct genl *genl, int command, int type, const char *text);
/* Asks for all there is; @fn gets what is at the top. Returns 0 or a positive errno */
int genl_dump(struct genl *genl, int command, attribute_fn fn, void *arg);

/* diag.c: the sockets of SMC, one a line */
int print_sockets(void);

#endif
