/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Netlink, one request at a time, attributes one by one. Allocates nothing. */
#ifndef TOOLS_NETLINK_H
#define TOOLS_NETLINK_H

#include <linux/netlink.h>

#include "types.h"

struct netlink_request {
	struct nlmsghdr header;
	u8 rest[512];
};

/* One for each message of an answer */
typedef void (*message_fn)(const struct nlmsghdr *header, void *arg);
/* One for each attribute; nested ones are not opened */
typedef void (*attribute_fn)(const struct nlattr *attr, void *arg);

/* @family: its own header, of @length bytes; NULL for none. What does not fit aborts. */
void netlink_start(struct netlink_request *r, int type, int flags, const void *family, u32 length);
void netlink_add(struct netlink_request *r, int type, const void *data, u32 length);
/* With its terminating zero */
void netlink_add_text(struct netlink_request *r, int type, const char *text);

/* Return: a descriptor or a negative errno. */
int netlink_open(int protocol);
/*
 * Sends a request and gives @fn, which may be NULL, the answer.  Return: 0 or an errno.  ENOBUFS:
 * the request was not sent, or there was no memory for its answer; it may have been carried out.
 */
int netlink_talk(int fd, struct netlink_request *r, message_fn fn, void *arg);

/* Those of a message, behind its own header of @skip bytes */
void message_attributes(const struct nlmsghdr *header, int skip, attribute_fn fn, void *arg);
void nested_attributes(const struct nlattr *attr, attribute_fn fn, void *arg);
int attribute_type(const struct nlattr *attr);
const void *attribute_data(const struct nlattr *attr);
int attribute_len(const struct nlattr *attr);
/* Of 1, 2, 4 or 8 bytes */
u64 attribute_number(const struct nlattr *attr);

#endif
