// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The out-of-band exchange: small framed messages over one TCP connection, each wait with a
 * time limit.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "oob.h"

#define OOB_MAGIC	0x53565430

static void set_int(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

static int wait_for(int fd, short events, u64 limit)
{
	struct pollfd p = { .fd = fd, .events = events };
	int ret;

	do {
		ret = poll(&p, 1, clock_left_ms(limit));
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	return ret ? 0 : -ETIMEDOUT;
}

static int listen_on(const struct addrinfo *ai)
{
	int fd, err;

	fd = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC, ai->ai_protocol);
	if (fd < 0)
		return -errno;
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (ai->ai_family == AF_INET6)
		set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 1)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* IPv6 first: such a socket takes IPv4 too. */
static int listen_any(const char *port)
{
	static const int families[] = { AF_INET6, AF_INET };
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *ai;
	int fd = -EADDRNOTAVAIL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		hints.ai_family = families[i];
		if (getaddrinfo(NULL, port, &hints, &ai))
			continue;
		fd = listen_on(ai);
		freeaddrinfo(ai);
		if (fd >= 0)
			return fd;
	}
	return fd;
}

int oob_accept(const char *port, u64 limit)
{
	int listener, fd, ret;

	listener = listen_any(port);
	if (listener < 0)
		return listener;
	ret = wait_for(listener, POLLIN, limit);
	if (!ret) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		ret = fd < 0 ? -errno : fd;
	}
	close(listener);
	if (ret >= 0)
		set_int(ret, IPPROTO_TCP, TCP_NODELAY, 1);
	return ret;
}

static int connect_once(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *ai;
	int fd = -EHOSTUNREACH;

	if (getaddrinfo(host, port, &hints, &list))
		return -EHOSTUNREACH;
	for (ai = list; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC, ai->ai_protocol);
		if (fd < 0) {
			fd = -errno;
			continue;
		}
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			break;
		close(fd);
		fd = -errno;
	}
	freeaddrinfo(list);
	return fd;
}

/* The server may start after the client: a refused connection is tried again. */
int oob_connect(const char *host, const char *port, u64 limit)
{
	int fd;

	for (;;) {
		fd = connect_once(host, port);
		if (fd >= 0) {
			set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
			return fd;
		}
		if (clock_passed(limit))
			return fd;
		clock_sleep_ms(100);
	}
}

static int send_all(int fd, const void *data, size_t len)
{
	const u8 *p = data;
	ssize_t n;

	while (len) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return 0;
}

static int recv_all(int fd, void *data, size_t len, u64 limit)
{
	u8 *p = data;
	ssize_t n;
	int ret;

	while (len) {
		ret = wait_for(fd, POLLIN, limit);
		if (ret)
			return ret;
		n = recv(fd, p, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		p += n;
		len -= n;
	}
	return 0;
}

int oob_send(int fd, u32 kind, u32 round, u32 step, const void *data, u32 len)
{
	struct oob_frame f = {
		.head = { OOB_MAGIC, kind, round, step, len },
	};

	if (len > sizeof(f.data))
		return -EMSGSIZE;
	if (len)
		memcpy(f.data, data, len);
	return send_all(fd, &f, sizeof(f.head) + len);
}

int oob_recv(int fd, struct oob_frame *f, u64 limit)
{
	int ret;

	ret = recv_all(fd, &f->head, sizeof(f->head), limit);
	if (ret)
		return ret;
	if (f->head.magic != OOB_MAGIC || f->head.len > sizeof(f->data))
		return -EPROTO;
	return recv_all(fd, f->data, f->head.len, limit);
}

/* True also when the peer has gone: the read that follows then says so. */
bool oob_pending(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}
