// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_rds: sockets of RDS over RDMA, for Debian 12 has no package rds-tools.
 *
 *	svt_rds serve HOST PORT		answers questions at one of its own addresses
 *	svt_rds ask HOST SERVER PORT message|write|read COUNT BYTES
 *					asks there, one question after the other, compares each byte
 *	svt_rds ping HOST SERVER COUNT	messages that the server's kernel returns
 *	svt_rds connections		"HOST SERVER GID GID", or "HOST SERVER down", each
 *	svt_rds counters		"NAME VALUE" each
 *
 * A question that nobody answers is asked again: its server may be gone, and RDS repeats messages
 * on a new connection, but no RDMA.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "number.h"
#include "random.h"
#include "rds.h"

struct sockaddr_in address_of(const char *host, u16 port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, host, &address.sin_addr) != 1)
		errx(2, "'%s' is no address", host);
	return address;
}

int rds_socket(const char *host, u16 port)
{
	struct sockaddr_in address = address_of(host, port);
	int fd = socket(AF_RDS, SOCK_SEQPACKET, 0), transport = RDS_TRANS_IB, room = 4 * MOST_BYTES;

	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_RDS, SO_RDS_TRANSPORT, &transport, sizeof(transport)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		err(1, "setsockopt");
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "bind to %s", host);
	return fd;
}

void fill(void *at, u32 bytes, u64 seed)
{
	struct random random;

	random_start(&random, seed, bytes);
	random_fill(&random, at, bytes);
}

bool is_filled(const void *at, u32 bytes, u64 seed)
{
	static u8 wanted[MOST_BYTES];

	fill(wanted, bytes, seed);
	return !memcmp(at, wanted, bytes);
}

void say_besides(struct msghdr *msg, void *control, int type, const void *data, size_t len)
{
	struct cmsghdr *cmsg;

	msg->msg_control = control;
	msg->msg_controllen = CMSG_SPACE(len);
	cmsg = CMSG_FIRSTHDR(msg);
	cmsg->cmsg_level = SOL_RDS;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cmsg), data, len);
}

static enum kind kind_of(const char *name)
{
	static const char * const names[] = { "message", "write", "read" };
	u32 kind;

	for (kind = MESSAGE; kind <= READ; kind++)
		if (!strcmp(name, names[kind]))
			return kind;
	errx(2, "'%s' is not message, write or read", name);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	enum kind kind;
	u32 most;

	if (argc == 4 && !strcmp(what, "serve"))
		return serve(rds_socket(argv[2], number_of(argv[3], UINT16_MAX)));
	if (argc == 8 && !strcmp(what, "ask")) {
		kind = kind_of(argv[5]);
		most = kind == MESSAGE ? MOST_DATA : MOST_BYTES;
		return ask(rds_socket(argv[2], 0), argv[3], number_of(argv[4], UINT16_MAX), kind,
			   number_of(argv[6], UINT32_MAX), number_of(argv[7], most));
	}
	if (argc == 5 && !strcmp(what, "ping"))
		return ping(rds_socket(argv[2], 0), argv[3], number_of(argv[4], UINT32_MAX));
	if (argc == 2 && !strcmp(what, "connections"))
		return print_connections();
	if (argc == 2 && !strcmp(what, "counters"))
		return print_counters();
	errx(2, "usage: svt_rds serve|ask|ping|connections|counters [ARGUMENT...]");
}
