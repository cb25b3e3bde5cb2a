// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_handover: verbs objects of one process that another one uses.
 *
 * svt_handover import DEVICE	PD and region, by the file of their context
 * svt_handover xrc DEVICE	an XRC TGT QP, by its number
 *
 * The second process is forked before the first has opened anything, so that it knows of objects
 * only what it is told.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "complaint.h"
#include "handover.h"

#define SECONDS	60

static const struct mode {
	const char *name;
	int (*first)(int socket, const char *device);
	int (*second)(int socket, const char *device);
} modes[] = {
	{ "import", import_first, import_second },
	{ "xrc", xrc_first, xrc_second },
};

int tell(int socket, const void *data, size_t length, int fd)
{
	struct iovec part = { (void *)data, length };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)length)
		return 0;
	return complain("the other process cannot be told", errno);
}

int hear(int socket, void *data, size_t length, int *fd)
{
	struct iovec part = { data, length };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	if (recvmsg(socket, &message, MSG_WAITALL) != (ssize_t)length)
		return complain("the other process is gone", EPIPE);
	if (!fd)
		return 0;
	if (!CMSG_FIRSTHDR(&message) || control.head.cmsg_type != SCM_RIGHTS)
		return complain("no file came", EPROTO);
	memcpy(fd, CMSG_DATA(&control.head), sizeof(*fd));
	return 0;
}

int reap(struct ibv_cq *cq, u32 count)
{
	time_t end = time(NULL) + SECONDS;
	struct ibv_wc wc;
	int n;

	while (count) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0)
			return complain("ibv_poll_cq", EIO);
		if (n && wc.status)
			return complain(ibv_wc_status_str(wc.status), EIO);
		if (time(NULL) > end)
			return complain("a completion", ETIMEDOUT);
		count -= n;
	}
	return 0;
}

static int run(const struct mode *mode, const char *device)
{
	int sockets[2], status, ret;
	pid_t second;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return complain("socketpair", errno);
	second = fork();
	if (second < 0)
		return complain("fork", errno);
	if (!second) {
		close(sockets[0]);
		_exit(mode->second(sockets[1], device) ? 1 : 0);
	}
	close(sockets[1]);
	ret = mode->first(sockets[0], device);
	close(sockets[0]);
	if (waitpid(second, &status, 0) != second || status)
		return complain("the second process failed", EIO);
	return ret;
}

int main(int argc, char **argv)
{
	u32 i;

	for (i = 0; argc == 3 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, argv[1]))
			return run(&modes[i], argv[2]) ? 1 : 0;
	fprintf(stderr, "usage: svt_handover import|xrc DEVICE\n");
	return 2;
}
