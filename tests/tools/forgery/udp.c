// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What any process can send: a UDP datagram that is a packet of RC from another QP. It leaves FROM,
 * an address of this host (or none, over IPv6), for TO; its ICRC is right if it comes from AS,
 * which is another address where a router translates. SHAPE is plain; segments: two packets in one
 * datagram that the kernel cuts; fragments: more than a frame holds; routed: over IPv6, by way of
 * another host.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/seg6.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../packets/frame.h"
#include "complaint.h"
#include "forgery.h"
#include "number.h"
#include "way.h"

#define FROM_PORT	50000
#define PACKET_BYTES	(BTH_BYTES + TEXT_BYTES + ICRC_BYTES)
#define MANY_BYTES	9000
#define UDP_BYTES_MOST	MANY_BYTES

struct forgery {
	union address from;
	struct way as;
	u32 qpn;
	u32 psn;
};

static bool is_ipv6(const struct forgery *f)
{
	return f->as.to.any.sa_family == AF_INET6;
}

static void put_packet(const struct forgery *f, u8 *to, u32 nth)
{
	memset(to, 0, PACKET_BYTES);
	to[0] = SERVICE_RC | OP_SEND_ONLY;
	put_16(to + 2, DEFAULT_PKEY);
	put_32(to + 4, f->qpn);
	put_32(to + 8, (f->psn + nth) & PSN_MASK);
	memcpy(to + BTH_BYTES, TEXT, sizeof(TEXT));
	way_put_icrc(&f->as, nth, to, BTH_BYTES + TEXT_BYTES);
}

static int set(int fd, int level, int name, int value)
{
	if (!setsockopt(fd, level, name, &value, sizeof(value)))
		return 0;
	return complain("setsockopt", errno);
}

/* The kernel puts the destination where segment 0 is, and the first stop into the header of IP */
static int set_stop(const struct forgery *f, int fd)
{
	struct {
		struct ipv6_sr_hdr header;
		struct in6_addr segments[2];
	} route = {
		.header = { .type = 4, .hdrlen = 4, .segments_left = 1, .first_segment = 1 },
	};

	route.segments[1] = f->as.to.v6.sin6_addr;
	route.segments[1].s6_addr[15] ^= 0x80;
	if (!setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, &route, sizeof(route)))
		return 0;
	return complain("IPV6_RTHDR", errno);
}

/* Any process may have an address that is not there; IPv4 does not send from it, IPv6 does */
static int prepare(const struct forgery *f, int fd, const char *shape)
{
	bool whole = strcmp(shape, "fragments") != 0;
	int ret;

	if (is_ipv6(f))
		ret = set(fd, IPPROTO_IPV6, IPV6_FREEBIND, 1);
	else
		ret = set(fd, IPPROTO_IP, IP_MTU_DISCOVER,
			  whole ? IP_PMTUDISC_DO : IP_PMTUDISC_DONT);
	if (!ret && !strcmp(shape, "segments"))
		ret = set(fd, IPPROTO_UDP, UDP_SEGMENT, PACKET_BYTES);
	if (!ret && !strcmp(shape, "routed"))
		ret = set_stop(f, fd);
	if (!ret && bind(fd, &f->from.any, address_length(&f->from)))
		ret = complain("bind", errno);
	return ret;
}

static u32 shape_length(const char *shape)
{
	if (!strcmp(shape, "segments"))
		return 2 * PACKET_BYTES;
	return strcmp(shape, "fragments") ? PACKET_BYTES : MANY_BYTES;
}

static int send_it(const struct forgery *f, int fd, const char *shape)
{
	static u8 bytes[UDP_BYTES_MOST];
	const union address *to = &f->as.to;
	ssize_t length = shape_length(shape);
	int err;

	put_packet(f, bytes, 0);
	put_packet(f, bytes + PACKET_BYTES, 1);
	if (sendto(fd, bytes, length, 0, &to->any, address_length(to)) == length)
		return 0;
	err = errno;
	complain("sendto", err);
	return -err;
}

int forgery_udp(char **words)
{
	struct forgery f;
	int fd, err;

	if (address_parse(&f.from, words[0], FROM_PORT) ||
	    address_parse(&f.as.from, words[1], FROM_PORT) ||
	    address_parse(&f.as.to, words[2], ROCE_PORT))
		return -EINVAL;
	f.qpn = number_of(words[3], QPN_MASK);
	f.psn = number_of(words[4], PSN_MASK);
	fd = socket(f.as.to.any.sa_family, SOCK_DGRAM, 0);
	if (fd < 0) {
		complain("socket", errno);
		return -EINVAL;
	}
	err = prepare(&f, fd, words[5]) ? -EINVAL : send_it(&f, fd, words[5]);
	close(fd);
	return err;
}
