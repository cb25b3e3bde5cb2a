// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_handover: verbs objects of one process that another one uses.
 *
 * The second process is forked before the first has opened anything, so that it knows of objects
 * only what it is told.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complaint.h"
#include "handover.h"
#include "suite.h"

static const char *device;

/* What each of the two processes does */
struct test {
	int (*first)(int socket, const char *device);
	int (*second)(int socket, const char *device);
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

static void run(struct test *t)
{
	int sockets[2], status;
	pid_t second;

	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "socketpair: %s", strerror(errno));
	second = fork();
	MUST(second >= 0, "fork: %s", strerror(errno));
	if (!second) {
		close(sockets[0]);
		_exit(t->second(sockets[1], device) ? 1 : 0);
	}
	close(sockets[1]);
	t->first(sockets[0], device);
	close(sockets[0]);
	CHECK(waitpid(second, &status, 0) == second && !status, "the second process failed");
}

static void each(const struct suite_case *c)
{
	struct test t = *(const struct test *)c->arg;

	suite_call(c->run, &t);
}

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &device, "RDMA device" },
	{ }
};

static bool check(void)
{
	return device;
}

#define BY(first, second)	(&(const struct test){ first, second })

static const struct suite_case cases[] = {
	{ "import", run, "PD and region go by the file of their context",
	  BY(import_first, import_second) },
	{ "xrc", run, "an XRC TGT QP goes by its number, and outlives who made it",
	  BY(xrc_first, xrc_second) },
	{ }
};

static const struct suite_case *const tables[] = { cases, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [NAME...]",
	.options = options,
	.check = check,
	.each = each,
	.own_process = true,
};

int main(int argc, char **argv)
{
	return suite_main(argc, argv, &suite);
}
