// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests and answers of another length than the driver knows, as newer and older programs have.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "case.h"

struct request {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_get_context core;
	struct svt_alloc_ucontext_req svt;
	u32 more[4];
};

struct response {
	struct ib_uverbs_get_context_resp core;
	struct svt_alloc_ucontext_resp svt;
	u32 more[4];
};

static bool is_zero(const u32 *words)
{
	return !(words[0] | words[1] | words[2] | words[3]);
}

/* Opens the device by a request of @size bytes. Returns a file, or a negative errno */
static int open_by(const char *node, struct request *request, size_t size,
		   struct response *response)
{
	int ret, fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	memset(response, 0xff, sizeof(*response));
	ret = device_command(fd, IB_USER_VERBS_CMD_GET_CONTEXT, request, size, response,
			     sizeof(*response));
	if (ret) {
		close(fd);
		return ret;
	}
	close(response->core.async_fd);
	return fd;
}

/* One that svt has nothing to say to */
static void check_pd(int fd)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd core;
	} request = {};
	struct {
		struct ib_uverbs_alloc_pd_resp core;
		u32 more[4];
	} response;
	int ret;

	memset(&response, 0xff, sizeof(response));
	ret = device_command(fd, IB_USER_VERBS_CMD_ALLOC_PD, &request, sizeof(request), &response,
			     sizeof(response));
	CHECK(!ret, "ALLOC_PD: %s", strerror(-ret));
	CHECK(is_zero(response.more), "room for an answer to ALLOC_PD is left as it was");
}

void case_answers(struct test *st)
{
	size_t known = offsetof(struct request, more);
	struct request request = {};
	struct response response;
	char node[256];
	int fd, ret;

	ret = device_node(st->devices[0], node, sizeof(node));
	CHECK(!ret, "no node of %s", st->devices[0]);
	fd = open_by(node, &request, sizeof(request), &response);
	CHECK(fd >= 0, "longer by zeros: %s", strerror(-fd));
	if (fd >= 0) {
		CHECK(response.svt.max_inline, "no answer");
		CHECK(is_zero(response.more), "the end of a longer answer is left as it was");
		check_pd(fd);
		close(fd);
	}
	ret = open_by(node, &request, known - sizeof(u32), &response);
	CHECK(ret == -EINVAL, "shorter: %d", ret);
	request.more[3] = 1;
	ret = open_by(node, &request, sizeof(request), &response);
	CHECK(ret == -EOPNOTSUPP, "longer by what nobody knows: %d", ret);
}
