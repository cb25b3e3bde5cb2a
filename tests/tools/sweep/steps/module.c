// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loading the modules.  What fails is what their own initialisation allocates: the kernel's loader
 * warns of some failures of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../step.h"

#define INITCALL	"do_one_initcall"

static int load(struct bench *b, const char *name)
{
	char path[256];
	int err, fd;

	snprintf(path, sizeof(path), "%s/%s.ko", b->options->modules, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	return err;
}

static int unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

static int is_there(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return access(path, F_OK) ? errno : 0;
}

static int load_svt(struct bench *b)
{
	return load(b, "svt");
}

static int unload_svt(struct bench *b)
{
	(void)b;
	return unload("svt");
}

static int load_roce(struct bench *b)
{
	return load(b, "svt_roce");
}

static int unload_roce(struct bench *b)
{
	(void)b;
	return unload("svt_roce");
}

static int load_loop(struct bench *b)
{
	return load(b, "svt_loop");
}

static int unload_loop(struct bench *b)
{
	(void)b;
	return unload("svt_loop");
}

static int no_backend(struct bench *b)
{
	(void)b;
	return is_there("svt_roce") == ENOENT && is_there("svt_loop") == ENOENT ? 0 : EEXIST;
}

const struct step module_steps[] = {
	{ .name = "init_svt", .flags = STEP_ALONE, .call = load_svt,
	  .undo = unload_svt, .only = INITCALL },
	{ .name = "init_svt_roce", .least = 2, .flags = STEP_ALONE, .prepare = load_svt,
	  .call = load_roce, .intact = no_backend, .undo = unload_roce, .finish = unload_svt,
	  .only = INITCALL },
	{ .name = "init_svt_loop", .least = 3, .flags = STEP_ALONE, .prepare = load_svt,
	  .call = load_loop, .intact = no_backend, .undo = unload_loop, .finish = unload_svt,
	  .only = INITCALL },
	{ }
};
