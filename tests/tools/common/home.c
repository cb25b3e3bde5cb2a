// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Has one process use devices of several network namespaces. A process uses only GIDs of its own
 * one, and hears datagrams only there; so who makes a queue pair, or a path of it, goes to where
 * the addresses of the device are meanwhile, among those that `ip netns` knows. The linker puts
 * these in front of libibverbs' functions (--wrap, see home.h).
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "home.h"

#define NAMESPACES	"/run/netns"
#define MAX_HOMES	64

/* Where a device is at home; -1: here, or nobody knows */
struct home {
	char device[64];
	int fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct home homes[MAX_HOMES];
static unsigned int homes_known;

static bool is_address(const struct ifaddrs *entry, const union ibv_gid *gid)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)entry->ifa_addr;
	const struct sockaddr_in *four = (const struct sockaddr_in *)entry->ifa_addr;

	if (!entry->ifa_addr)
		return false;
	if (gid_is_v4(gid))
		return entry->ifa_addr->sa_family == AF_INET &&
		       !memcmp(&four->sin_addr, gid->raw + 12, 4);
	return entry->ifa_addr->sa_family == AF_INET6 &&
	       !memcmp(&six->sin6_addr, gid->raw, sizeof(gid->raw));
}

static bool is_here(const union ibv_gid *gid)
{
	struct ifaddrs *all, *entry;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (entry = all; entry && !found; entry = entry->ifa_next)
		found = is_address(entry, gid);
	freeifaddrs(all);
	return found;
}

/* Return: 0; ENODATA: none with that index, or of a link only; another: there are no more */
static int read_gid(struct ibv_context *ctx, int index, union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	int err = ibv_query_gid_ex(ctx, DEV_PORT, index, &entry, 0);

	if (err)
		return err;
	*gid = entry.gid;
	return entry.gid_type == IBV_GID_TYPE_ROCE_V2 && gid->raw[0] != 0xfe ? 0 : ENODATA;
}

/* Return: whether one of the device's is of here; else its first one goes to @gid */
static bool has_gid_here(struct ibv_context *ctx, union ibv_gid *gid)
{
	union ibv_gid next;
	bool found = false;
	int i, err;

	memset(gid, 0, sizeof(*gid));
	for (i = 0; (err = read_gid(ctx, i, &next)) == 0 || err == ENODATA; i++) {
		if (err)
			continue;
		if (is_here(&next))
			return true;
		if (!found)
			*gid = next;
		found = true;
	}
	return false;
}

static int open_namespace(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), NAMESPACES "/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Return: a descriptor of the namespace that has the address, or -1; it is entered and left */
static int search(const union ibv_gid *gid, int here)
{
	DIR *directory = opendir(NAMESPACES);
	struct dirent *entry;
	int fd = -1;

	while (directory && fd < 0 && (entry = readdir(directory))) {
		fd = entry->d_name[0] == '.' ? -1 : open_namespace(entry->d_name);
		if (fd < 0)
			continue;
		if (setns(fd, CLONE_NEWNET) || !is_here(gid)) {
			close(fd);
			fd = -1;
		}
		setns(here, CLONE_NEWNET);
	}
	if (directory)
		closedir(directory);
	return fd;
}

static int look(struct ibv_context *ctx)
{
	union ibv_gid gid;
	int here, fd;

	if (has_gid_here(ctx, &gid))
		return -1;
	here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (here < 0)
		return -1;
	fd = search(&gid, here);
	close(here);
	return fd;
}

static int home_of(struct ibv_context *ctx)
{
	const char *device = ibv_get_device_name(ctx->device);
	unsigned int i;
	int fd;

	pthread_mutex_lock(&lock);
	for (i = 0; i < homes_known && strcmp(homes[i].device, device); i++)
		;
	if (i == homes_known && i < MAX_HOMES) {
		snprintf(homes[i].device, sizeof(homes[i].device), "%s", device);
		homes[i].fd = look(ctx);
		homes_known++;
	}
	fd = i < MAX_HOMES ? homes[i].fd : -1;
	pthread_mutex_unlock(&lock);
	return fd;
}

/* Return: what home_leave() needs: -1: it is here already */
static int home_enter(struct ibv_context *ctx)
{
	int home = home_of(ctx), here;

	if (home < 0)
		return -1;
	here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (here >= 0)
		setns(home, CLONE_NEWNET);
	return here;
}

static void home_leave(int here)
{
	int err = errno;

	if (here >= 0) {
		setns(here, CLONE_NEWNET);
		close(here);
	}
	errno = err;
}

struct ibv_qp *__wrap_ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	int here = home_enter(pd->context);
	struct ibv_qp *qp = __real_ibv_create_qp(pd, attr);

	home_leave(here);
	return qp;
}

int __wrap_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int here, ret;

	if (!(mask & IBV_QP_AV))
		return __real_ibv_modify_qp(qp, attr, mask);
	here = home_enter(qp->context);
	ret = __real_ibv_modify_qp(qp, attr, mask);
	home_leave(here);
	return ret;
}

struct ibv_ah *__wrap_ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	int here = home_enter(pd->context);
	struct ibv_ah *ah = __real_ibv_create_ah(pd, attr);

	home_leave(here);
	return ah;
}
