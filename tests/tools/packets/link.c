// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wire as an attacker has it: packet sockets in the namespace of one end of a veth pair.
 * Nothing else of this program is in that namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "link.h"
#include "socket.h"

#define TAP_BYTES	(1 << 20)

static int enter(const char *name)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	return ret;
}

static int open_sockets(struct link *l, int index)
{
	int ret;

	l->plain = socket_open(index, 0);
	l->gso = socket_open(index, 0);
	l->tap = socket_open(index, ETH_P_ALL);
	if (l->plain < 0 || l->gso < 0 || l->tap < 0)
		return -EACCES;
	ret = socket_option(l->plain, SOL_PACKET, PACKET_QDISC_BYPASS, 1);
	if (!ret)
		ret = socket_option(l->gso, SOL_PACKET, PACKET_VNET_HDR, 1);
	if (!ret)
		ret = socket_option(l->tap, SOL_SOCKET, SO_RCVBUF, TAP_BYTES);
	return ret;
}

int link_open(struct link *l, const char *near_ns, const char *far_ns, const char *netdev)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int ret;

	memset(l, 0, sizeof(*l));
	l->plain = -1;
	l->gso = -1;
	l->tap = -1;
	ret = home < 0 ? -errno : enter(far_ns);
	if (!ret)
		ret = socket_netdev(netdev, l->far_mac);
	if (ret >= 0)
		ret = enter(near_ns);
	if (!ret)
		ret = socket_netdev(netdev, l->near_mac);
	if (ret > 0)
		ret = open_sockets(l, ret);
	if (home >= 0 && setns(home, CLONE_NEWNET) && !ret)
		ret = -errno;
	if (home >= 0)
		close(home);
	if (!ret)
		return 0;
	fprintf(stderr, "no raw sockets on %s between namespaces %s and %s: %s\n", netdev, near_ns,
		far_ns, strerror(-ret));
	link_close(l);
	return -1;
}

void link_close(struct link *l)
{
	int fds[] = { l->plain, l->gso, l->tap };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Goes on behind a frame that the kernel does not want */
void link_send(struct link *l, const struct frame *frames, u32 count)
{
	struct mmsghdr messages[LINK_FRAMES] = { };
	struct iovec parts[LINK_FRAMES];
	u32 i, done = 0;
	int ret;

	for (i = 0; i < count; i++) {
		parts[i].iov_base = (void *)frames[i].bytes;
		parts[i].iov_len = frames[i].length;
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	for (i = 0; i < count && l->echo; i++)
		echo_push(l->echo, &frames[i]);
	while (done < count) {
		ret = sendmmsg(l->plain, messages + done, count - done, 0);
		if (ret > 0) {
			l->sent += ret;
			done += ret;
		} else {
			l->refused++;
			done++;
		}
	}
}

void link_send_super(struct link *l, const struct super *s)
{
	struct virtio_net_hdr header = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = s->gso_type,
		.hdr_len = s->header_length,
		.gso_size = s->gso_size,
		.csum_start = s->checksum_start,
		.csum_offset = s->checksum_offset,
	};
	struct iovec parts[] = {
		{ &header, sizeof(header) },
		{ (void *)s->bytes, s->length },
	};

	if (writev(l->gso, parts, ARRAY_SIZE(parts)) < 0)
		l->refused++;
	else
		l->sent++;
}

u32 link_receive(struct link *l, u8 *bytes, u32 size, int wait_ms, bool *outgoing)
{
	struct pollfd readable = { .fd = l->tap, .events = POLLIN };
	struct sockaddr_ll from = { };
	socklen_t length = sizeof(from);
	ssize_t ret;

	if (wait_ms && poll(&readable, 1, wait_ms) <= 0)
		return 0;
	ret = recvfrom(l->tap, bytes, size, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
	*outgoing = from.sll_pkttype == PACKET_OUTGOING;
	return ret > 0 ? ret : 0;
}

void link_drain(struct link *l)
{
	u8 byte;
	bool outgoing;

	while (link_receive(l, &byte, sizeof(byte), 0, &outgoing))
		;
}
