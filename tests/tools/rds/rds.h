/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_RDS_H
#define TOOLS_RDS_H

#include <linux/rds.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "types.h"

/* The most that RDS takes in one message or one RDMA operation */
#define MOST_BYTES	(1 << 20)

enum kind {
	MESSAGE,	/* the data are in the question, other data in the answer */
	WRITE,		/* the server writes the data into the client's memory */
	READ,		/* the server reads them there */
};

struct header {
	u64 id;
	u64 seed;	/* of the data */
	u32 bytes;	/* of data, wherever they are */
	u16 kind;
	u16 verdict;	/* in an answer, an errno: the server compares what it read */
};

#define MOST_DATA	(MOST_BYTES - (u32)sizeof(struct header))

struct sockaddr_in address_of(const char *host, u16 port);
/* A socket of RDS over RDMA, bound there, that takes the largest message, or exit */
int rds_socket(const char *host, u16 port);
/* What data look like, and whether they look so */
void fill(void *at, u32 bytes, u64 seed);
bool is_filled(const void *at, u32 bytes, u64 seed);

/* @msg has one thing more to say to RDS than its bytes. @control: CMSG_SPACE(@len) bytes of zero */
void say_besides(struct msghdr *msg, void *control, int type, const void *data, size_t len);

int serve(int fd);
int ask(int fd, const char *host, u16 port, enum kind kind, u32 count, u32 bytes);
int ping(int fd, const char *host, u32 count);
int print_connections(void);
int print_counters(void);

#endif
