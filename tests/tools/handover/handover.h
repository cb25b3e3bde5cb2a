/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef HANDOVER_HANDOVER_H
#define HANDOVER_HANDOVER_H

#include <infiniband/verbs.h>

#include "types.h"

/* What one process tells the other, with a file or none (-1). Both return 0, or -1 with a line. */
int tell(int socket, const void *data, size_t length, int fd);
int hear(int socket, void *data, size_t length, int *fd);

/* @count completions of @cq, each a success.  Return: 0, or -1 with a line. */
int reap(struct ibv_cq *cq, u32 count);

/*
 * Each is run by two processes that share nothing but a socket: the first has what it hands over,
 * the second uses it.  Return: 0, or -1 with a line.
 */
int import_first(int socket, const char *device);
int import_second(int socket, const char *device);
int xrc_first(int socket, const char *device);
int xrc_second(int socket, const char *device);

#endif
